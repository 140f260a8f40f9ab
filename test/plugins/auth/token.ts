// Tokens for tests, signed with a shared secret.

import { createHmac } from "node:crypto";

export const secret = "a secret of the harbour office";
export const namespace = "https://harbour.example/claims";

/** The configuration line that believes `token`. */
export const line = `# Service.Authorization ${JSON.stringify({ Header: "X-Harbour", Namespace: namespace, VerificationKey: secret, Algo: "HS256" })}`;

/** @param claims those of the application; @param root those beside them, such as `exp` */
export function token(claims: unknown, root: Readonly<Record<string, unknown>> = {}): string {
  return signed({ alg: "HS256", typ: "JWT" }, { ...root, [namespace]: claims });
}

export function signed(header: unknown, payload: unknown, key = secret): string {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
