// Large answers are written level by level from below, one turn of a few milliseconds at a time, so that other requests run between. The text of
// the root is kept in pieces, so that it is counted while it grows and sent without a copy of the whole.

import { type JsonText, LongText, LongTextWriter } from "../../ground/json/long-text.ts";
import { mappedBytes } from "../../ground/json/mapped-bytes.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { OperationBudget } from "../operation-context.ts";
import type { OutputNullability } from "../plan/selection.ts";
import { Completion } from "./complete.ts";
import type { LinkRows, Rows, Texts } from "./rows.ts";

/** Levels of fewer members of objects, and links of fewer list items, are written in one go: a millisecond of work. */
const manyMembers = 16_384;
const manyItems = 4_096;
/** Lists of a link that are longer are written by themselves, so that the object around them is short work. */
const longList = 1_024;
/** Items between two looks at the clock. */
const stride = 64;
/** Characters of a long text that become one piece. */
const pieceLength = 64 * 1024;

interface Root {
  readonly rows: Rows;
  readonly type: OutputNullability;
  /** The row of each item, -1 for null. Undefined: every row once. */
  readonly places?: readonly number[] | undefined;
  readonly budget: OperationBudget;
}

/** The text of a root field; undefined when an error makes it null. At once for ordinary answers. */
export function writeRoot(completion: Completion, root: Root): MaybePromise<JsonText | undefined> {
  const { rows, type, places, budget } = root;
  if (!isLarge(rows) && (places === undefined || places.length <= manyItems)) return completion.root(rows, { type, places });
  const writer = new Writer(budget);
  return type.list ? writer.writeList(completion, root) : writer.writeSingle(completion, root);
}

/** Texts of the rows' objects where they are many, else none: `Completion` writes what is not there. At once for ordinary answers. */
export function serializeInSlices(rows: Rows, budget: OperationBudget): MaybePromise<Texts> {
  return isLarge(rows) ? new Writer(budget).writeLevels(rows) : [];
}

function isLarge({ batch, bound, links }: Rows): boolean {
  if (batch.uids.length * bound.level.width > manyMembers) return true;
  for (const link of links) if (hasManyItems(link) || isLarge(link.rows)) return true;
  return false;
}

function hasManyItems(link: LinkRows): boolean {
  return link.kind === "many" && link.partners.length > manyItems;
}

class Writer {
  readonly #budget: OperationBudget;

  constructor(budget: OperationBudget) {
    this.#budget = budget;
  }

  async writeLevels(rows: Rows): Promise<Texts> {
    const texts: Texts = [];
    await this.#fill(texts, rows);
    return texts;
  }

  async writeList(completion: Completion, { rows, type, places }: Root): Promise<JsonText | undefined> {
    await this.#fillLinks(rows);
    const text = new LongTextWriter();
    let counted = 0;
    const count = places?.length ?? rows.batch.uids.length;
    for (let place = 0; place < count; place++) {
      const item = completion.item(rows, { row: places ? (places[place] ?? -1) : place, place });
      if (item === undefined && type.itemNonNull) return type.nonNull ? undefined : "null";
      text.add(`${place === 0 ? "[" : ","}${item ?? "null"}`);
      if (text.bytes > counted) {
        this.#budget.answered(text.bytes - counted);
        counted = text.bytes;
      }
      if (this.#budget.isTurnOver) await this.#rest();
    }
    text.add(count === 0 ? "[]" : "]");
    const written = text.finished();
    this.#budget.answered(written.bytes - counted);
    return written;
  }

  async writeSingle(completion: Completion, { rows, type }: Root): Promise<JsonText | undefined> {
    await this.#fillLinks(rows);
    await this.#restIfDue();
    const text = completion.root(rows, { type, places: undefined });
    return text === undefined ? undefined : await this.#inPieces(text);
  }

  async #inPieces(text: string): Promise<JsonText> {
    if (text.length <= pieceLength) return text;
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from + pieceLength);
      const piece = mappedBytes(text.slice(from, to));
      this.#budget.answered(piece.byteLength);
      pieces.push(piece);
      from = to;
      await this.#restIfDue();
    }
    return new LongText(pieces);
  }

  async #fillLinks({ links }: Rows): Promise<void> {
    for (const link of links) {
      const isLong = hasManyItems(link);
      if (isLong || isLarge(link.rows)) await this.#fill(link.texts, link.rows);
      if (isLong && link.kind === "many") link.joined = await this.#joinLongLists(link);
    }
  }

  /** Writes the objects of a level, and forgets the texts below, which theirs contain. */
  async #fill(texts: Texts, rows: Rows): Promise<void> {
    await this.#fillLinks(rows);
    const count = rows.batch.uids.length;
    const completion = new Completion("", this.#budget);
    let isWhole = true;
    let length = 0;
    for (let row = 0; row < count; row++) {
      const text = completion.ahead(rows, row);
      texts[row] = text === undefined ? undefined : flat(text);
      if (text === undefined) isWhole = false;
      else length += text.length;
      // Each object of a level is in the answer at least once.
      if (length > this.#budget.room) this.#budget.answered(length);
      if (this.#budget.isTurnOver) await this.#rest();
    }
    if (isWhole) for (const link of rows.links) forget(link);
  }

  /** The long lists of a link that have all their items, by source. */
  async #joinLongLists({ starts, partners, texts }: Extract<LinkRows, { kind: "many" }>): Promise<ReadonlyMap<number, string>> {
    const joined = new Map<number, string>();
    for (let source = 0; source + 1 < starts.length; source++) {
      const start = starts[source] ?? 0;
      const end = starts[source + 1] ?? 0;
      if (end - start <= longList) continue;
      const text = await this.#join(partners, texts, { start, end });
      if (text !== undefined) joined.set(source, text);
    }
    return joined;
  }

  /** Undefined when an item has no text of its own. */
  async #join(
    partners: readonly number[],
    texts: Texts,
    { start, end }: { readonly start: number; readonly end: number },
  ): Promise<string | undefined> {
    let text = "[";
    for (let place = start; place < end; place++) {
      const item = texts[partners[place] ?? -1];
      if (item === undefined) return undefined;
      text += place === start ? item : `,${item}`;
      if (text.length > this.#budget.room) this.#budget.answered(text.length);
      if ((place - start) % stride === 0) await this.#restIfDue();
    }
    return flat(`${text}]`);
  }

  async #restIfDue(): Promise<void> {
    if (this.#budget.isTurnOver) await this.#rest();
  }

  /** Lets other tasks run, then checks that the client still waits. */
  async #rest(): Promise<void> {
    await this.#budget.turn();
    this.#budget.spend(0);
  }
}

function forget(link: LinkRows): void {
  link.texts.length = 0;
  if (link.kind === "many") delete link.joined;
}

/** No piece ends inside a pair of surrogates. */
function endOfPiece(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end + 1 : end;
}

/**
 * The same text without the tree of parts that V8 keeps of a concatenation, which takes several times the memory and is slow to walk later. V8
 * flattens a text that it converts to a number; a JSON text of an object or list fails at its first character.
 */
function flat(text: string): string {
  Number(text);
  return text;
}
