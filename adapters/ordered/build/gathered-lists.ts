// Entries of a compound index over a number, as far as a build holds them: each list once, with a number. A text for each entry, which holds the list and the
// number, would be a table of as many texts as there are nodes.

import type { Uid } from "../../../core/storage.ts";
import { compareSortKeys } from "../structures/sort-keys.ts";
import { type EntriesOfKeys, GatheredEntries } from "./gathered-entries.ts";
import { blockGroups, type KeyGroup, keyWeight, noGroups, type Run, sortedKeys } from "./key-group.ts";

export class GatheredLists {
  readonly #numbers = new Map<string, number>();
  readonly #entries = new GatheredEntries({ valued: true });

  /** @param value NaN: none */
  add(list: string, uid: Uid, value: number): void {
    let number = this.#numbers.get(list);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(list, number);
    }
    this.#entries.add(number, uid, value);
  }

  get count(): number {
    return this.#entries.count;
  }

  get weight(): number {
    return this.#entries.count * 2 + this.#numbers.size * keyWeight;
  }

  *runs(): Generator<Run> {
    const steps = this.#entries.grouped();
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield noGroups();
    const entriesOf = step.value;
    let lists: NumberedList[] = [];
    for (const [key, number] of this.#numbers) {
      lists.push({ key, number });
      if (lists.length < sortedKeys) continue;
      yield sortedRun(lists, entriesOf);
      lists = [];
    }
    yield sortedRun(lists, entriesOf);
  }
}

interface NumberedList {
  readonly key: string;
  readonly number: number;
}

function* sortedRun(lists: NumberedList[], entriesOf: EntriesOfKeys): Generator<readonly KeyGroup[]> {
  lists.sort((a, b) => compareSortKeys(a.key, b.key));
  for (let start = 0; start < lists.length; start += blockGroups) {
    yield lists.slice(start, start + blockGroups).map(({ key, number }) => ({ key, ...entriesOf(number) }));
  }
}
