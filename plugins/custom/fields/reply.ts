// What a reply says: a value, or errors.

import {
  type AnswerError,
  type AnswerValue,
  andThen,
  isObject,
  type MaybePromise,
  parseAnswerInTurns,
  rescued,
  WrittenNumber,
} from "../../../core/plugin.ts";
import type { RemoteReply } from "../../remote/index.ts";
import { externalFailure, failure, type RemoteCall } from "./remote-call.ts";

export interface ReplyValue {
  readonly value: AnswerValue;
  readonly errors: readonly AnswerError[];
  /** There is no value, and `errors` say why. */
  readonly failed: boolean;
}

export function readReply(call: RemoteCall, reply: RemoteReply): MaybePromise<ReplyValue> {
  const read = call.operation ? readGraphQLReply : readPlainReply;
  return andThen(parsed(reply.text), (json) => read(call, reply, json));
}

function readPlainReply(call: RemoteCall, { status, text }: RemoteReply, json: ParsedReply | undefined): ReplyValue {
  if (status >= 200 && status < 300) return json ? { value: json.value, errors: [], failed: false } : failed(unreadable(call, text));
  const errors = json && errorsIn(json.value);
  return errors && errors.length > 0 ? { value: null, errors, failed: true } : failed(externalFailure(call, `unexpected error with: ${status}`));
}

/** Whatever the status is, the reply of a GraphQL service is read. */
function readGraphQLReply(call: RemoteCall, { text }: RemoteReply, json: ParsedReply | undefined): ReplyValue {
  const reply = json?.value;
  if (!json || (reply !== null && !isPlainObject(reply))) return failed(unreadable(call, text));
  const data = reply?.data ?? null;
  const errors = reply ? errorsIn(reply) : [];
  if (!errors || (data !== null && !isPlainObject(data))) return failed(unreadable(call, text));
  const key = call.operation?.field?.name.value ?? "";
  const value = data && Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined) return { value, errors, failed: false };
  const missing = failure(call, `key: ${key} could not be found in the JSON response returned by external request`);
  return { value: null, errors: [...errors, missing], failed: true };
}

function failed(error: AnswerError): ReplyValue {
  return { value: null, errors: [error], failed: true };
}

/** Names no part of the reply: it may be meant for others. */
function unreadable(call: RemoteCall, text: string): AnswerError {
  const reason = text.trim() === "" ? "EOF" : "the reply is no JSON of the expected form";
  return failure(call, `json unmarshalling result of external request failed (with error: ${reason})`);
}

interface ParsedReply {
  readonly value: AnswerValue;
}

/** Undefined: it is no JSON. */
function parsed(text: string): MaybePromise<ParsedReply | undefined> {
  return rescued<ParsedReply | undefined>(
    () => andThen(parseAnswerInTurns(text), (value) => ({ value })),
    () => undefined,
  );
}

/** The `errors` of a reply, as clients get them; undefined when they have another form. */
function errorsIn(reply: AnswerValue): readonly AnswerError[] | undefined {
  const errors = isPlainObject(reply) ? (reply.errors ?? []) : undefined;
  if (!Array.isArray(errors) || !errors.every(isPlainObject)) return undefined;
  return errors.map(remoteError);
}

function remoteError({ message, path, locations, extensions }: JsonObject): AnswerError {
  return {
    message: typeof message === "string" ? message : "",
    ...(isPath(path) && { path }),
    ...(isLocations(locations) && { locations }),
    ...(isPlainObject(extensions) && { extensions: JSON.parse(JSON.stringify(extensions)) }),
  };
}

type JsonObject = { readonly [key: string]: AnswerValue };

function isPlainObject(value: AnswerValue | undefined): value is JsonObject {
  return isObject(value) && !(value instanceof WrittenNumber);
}

function isPath(value: unknown): value is readonly (string | number)[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string" || typeof each === "number");
}

function isLocations(value: unknown): value is readonly { readonly line: number; readonly column: number }[] {
  return Array.isArray(value) && value.every((each) => isObject(each) && typeof each.line === "number" && typeof each.column === "number");
}
