// Rules that the owner of the database has put on its collections: validators and unique indexes of their own. They refuse a write for good.

import { MongoServerError } from "mongodb";
import { QuernError } from "../../../core/storage.ts";
import { isDuplicate } from "../connection/store-error.ts";
import { own } from "../layout/names.ts";

const validationFailed = 121;

/** Whether a validator refused the write. */
export function isRefusedByValidator(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && Number(thrown.code) === validationFailed;
}

/** The error for a write to `collection` that the owner's rule refused; undefined: `thrown` is something else. */
export function ownerRefusal(collection: string, thrown: unknown): QuernError | undefined {
  if (isRefusedByValidator(thrown)) return refusal(`the validation rule of the collection "${collection}" in MongoDB`, thrown);
  const index = isDuplicate(thrown) ? / index: (.+) dup key: /.exec(thrown.message)?.[1] : undefined;
  if (index === undefined || index === "_id_" || index.startsWith(own)) return undefined;
  return refusal(`the unique index "${index}" of the collection "${collection}" in MongoDB`, thrown);
}

function refusal(rule: string, cause: unknown): QuernError {
  return new QuernError("REQUEST_REFUSED", `${rule} refuses the write`, {
    cause,
    hint: "The schema does not know this rule. Change the data, or ask the owner of the database to remove the rule.",
  });
}
