// What addresses of `/query`, `/mutate` and `/commit` say, in the words of Go.

import type { HttpRequest } from "../../core/plugin.ts";
import { EnvelopeError } from "./mutation/envelope.ts";
import type { TransactionParameters } from "./transactions/requests.ts";

const goTrue = ["1", "t", "T", "true", "TRUE", "True"];
const goFalse = ["0", "f", "F", "false", "FALSE", "False"];

/** @throws EnvelopeError */
export function flagOf({ url }: HttpRequest, name: string): boolean {
  const word = parameter(url, name) ?? "";
  if (word !== "" && !goTrue.includes(word) && !goFalse.includes(word))
    throw new EnvelopeError(`while parsing ${name} as bool: strconv.ParseBool: parsing ${JSON.stringify(word)}: invalid syntax`);
  return goTrue.includes(word);
}

/** @throws EnvelopeError */
export function transactionOf({ url }: HttpRequest): TransactionParameters {
  const word = parameter(url, "startTs") ?? "";
  if (!/^\d*$/.test(word))
    throw new EnvelopeError(`while parsing startTs as uint64: strconv.ParseUint: parsing ${JSON.stringify(word)}: invalid syntax`);
  return { startTs: Number(word) === 0 ? undefined : Number(word), hash: parameter(url, "hash") ?? undefined };
}

function parameter(url: string, name: string): string | null {
  return new URL(url, "http://localhost").searchParams.get(name);
}
