// Verifies a token: its algorithm, signature, times and audience.

import type { KeyObject } from "node:crypto";
import type { Authorization } from "./authorization-line.ts";
import { flatClaims } from "./flat-claims.ts";
import type { Claims, ParsedToken } from "./parse-token.ts";
import { refused, unusable } from "./token-error.ts";

/** Checks the signature with `key`. */
export async function verifySignature({ text, algorithm }: ParsedToken, key: KeyObject): Promise<void> {
  if (!suits(algorithm, key)) throw unusable(`token signature is invalid: key is of invalid type: it does not verify ${algorithm}`);
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

/** Whether the type of key fits the algorithm. The key's own `alg` and `use` are ignored. */
export function suits(algorithm: string, { type, asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  switch (algorithm) {
    case "HS256":
    case "HS384":
    case "HS512":
      return type === "secret";
    case "RS256":
    case "RS384":
    case "RS512":
    case "PS256":
    case "PS384":
    case "PS512":
      return asymmetricKeyType === "rsa";
    case "ES256":
      return asymmetricKeyDetails?.namedCurve === "prime256v1";
    case "ES384":
      return asymmetricKeyDetails?.namedCurve === "secp384r1";
    case "ES512":
      return asymmetricKeyDetails?.namedCurve === "secp521r1";
    case "EdDSA":
      return asymmetricKeyType === "ed25519";
    default:
      return false;
  }
}
