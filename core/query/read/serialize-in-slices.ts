// Large answers are written level by level from below, one turn of a few milliseconds at a time, so that other requests run between. The text of
// the root is kept in pieces, so that it is counted while it grows and sent without a copy of the whole.

import { type JsonText, LongText, LongTextWriter } from "../../ground/json/long-text.ts";
import { mappedBytes } from "../../ground/json/mapped-bytes.ts";
import type { Work } from "../../ground/work.ts";
import type { Rows, Texts } from "../level/rows.ts";
import type { OutputNullability } from "../level/shapes.ts";
import type { OperationBudget } from "../operation-context.ts";
import { flat, LinkRows } from "../steps/link.ts";
import { Completion } from "./complete.ts";

/** Levels of fewer members of objects, and links of fewer list items, are written in one go: a millisecond of work. */
const manyMembers = 16_384;
const manyItems = 4_096;
/** Characters of a long text that become one piece. */
const pieceLength = 64 * 1024;

interface Root {
  readonly rows: Rows;
  readonly type: OutputNullability;
  /** The row of each item, -1 for null. Undefined: every row once. */
  readonly places?: readonly number[] | undefined;
  readonly budget: OperationBudget;
}

/** Whether the text of a root field is long work. */
export function isLong({ rows, places }: Pick<Root, "rows" | "places">): boolean {
  return (places !== undefined && places.length > manyItems) || isLarge(rows);
}

/** The text of a root field whose text is long work; undefined when an error makes it null. */
export function* writeRoot(completion: Completion, root: Root): Work<JsonText | undefined> {
  const { rows, type } = root;
  yield* fillLinks(rows, root.budget);
  return type.list ? yield* writeList(completion, root) : yield* writeSingle(completion, root);
}

/** Texts of the rows' objects where they are many, else none: `Completion` writes what is not there. At once for ordinary answers. */
export function* writeAhead(rows: Rows, budget: OperationBudget): Work<Texts> {
  const texts: Texts = [];
  if (isLarge(rows)) yield* fill(texts, rows, budget);
  return texts;
}

function isLarge({ batch, bound, steps }: Rows): boolean {
  if (batch.uids.length * bound.level.width > manyMembers) return true;
  for (const { rows } of steps) if (rows instanceof LinkRows && (rows.items > manyItems || isLarge(rows.rows))) return true;
  return false;
}

function* writeList(completion: Completion, { rows, type, places, budget }: Root): Work<JsonText | undefined> {
  const text = new LongTextWriter();
  let counted = 0;
  const count = places?.length ?? rows.batch.uids.length;
  for (let place = 0; place < count; place++) {
    const item = completion.item(rows, { row: places ? (places[place] ?? -1) : place, place });
    if (item === undefined && type.itemNonNull) return type.nonNull ? undefined : "null";
    text.add(`${place === 0 ? "[" : ","}${item ?? "null"}`);
    if (text.bytes > counted) {
      budget.answered(text.bytes - counted);
      counted = text.bytes;
    }
    if (budget.isTurnOver) yield;
  }
  text.add(count === 0 ? "[]" : "]");
  const written = text.finished();
  budget.answered(written.bytes - counted);
  return written;
}

function* writeSingle(completion: Completion, { rows, type, budget }: Root): Work<JsonText | undefined> {
  yield;
  const text = completion.root(rows, { type, places: undefined });
  return text === undefined ? undefined : yield* inPieces(text, budget);
}

function* inPieces(text: string, budget: OperationBudget): Work<JsonText> {
  if (text.length <= pieceLength) return text;
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + pieceLength);
    const piece = mappedBytes(text.slice(from, to));
    budget.answered(piece.byteLength);
    pieces.push(piece);
    from = to;
    yield;
  }
  return new LongText(pieces);
}

function* fillLinks({ steps }: Rows, budget: OperationBudget): Work<void> {
  for (const { rows: link } of steps) {
    if (!(link instanceof LinkRows)) continue;
    const isLong = link.items > manyItems;
    if (isLong || isLarge(link.rows)) yield* fill(link.texts, link.rows, budget);
    if (isLong) yield* link.join(budget);
  }
}

/** Writes the objects of a level, and forgets the texts below, which theirs contain. */
function* fill(texts: Texts, rows: Rows, budget: OperationBudget): Work<void> {
  yield* fillLinks(rows, budget);
  const count = rows.batch.uids.length;
  const completion = new Completion("", budget);
  let isWhole = true;
  let length = 0;
  for (let row = 0; row < count; row++) {
    const text = completion.ahead(rows, row);
    texts[row] = text === undefined ? undefined : flat(text);
    if (text === undefined) isWhole = false;
    else length += text.length;
    // Each object of a level is in the answer at least once.
    if (length > budget.room) budget.answered(length);
    if (budget.isTurnOver) yield;
  }
  if (isWhole) for (const { rows: link } of rows.steps) if (link instanceof LinkRows) link.forget();
}

/** No piece ends inside a pair of surrogates. */
function endOfPiece(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end + 1 : end;
}
