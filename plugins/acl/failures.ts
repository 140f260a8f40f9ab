// The texts of refused operations on users and groups. Clients match on them: they stay as they are.

import { QuernError } from "../../core/plugin.ts";

/** A query that could not be carried out: its field is left out of the answer. */
export function queryFailed(field: string, reason: string): QuernError {
  return refusal(`Dgraph query failed because Dgraph execution failed because ${reason}`, field, { absent: true });
}

/** A mutation whose input cannot be used. */
export function rewriteFailed(field: string, reason: string): QuernError {
  return refusal(`couldn't rewrite mutation ${field} because failed to rewrite mutation payload because ${reason}`, field);
}

/** A mutation that may not, or cannot, be carried out. */
export function mutationFailed(field: string, reason: string): QuernError {
  return refusal(`mutation ${field} failed because Dgraph execution failed because ${reason}`, field);
}

/** `getCurrentUser` without a usable token. */
export function currentUserFailed(reason: string): QuernError {
  return refusal(`couldn't rewrite query getCurrentUser because ${reason}`, "getCurrentUser");
}

/** The error of a field, with the place that its request gives it. */
function refusal(message: string, field: string, details?: { readonly absent: true }): QuernError {
  return new QuernError("REQUEST_REFUSED", message, { path: [field], ...(details && { details }) });
}

export const unauthenticated = (reason: string) => `rpc error: code = Unauthenticated desc = ${reason}`;
export const reserved = "Reserved Properties of guardians group and groot user cannot be deleted.";
export const emptyName = "encountered an empty value for @id field `dgraph.xid`";
export const nameTaken = (name: string, type: "User" | "Group") => `id ${name} already exists for field name inside type ${type}`;
export const otherHasName = (name: string) => `could not insert duplicate value [${name}] for predicate [dgraph.xid]`;
export const namedTwice = (name: string) => `duplicate XID found: ${name}`;
