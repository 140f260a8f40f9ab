// Verifies a token: its algorithm, signature, times and audience.

import type { KeyObject } from "node:crypto";
import type { CryptoKey } from "jose";
import type { Authorization } from "./authorization-line.ts";
import { type Claims, isObject, type ParsedToken } from "./parse-token.ts";
import { refused, unusable } from "./token-error.ts";

/** Checks the signature with `key`. Not by `jwtVerify`: Dgraph takes claims that it refuses, such as a text in `exp` and no `aud`. */
export async function verifySignature({ text, algorithm }: ParsedToken, key: KeyObject | CryptoKey): Promise<void> {
  // Loaded with the first token: most commands and many servers verify none.
  const { compactVerify } = await import("jose");
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
  } catch (cause) {
    throw Object.assign(unusable("token signature is invalid: signature is invalid"), { cause });
  }
}

/** The token's claims, when it is valid now and for this audience. */
export function acceptedClaims(token: ParsedToken, { audience, namespace }: Pick<Authorization, "audience" | "namespace">): Claims {
  assertTimely(token);
  if (token.audience !== undefined && audience === undefined) throw refused("audience value was expected but not provided");
  if (token.audience !== undefined && !token.audience.some((each) => audience?.includes(each)))
    throw refused("JWT `aud` value doesn't match with the audience");
  return flatClaims(token.claims, namespace);
}

/** Checks the times without leeway. A token without `exp` never expires. */
export function assertTimely({ expires, notBefore }: Pick<ParsedToken, "expires" | "notBefore">): void {
  const now = Date.now() / 1000;
  const wrong = [
    ...(expires !== undefined && now >= expires ? ["token is expired"] : []),
    ...(notBefore !== undefined && now < notBefore ? ["token is not valid yet"] : []),
  ];
  if (wrong.length > 0) throw unusable(`token has invalid claims: ${wrong.join(", ")}`);
}

// Flattens claims into one map: those at the root of the token, overridden by those of the application's namespace.

/** @throws QuernError when the namespace is a string without a JSON object */
function flatClaims(claims: Claims, namespace: string): Claims {
  const { [namespace]: own, ...root } = claims;
  if (typeof own === "string") return { ...root, ...parsed(own) };
  return isObject(own) ? { ...root, ...own } : root;
}

function parsed(text: string): Claims {
  try {
    const value = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The error below covers it.
  }
  throw unusable("token is malformed: could not JSON decode claim: the namespace holds no JSON object");
}
