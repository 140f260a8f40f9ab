// `developmentToken` of the admin API: a token with given claims, for an administrator who tries what its owner may do.

import { type AdminAdditions, type KernelAccess, QuernError } from "../../core/plugin.ts";
import { keyword } from "./authorization-line.ts";
import { developmentToken, readClaims } from "./development-token.ts";

const defaultLifetime = "8h";

export function developmentTokens(kernel: Pick<KernelAccess, "served">): AdminAdditions {
  return {
    definitions: `
extend type Mutation {
  "A token with these claims (a JSON object), signed with the secret of the schema. Fails where the schema has none: only the owner of its keys can sign."
  developmentToken(claims: String!, expires: String = "${defaultLifetime}"): DevelopmentToken
}
type DevelopmentToken {
  "The request header that carries it."
  header: String!
  token: String!
}`,
    mutations: { developmentToken: ({ claims, expires }) => made(kernel, String(claims), String(expires ?? defaultLifetime)) },
  };
}

async function made({ served }: Pick<KernelAccess, "served">, text: string, expires: string) {
  const claims = readClaims(text);
  if (claims === undefined) throw new QuernError("REQUEST_INVALID", `the claims are no JSON object: ${text.slice(0, 100)}`);
  if (served === undefined) throw new QuernError("NO_SCHEMA", "no schema is deployed, so no token means anything.");
  if (!lifetime.test(expires)) throw new QuernError("REQUEST_INVALID", `${expires.slice(0, 20)} is no lifetime; write one such as 30m, 8h or 7d`);
  return await developmentToken(served.lines.get(keyword) ?? [], claims, expires);
}

/** A whole number of minutes, hours or days. */
const lifetime = /^[1-9]\d{0,4}[mhd]$/;
