// Reads a long JSON body of a GraphQL request. What it would become is counted before anything is made of it, and waits for room; members that nobody asks for,
// and variables that the document does not declare, are checked and not built.

import { type Kernel, parseJsonInTurns, run, type Work, wait } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import type { BodyLimit } from "../http/body-limits.ts";
import { checkJson } from "../http/check-json.ts";
import {
  type JsonBounds,
  type JsonExcess,
  type JsonMeasure,
  JsonTooLarge,
  type MemberRange,
  maxJsonDepth,
  maxNumberCharacters,
  measureJson,
} from "../http/measure-json.ts";
import { HttpRefusal, holdsTooMany, noRoom } from "../http/refusal.ts";
import type { ServerParts } from "../parts/server-parts.ts";

/** What a value takes in memory, about: an empty object and its place in a list. */
const bytesPerValue = 64;
/** What a byte of the text takes while it is parsed, at most: characters of two bytes. */
const bytesPerByte = 2;
/** A longer document may declare all variables. */
const maxReadDocument = 64 * 1024;

export interface LongBody {
  readonly body: Uint8Array;
  readonly request: HttpRequest;
  /** The members of the object that are wanted. */
  readonly wanted: ReadonlySet<string>;
}

/**
 * The JSON value of the body; of an object the members that are wanted, and of its `variables` those that its `query` declares.
 *
 * @throws HttpRefusal: it holds more than the limits permit, or there is no room; SyntaxError: it is not JSON
 */
export async function readLongBody(body: LongBody, context: ReadContext): Promise<unknown> {
  return await context.bodyOrder.inOrder(body.request, body.body.byteLength, async () => await run(longBody(body, context)));
}

interface ReadContext extends Pick<ServerParts, "bodyLimits" | "bodyOrder" | "parsed"> {
  readonly kernel: Pick<Kernel, "limits">;
}

function* longBody({ body, request, wanted }: LongBody, { kernel: { limits }, bodyLimits, parsed }: ReadContext): Work<unknown> {
  const bounds = { values: bodyLimits(request).values, maxMembers: limits.maxObjectMembers, maxElements: limits.maxInputList };
  const { values, members } = yield* measured(body, bounds);
  const lease = yield* wait(parsed.reserve(values * bytesPerValue + body.byteLength * bytesPerByte));
  if (lease === undefined) throw noRoom();
  parsed.keep(request, lease);
  if (members === undefined) return yield* parsedText(body);
  const found = yield* membersOf(body, members, (key) => wanted.has(key) && key !== "variables");
  const variables = members.findLast((each) => keyOf(body, each) === "variables");
  if (variables === undefined) return found;
  return { ...found, variables: yield* variablesIn(body.subarray(variables.colon + 1, variables.to), declaredIn(found.query), bounds) };
}

interface Bounds extends Omit<JsonBounds, "maxValues"> {
  readonly values: BodyLimit;
}

function* measured(body: Uint8Array, bounds: Bounds): Work<JsonMeasure> {
  try {
    return yield* measureJson(body, { ...bounds, maxValues: bounds.values.most });
  } catch (thrown) {
    throw thrown instanceof JsonTooLarge ? holdsTooMuch(thrown.excess, bounds) : thrown;
  }
}

const sendLess = "Send less in one request.";

function holdsTooMuch(excess: JsonExcess, { values, maxMembers, maxElements }: Bounds): HttpRefusal {
  if (excess === "values") return holdsTooMany(values);
  const text: Readonly<Record<Exclude<JsonExcess, "values">, string>> = {
    elements: `A list in the request body has more than ${maxElements} elements (limits.maxInputList). ${sendLess}`,
    members: `An object in the request body has more than ${maxMembers} members (limits.maxObjectMembers). ${sendLess}`,
    number: `A number in the request body has more than ${maxNumberCharacters} characters. Send a shorter one, or a string.`,
    depth: `The request body is nested more than ${maxJsonDepth} deep. ${sendLess}`,
  };
  return new HttpRefusal(text[excess], 413, "LIMIT_REACHED");
}

/** Parses the members that are built, and checks the others. The last of equal keys counts. */
function* membersOf(text: Uint8Array, ranges: readonly MemberRange[], isBuilt: (key: string) => boolean): Work<Readonly<Record<string, unknown>>> {
  const built: [string, unknown][] = [];
  for (const range of ranges) {
    const key = keyOf(text, range);
    const value = text.subarray(range.colon + 1, range.to);
    if (isBuilt(key)) built.push([key, yield* parsedText(value)]);
    else yield* checkJson(value);
  }
  return Object.fromEntries(built);
}

function keyOf(text: Uint8Array, { from, colon, to }: MemberRange): string {
  const key: unknown = JSON.parse(textOf(text.subarray(from, colon < 0 ? to : colon)));
  if (colon < 0 || typeof key !== "string") throw new SyntaxError("Expected a key and a value in JSON");
  return key;
}

/** @param declared undefined: it is not known which */
function* variablesIn(text: Uint8Array, declared: ReadonlySet<string> | undefined, bounds: Bounds): Work<unknown> {
  const { members } = declared ? yield* measured(text, bounds) : { members: undefined };
  if (members === undefined || declared === undefined) return yield* parsedText(text);
  return yield* membersOf(text, members, (name) => declared.has(name));
}

/** The names that stand behind a `$` in the document, more than it declares at most. Undefined: that does not show. */
function declaredIn(query: unknown): ReadonlySet<string> | undefined {
  if (typeof query !== "string" || query === "" || query.length > maxReadDocument || /\$(?![_A-Za-z])/.test(query)) return undefined;
  return new Set(Array.from(query.matchAll(/\$(\w+)/g), ([, name = ""]) => name));
}

function parsedText(text: Uint8Array): Work<unknown> {
  return wait(parseJsonInTurns(textOf(text)));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
