// Makes tokens for development and tests, signed with the secret of a schema.

import { QuernError, type SettingLine } from "../../core/plugin.ts";
import { type Authorization, readAuthorization } from "./authorization-line.ts";
import { type FixedKey, keyObject } from "./fixed-key.ts";
import { type Claims, isObject } from "./parse-token.ts";

/** A signed token, with the header that carries it. */
export interface DevelopmentToken {
  /** The request header that carries it, as the schema names it. */
  readonly header: string;
  readonly token: string;
}

/** Claims from JSON text. @returns undefined if `text` is no JSON object */
export function readClaims(text: string): Claims | undefined {
  try {
    const claims = JSON.parse(text);
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** Claims of the token itself (RFC 7519); all others are the application's and go into its namespace. */
const registered: ReadonlySet<string> = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]);

/**
 * Signs a token with the key that the schema's own authorization line holds, for development.
 *
 * @param lines the `Authorization` lines of the schema
 * @param claims claims of the application, and registered ones
 * @param lifetime such as `8h`; no effect on claims with `exp`
 * @throws QuernError `CONFIG_INVALID` if the schema has no secret to sign with; `SCHEMA_INVALID` for an invalid line
 */
export async function developmentToken(lines: readonly SettingLine[], claims: Claims, lifetime: string): Promise<DevelopmentToken> {
  const authorization = readAuthorization(lines);
  if (authorization === undefined) throw refused("The schema has no line # Service.Authorization, so no token means anything to it.");
  const key = signingKey(authorization);
  const given = { ...audienceOf(authorization), ...payload(claims, authorization.namespace) };
  const { SignJWT } = await import("jose");
  const unsigned = new SignJWT(given).setProtectedHeader({ alg: key.algorithm, typ: "JWT" }).setIssuedAt();
  if (claims.exp === undefined) unsigned.setExpirationTime(lifetime);
  return { header: authorization.header, token: await unsigned.sign(keyObject(key)) };
}

function signingKey({ trust }: Authorization): FixedKey {
  if (trust.kind === "urls") {
    const issuer = trust.urls[0] ?? "";
    throw refused(`The schema trusts the keys at ${issuer}, and only their owner can sign. ${useSecret}`);
  }
  if (!trust.algorithm.startsWith("HS"))
    throw refused(`The schema has the public half of an ${trust.algorithm} key, which cannot sign. ${useSecret}`);
  return trust;
}

const useSecret = 'For development, give the schema a line with "VerificationKey" and "Algo": "HS256".';

function audienceOf({ audience }: Authorization): Claims {
  return audience?.[0] === undefined ? {} : { aud: audience[0] };
}

function payload(claims: Claims, namespace: string): Claims {
  const entries = Object.entries(claims);
  const own = entries.filter(([name]) => !registered.has(name));
  return { ...Object.fromEntries(entries.filter(([name]) => registered.has(name))), [namespace]: Object.fromEntries(own) };
}

function refused(message: string): QuernError {
  return new QuernError("CONFIG_INVALID", message);
}
