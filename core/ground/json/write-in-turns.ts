// Writes a long JSON text without holding the event loop.

import { QuernError } from "../errors.ts";
import { run, type Work } from "../work.ts";
import { LongTextWriter } from "./long-text.ts";
import { jsonText, writeJson } from "./write-json.ts";

/** Members between two looks at the clock and at the length. */
const stride = 256;

/**
 * The text that `writeJson` gives, as UTF-8 in pieces of about 64 KiB. It takes a few milliseconds in each turn of the event loop.
 *
 * @param maxBytes the length from which the text is refused
 * @throws QuernError `LIMIT_REACHED`: the text is longer
 */
export async function writeJsonInTurns(value: unknown, maxBytes: number): Promise<readonly Uint8Array[]> {
  const text = new LongTextWriter();
  await run(bounded(write(value, text), () => text.bytes <= maxBytes || refuse(maxBytes)));
  return text.finished().pieces;
}

function refuse(maxBytes: number): never {
  throw new QuernError("LIMIT_REACHED", `The answer is longer than ${maxBytes} bytes (limits.maxAnswerBytes). Ask for less, or page by page.`);
}

/** Calls `check` at each pause. */
function* bounded(work: Work<void>, check: () => void): Work<void> {
  for (const pause of work) {
    check();
    yield pause;
  }
}

function* write(value: unknown, text: LongTextWriter): Work<void> {
  if (Array.isArray(value)) yield* writeArray(value, text);
  else if (isPlainObject(value)) yield* writeObject(value, text);
  else text.add(writeJson(value));
}

function* writeArray(elements: readonly unknown[], text: LongTextWriter): Work<void> {
  text.add("[");
  for (const [i, element] of elements.entries()) {
    if (i > 0) text.add(",");
    if (isContainer(element)) yield* write(element, text);
    else text.add(writeJson(element));
    if (i % stride === stride - 1) yield;
  }
  text.add("]");
}

function* writeObject(object: object, text: LongTextWriter): Work<void> {
  let written = 0;
  text.add("{");
  for (const [key, member] of Object.entries(object)) {
    const isLong = isContainer(member);
    const own = isLong ? "" : jsonText(member);
    if (own === undefined) continue;
    text.add(`${written === 0 ? "" : ","}${JSON.stringify(key)}:${own}`);
    if (isLong) yield* write(member, text);
    if (++written % stride === 0) yield;
  }
  text.add("}");
  yield;
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isPlainObject(value);
}

/** An object that `JSON.stringify` writes member by member. */
function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !("toJSON" in value);
}
