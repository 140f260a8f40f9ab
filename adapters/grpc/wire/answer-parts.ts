// The parts of an answer over HTTP. What may be long is cut out of its bytes as it stands, and not parsed.

import { isObject } from "../../../core/plugin.ts";
import type { HttpResponse } from "../../../core/transport.ts";
import { errorOf, plainError, type StatusError } from "./status.ts";

type Members = Readonly<Record<string, unknown>>;

/** `{"data": .., "extensions": {..}}`, in this order. */
export interface AnswerParts {
  readonly data: Uint8Array;
  readonly extensions: Members;
}

const beforeData = Buffer.from('{"data":');
/** Not escaped, so it stands in no text; the last one, so it is no member of the data. */
const beforeExtensions = Buffer.from(',"extensions":{');

/** @throws StatusError for an answer that is an error */
export function partsOf(answer: HttpResponse): AnswerParts {
  const body = bytesOf(answer);
  const end = body.lastIndexOf(beforeExtensions);
  if (answer.status !== 200 || end < 0 || !body.subarray(0, beforeData.length).equals(beforeData)) throw errorIn(answer);
  const { extensions } = parsed(`{${body.subarray(end + 1)}`);
  return { data: body.subarray(beforeData.length, end), extensions: isObject(extensions) ? extensions : {} };
}

/** What a mutation has answered. */
export interface WrittenParts {
  /** The answer of its query; empty without one. */
  readonly queries: Uint8Array;
  readonly uids: Readonly<Record<string, string>>;
}

const beforeQueries = Buffer.from('"queries":');
/** An object or null, where a member of `uids` is a text. */
const beforeUids = [',"uids":{', ',"uids":null'];
const nothing = Buffer.from("null");
const empty = new Uint8Array(0);

export function writtenParts(data: Uint8Array): WrittenParts {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const end = Math.max(...beforeUids.map((text) => bytes.lastIndexOf(text)));
  const queries = bytes.subarray(bytes.indexOf(beforeQueries) + beforeQueries.length, end);
  const { uids } = parsed(`{${bytes.subarray(end + 1)}`);
  return { queries: queries.equals(nothing) ? empty : queries, uids: isObject(uids) ? textsIn(uids) : {} };
}

/** The members of an answer that is short. @throws StatusError for an answer that is an error */
export function membersOf(answer: HttpResponse): Members {
  if (answer.status !== 200) throw errorIn(answer);
  const members = parsed(bytesOf(answer).toString());
  if (Array.isArray(members.errors)) throw errorOf(members.errors, answer.status);
  return members;
}

function errorIn(answer: HttpResponse): StatusError {
  const text = bytesOf(answer).toString();
  const { errors } = parsed(text);
  return Array.isArray(errors) ? errorOf(errors, answer.status) : plainError(text, answer.status);
}

function bytesOf({ body }: HttpResponse): Buffer {
  return typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function parsed(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function textsIn(members: Members): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
}
