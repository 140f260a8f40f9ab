// Every text that a mutation's error can have, and the wrapping of each stage. Clients match on those of Dgraph: they stay as they are.

import { type ErrorCode, type InputPath, type Location, QuernError } from "../../ground/errors.ts";
import { formatUid } from "../../ground/values/uid.ts";
import type { Uid } from "../../ground/values/value.ts";

/** Where a mutation failed: while its input became a set of writes, while these were carried out, or at a guard of update. */
export type Stage = "rewrite" | "execute" | "guard";

const rewriteFailed = (field: string) => `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because `;
const executionFailed = (field: string) => `mutation ${field} failed because Dgraph execution failed because `;

/** The error of the root field: `reason`, which Dgraph puts into the text of its stage. */
export function wrap(stage: Stage, field: string, reason: QuernError, location: Location): QuernError {
  const { message, compatible = message, hint, input, rule } = reason;
  const options = {
    cause: reason,
    hidden: reason.hidden || isDebugText(message),
    errors: reason.errors.map((each) => wrap(stage, field, each, location)),
    ...(hint !== undefined && { hint }),
    ...(input && { input }),
    ...(rule && { rule }),
  };
  switch (stage) {
    case "rewrite":
      return new QuernError(reason.code, message, { ...options, compatible: rewriteFailed(field) + compatible });
    case "execute":
      return new QuernError(reason.code, message, {
        ...options,
        compatible: executionFailed(field) + compatible,
        hint: hint ?? `Quern refused the mutation: ${message}`,
        locations: [location],
      });
    case "guard":
      return new QuernError(reason.code, message, { ...options, compatible: `mutation ${field} failed because ${compatible}` });
  }
}

const isDebugText = (text: string) => text.startsWith("GraphQL debug: ");

/** The same error with its place in the arguments, if it has none. */
export function at(input: InputPath, error: QuernError): QuernError {
  const { code, message, compatible, hint, hidden, details, cause, rule } = error;
  if (error.input !== undefined) return error;
  return new QuernError(code, message, {
    input,
    hidden,
    details,
    ...(compatible !== undefined && { compatible }),
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause }),
    ...(rule && { rule }),
  });
}

// ---- stage 3: the input --------------------------------------------------------------------------------------------------

export const wrongId = (id: string, type: string) => refusal("NOT_FOUND", `There is no ${type} with the ID "${id}".`, `ID "${id}" isn't a ${type}`);
export const badId = (text: string) =>
  refusal("VALUE_INVALID", `"${text}" is no ID. IDs look like 0x2a.`, `ID argument (${text}) was not able to be parsed`);
export const keyExists = (value: string, field: string, type: string) =>
  refusal("KEY_TAKEN", `Another ${type} has ${field} "${value}" already.`, `id ${value} already exists for field ${field} inside type ${type}`);
export const keyExistsInSibling = (value: string, field: string, across: string) =>
  refusal(
    "KEY_TAKEN",
    `An object of another type of ${across} has ${field} "${value}" already.`,
    `id ${value} already exists for field ${field} in some other implementing type of interface ${across}`,
  );
/** @param holder for callers that may see it */
export const combinationTaken = (fields: readonly string[], holder: Uid | undefined) =>
  new QuernError(
    "NOT_UNIQUE",
    `${fields.join(" and ")} must be unique${fields.length > 1 ? " together" : ""}, and another object has ${fields.length > 1 ? "these values" : "this value"}${holder === undefined ? "" : `: ${formatUid(holder)}`}`,
    { rule: { name: "unique", fields: fields.map((field) => field.slice(field.lastIndexOf(".") + 1)) } },
  );
export const severalFound = () =>
  refusal("KEY_TAKEN", "The keys of this object belong to different objects.", "multiple nodes found for given xid values, updation not possible");
export const requiredMissing = (type: string, field: string) =>
  refusal("VALUE_MISSING", `${type}.${field} needs a value.`, `type ${type} requires a value for field ${field}, but no value present`);
export const keyMissing = (field: string) => refusal("VALUE_MISSING", `${field} needs a value.`, `field ${field} cannot be empty`);
export const keyEmpty = (type: string, field: string) =>
  refusal("VALUE_INVALID", `The key ${type}.${field} is an empty text.`, `encountered an empty value for @id field \`${type}.${field}\``);
export const scopeMissing = (type: string, key: string, part: string) =>
  refusal("VALUE_MISSING", `${part} must be given too: ${type}.${key} is a key, and ${part} is a part of it`);
export const severalScopes = () =>
  refusal("REQUEST_REFUSED", "the input names objects within those that it changes: only one node is allowed in the filter");
export const duplicateKey = (value: string) =>
  refusal("KEY_TAKEN", `The request has the key "${value}" for objects that differ.`, `duplicate XID found: ${value}`);
export const notOneMember = (field: string, type: string, index: number | undefined, found: number) =>
  refusal(
    "VALUE_INVALID",
    `${type}.${field}${index === undefined ? "" : `, element ${index},`} must name exactly one type, and names ${found}.`,
    `value for field \`${field}\` in type \`${type}\`${index === undefined ? "" : ` index \`${index}\``} must have exactly one child, found ${found} children`,
  );
export const nothingNamed = () => refusal("VALUE_MISSING", "Say which object to remove: its ID or a key.", "id is not provided");
export const noSuchObject = (type: string, field: string, value: string) =>
  refusal("NOT_FOUND", `no ${type} has ${value} as its ${field}, and a reference to an interface cannot create one`);

/** The same error, kept from clients: the type has rules about who may see it. */
export const undisclosed = (error: QuernError) => {
  const compatible = `GraphQL debug: ${error.compatible ?? error.message}`;
  return new QuernError(error.code, `GraphQL debug: ${error.message}`, { compatible, hidden: true });
};

// ---- stage 4: the values and the writing -----------------------------------------------------------------------------------

export const nullInList = (type: string, field: string) =>
  refusal("VALUE_INVALID", `${type}.${field} has null among its elements.`, `got unsupported type for list: ${type}.${field}`);
export const badDateTime = (text: string) =>
  refusal(
    "BAD_FORMAT",
    `"${text}" is no date. Write 2031-04-09 or 2031-04-09T12:30:00Z.`,
    `parsing time "${text}" as "2006-01-02T15:04:05": cannot parse "${text}" as a date`,
  );
export const badValue = (type: string, field: string) =>
  refusal("VALUE_INVALID", `the value of ${type}.${field} cannot be stored as what the field holds`);
export const emptyVector = () =>
  refusal(
    "VALUE_INVALID",
    "A vector has at least one element; null clears it.",
    "cannot convert null to vfloat: a vector has at least one element; null clears it",
  );
export const badVector = (type: string, field: string) =>
  refusal("OUT_OF_RANGE", `${type}.${field} has an element beyond the range of 32-bit floats`);
export const shortRing = () => refusal("VALUE_INVALID", "A ring of a polygon has at least 4 points.", "Can't convert ring with less than 4 pts");
export const openRing = (coordinates: string) =>
  refusal(
    "VALUE_INVALID",
    `A ring of a polygon ends where it begins: ${coordinates}`,
    `Last coordinate not same as first for polygon: ${coordinates}`,
  );
export const noRings = () => refusal("VALUE_INVALID", "A polygon has at least one ring.", "Can't convert polygon without rings");

// ---- update, authorisation, commit, payload --------------------------------------------------------------------------------

export const oneNodeOnly = () =>
  refusal(
    "KEY_TAKEN",
    "An update that sets a key may change one object, and the filter finds several.",
    "only one node is allowed in the filter while updating fields with @id directive",
  );
export const allByNulls = (field: string) =>
  refusal(
    "REQUEST_REFUSED",
    "The filter selects every object, but only through nulls. Write filter: {} to mean all.",
    `couldn't rewrite mutation ${field} because its filter selects every object only through nulls; write filter: {} to mean all`,
  );
export const notAuthorized = (cause?: QuernError) => {
  const reason = cause ? ` because ${cause.message}` : "";
  const compatible = `mutation failed because authorization failed${reason}`;
  return new QuernError("FORBIDDEN", `The access rules do not allow this mutation${reason}.`, { compatible, hidden: true });
};
/** A plugin would not say who asks. */
export const stranger = (field: string, cause: QuernError) =>
  new QuernError(cause.code, cause.message, { cause, compatible: `couldn't rewrite mutation ${field} because ${cause.message}` });
export const displacedNotAuthorized = (field: string) =>
  new QuernError("FORBIDDEN", "The access rules do not allow to take the link from the object that has it.", {
    compatible: `couldn't rewrite query for mutation ${field} because authorization failed`,
    hidden: true,
  });
export const aborted = (cause: unknown) =>
  new QuernError("CONFLICT", "Other writers changed the same data too often. Nothing was written; try again.", {
    cause,
    compatible: "mutation failed, couldn't commit transaction because Transaction has been aborted. Please retry",
  });
export const notCommitted = (cause: QuernError) =>
  new QuernError(cause.code, cause.message, { cause, compatible: `mutation failed, couldn't commit transaction because ${cause.message}` });
export const payloadFailed = (field: string, cause: QuernError) =>
  new QuernError(cause.code, `The mutation is committed, but its payload could not be read: ${cause.message}`, {
    cause,
    compatible: `couldn't execute query for mutation ${field} because ${cause.message}`,
  });

/** @param compatible what Dgraph says, where it says something else */
function refusal(code: ErrorCode, message: string, compatible?: string): QuernError {
  return new QuernError(code, message, compatible === undefined ? {} : { compatible });
}
