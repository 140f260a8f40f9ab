// The texts of refused operations on users and groups. Clients match on them: they stay as they are.

import { QuernError } from "../../core/plugin.ts";

/** A query that could not be carried out: its field is left out of the answer. */
export function queryFailed(field: string, reason: string): QuernError {
  return refusal(field, { reason, compatible: `Dgraph query failed because Dgraph execution failed because ${reason}`, details: { absent: true } });
}

/** A mutation whose input cannot be used. */
export function rewriteFailed(field: string, reason: string): QuernError {
  return refusal(field, { reason, compatible: `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because ${reason}` });
}

/** A mutation that may not, or cannot, be carried out. */
export function mutationFailed(field: string, reason: string, compatible = reason): QuernError {
  return refusal(field, { reason, compatible: `mutation ${field} failed because Dgraph execution failed because ${compatible}` });
}

/** `getCurrentUser` without a usable token. */
export function currentUserFailed(reason: string): QuernError {
  return refusal("getCurrentUser", { reason, compatible: `couldn't rewrite query getCurrentUser because ${reason}` });
}

interface Refusal {
  readonly reason: string;
  /** Dgraph's text. */
  readonly compatible: string;
  readonly details?: { readonly absent: true };
}

/** The error of a field, with the place that its request gives it. */
function refusal(field: string, { reason, ...options }: Refusal): QuernError {
  return new QuernError("REQUEST_REFUSED", reason, { path: [field], ...options });
}

export const unauthenticated = (reason: string) => `rpc error: code = Unauthenticated desc = ${reason}`;
export const unknownCaller = (reason: string) => new QuernError("UNAUTHENTICATED", reason, { compatible: unauthenticated(reason) });
export const reserved = "Reserved Properties of guardians group and groot user cannot be deleted.";
export const emptyName = "encountered an empty value for @id field `dgraph.xid`";
export const nameTaken = (name: string, type: "User" | "Group") => `id ${name} already exists for field name inside type ${type}`;
export const otherHasName = (name: string) => `could not insert duplicate value [${name}] for predicate [dgraph.xid]`;
export const namedTwice = (name: string) => `duplicate XID found: ${name}`;
