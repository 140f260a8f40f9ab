// Every text that a mutation's error can have, and the wrapping of each stage. Clients match on these texts: they stay as they are.

import { type Location, QuernError } from "../ground/errors.ts";
import { formatUid } from "../ground/values/uid.ts";
import type { Uid } from "../ground/values/value.ts";

/** Where a mutation failed: while its input became a set of writes, while these were carried out, or at a guard of update. */
export type Stage = "rewrite" | "execute" | "guard";

const rewriteFailed = (field: string) => `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because `;
const executionFailed = (field: string) => `mutation ${field} failed because Dgraph execution failed because `;

/** The error as clients see it: `reason` inside the text of its stage. */
export function wrap(stage: Stage, field: string, reason: QuernError, location: Location): QuernError {
  const hidden = reason.hidden || isDebugText(reason.message);
  const options = { cause: reason, hidden, ...(reason.hint === undefined ? {} : { hint: reason.hint }) };
  switch (stage) {
    case "rewrite":
      return new QuernError("OPERATION_FAILED", rewriteFailed(field) + reason.message, options);
    case "execute":
      return new QuernError("OPERATION_FAILED", executionFailed(field) + reason.message, {
        ...options,
        hint: reason.hint ?? `Quern refused the mutation: ${reason.message}`,
        locations: [location],
      });
    case "guard":
      return new QuernError("OPERATION_FAILED", `mutation ${field} failed because ${reason.message}`, options);
  }
}

const isDebugText = (text: string) => text.startsWith("GraphQL debug: ");

// ---- stage 3: the input --------------------------------------------------------------------------------------------------

export const wrongId = (id: string, type: string) => rewriting(`ID "${id}" isn't a ${type}`);
export const badId = (text: string) => rewriting(`ID argument (${text}) was not able to be parsed`);
export const keyExists = (value: string, field: string, type: string) =>
  rewriting(`id ${value} already exists for field ${field} inside type ${type}`);
export const keyExistsInSibling = (value: string, field: string, across: string) =>
  rewriting(`id ${value} already exists for field ${field} in some other implementing type of interface ${across}`);
/** @param holder for callers that may see it */
export const combinationTaken = (fields: readonly string[], holder: Uid | undefined) =>
  new QuernError(
    "KEY_TAKEN",
    `${fields.join(" and ")} must be unique${fields.length > 1 ? " together" : ""}, and another object has ${fields.length > 1 ? "these values" : "this value"}${holder === undefined ? "" : `: ${formatUid(holder)}`}`,
  );
export const severalFound = () => rewriting("multiple nodes found for given xid values, updation not possible");
export const requiredMissing = (type: string, field: string) => rewriting(`type ${type} requires a value for field ${field}, but no value present`);
export const keyMissing = (field: string) => rewriting(`field ${field} cannot be empty`);
export const keyEmpty = (type: string, field: string) => rewriting(`encountered an empty value for @id field \`${type}.${field}\``);
export const scopeMissing = (type: string, key: string, part: string) =>
  rewriting(`${part} must be given too: ${type}.${key} is a key, and ${part} is a part of it`);
export const severalScopes = () => rewriting("the input names objects within those that it changes: only one node is allowed in the filter");
export const duplicateKey = (value: string) => rewriting(`duplicate XID found: ${value}`);
export const notOneMember = (field: string, type: string, index: number | undefined, found: number) =>
  rewriting(
    `value for field \`${field}\` in type \`${type}\`${index === undefined ? "" : ` index \`${index}\``} must have exactly one child, found ${found} children`,
  );
export const nothingNamed = () => rewriting("id is not provided");
export const noSuchObject = (type: string, field: string, value: string) =>
  rewriting(`no ${type} has ${value} as its ${field}, and a reference to an interface cannot create one`);

/** The same error, kept from clients: the type has rules about who may see it. */
export const undisclosed = (error: QuernError) => new QuernError(error.code, `GraphQL debug: ${error.message}`, { hidden: true });

// ---- stage 4: the values and the writing -----------------------------------------------------------------------------------

export const nullInList = (type: string, field: string) => invalid(`got unsupported type for list: ${type}.${field}`);
export const badDateTime = (text: string) => invalid(`parsing time "${text}" as "2006-01-02T15:04:05": cannot parse "${text}" as a date`);
export const badValue = (type: string, field: string) => invalid(`the value of ${type}.${field} cannot be stored as what the field holds`);
export const emptyVector = () => invalid("cannot convert null to vfloat: a vector has at least one element; null clears it");
export const badVector = (type: string, field: string) => invalid(`${type}.${field} has an element beyond the range of 32-bit floats`);
export const shortRing = () => invalid("Can't convert ring with less than 4 pts");
export const openRing = (coordinates: string) => invalid(`Last coordinate not same as first for polygon: ${coordinates}`);
export const noRings = () => invalid("Can't convert polygon without rings");

// ---- update, authorisation, commit, payload --------------------------------------------------------------------------------

export const oneNodeOnly = () => rewriting("only one node is allowed in the filter while updating fields with @id directive");
export const allByNulls = (field: string) =>
  rewriting(`couldn't rewrite mutation ${field} because its filter selects every object only through nulls; write filter: {} to mean all`);
export const notAuthorized = (cause?: QuernError) =>
  new QuernError("OPERATION_FAILED", `mutation failed because authorization failed${cause ? ` because ${cause.message}` : ""}`, { hidden: true });
/** A plugin would not say who asks. */
export const stranger = (field: string, cause: QuernError) =>
  new QuernError(cause.code, `couldn't rewrite mutation ${field} because ${cause.message}`, { cause });
export const displacedNotAuthorized = (field: string) =>
  new QuernError("OPERATION_FAILED", `couldn't rewrite query for mutation ${field} because authorization failed`, { hidden: true });
export const aborted = (cause: unknown) =>
  new QuernError("CONFLICT", "mutation failed, couldn't commit transaction because Transaction has been aborted. Please retry", { cause });
export const notCommitted = (cause: QuernError) =>
  new QuernError(cause.code, `mutation failed, couldn't commit transaction because ${cause.message}`, { cause });
export const payloadFailed = (field: string, cause: QuernError) =>
  new QuernError(cause.code, `couldn't execute query for mutation ${field} because ${cause.message}`, { cause });

function rewriting(message: string): QuernError {
  return new QuernError("OPERATION_FAILED", message);
}

function invalid(message: string): QuernError {
  return new QuernError("VALUE_INVALID", message);
}
