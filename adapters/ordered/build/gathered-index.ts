// The entries of an index that is being built, as far as they fit in memory.

import type { Uid, Work } from "../../../core/storage.ts";
import type { IndexRuntime } from "../layout/layout-runtime.ts";
import { formOf } from "../structures/index-blocks.ts";
import type { NodeRecord } from "../structures/records.ts";
import { compoundEntryOf, eachEntry } from "../write/entries.ts";
import { GatheredLists } from "./gathered-lists.ts";
import { GatheredNumbers } from "./gathered-numbers.ts";
import { GatheredTexts } from "./gathered-texts.ts";
import type { Run } from "./key-group.ts";

export class GatheredIndex {
  readonly index: IndexRuntime;
  /** Entries that were taken. */
  #taken = 0;
  #gathering: Gathering;

  constructor(index: IndexRuntime) {
    this.index = index;
    this.#gathering = gatheringOf(index);
  }

  /** @returns what is left to do for a long value */
  add(uid: Uid, record: NodeRecord): Work<void> | undefined {
    return this.#gathering.add(uid, record);
  }

  /** How many entries were gathered in all. */
  get entries(): number {
    return this.#taken + this.#gathering.held.count;
  }

  /** How much lies in memory, counted in uids. */
  get weight(): number {
    return this.#gathering.held.weight;
  }

  get isEmpty(): boolean {
    return this.#gathering.held.count === 0;
  }

  /** So many entries lie in runs of before. */
  resume(entries: number): void {
    this.#taken = entries;
  }

  /** Everything that was gathered up to this call, as small sorted runs; begins anew. Runs without entries stand between steps that take a while. */
  take(): Generator<Run> {
    const { held } = this.#gathering;
    this.#taken += held.count;
    this.#gathering = gatheringOf(this.index);
    return held.runs();
  }
}

interface Held {
  readonly count: number;
  readonly weight: number;
  /** Nothing is added afterwards. */
  runs(): Generator<Run>;
}

interface Gathering {
  readonly held: Held;
  add(uid: Uid, record: NodeRecord): Work<void> | undefined;
}

function gatheringOf(index: IndexRuntime): Gathering {
  if ((index.by === "ordered" || index.by === "compound") && formOf(index.field.kind) === "number") {
    return index.by === "compound" ? listsOf(index) : numbersOf(index);
  }
  const isNamed = index.by === "value" || index.by === "tokens";
  const held = new GatheredTexts({ isNamed });
  return { held, add: (uid, record) => eachEntry(index, record, (key) => held.add(key, uid)) };
}

function numbersOf(index: IndexRuntime): Gathering {
  const held = new GatheredNumbers();
  return { held, add: (uid, record) => eachEntry(index, record, (key) => held.add(Number(key), uid)) };
}

function listsOf(index: Extract<IndexRuntime, { readonly by: "compound" }>): Gathering {
  const held = new GatheredLists();
  return {
    held,
    add(uid, record) {
      const entry = compoundEntryOf(index, record);
      if (entry !== undefined) held.add(entry.list, uid, entry.key === undefined ? Number.NaN : Number(entry.key));
      return undefined;
    },
  };
}
