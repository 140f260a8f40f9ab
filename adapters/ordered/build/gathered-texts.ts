// Entries under texts and other keys of which many come again, as far as a build holds them: each key once, with a number.

import type { Uid } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import { compareSortKeys, type SortKey } from "../structures/sort-keys.ts";
import { ascending } from "../write/additions.ts";
import { type EntriesOfKeys, GatheredEntries } from "./gathered-entries.ts";
import { blockGroups, type KeyGroup, keyWeight, noGroups, type Run, sortedKeys } from "./key-group.ts";

export interface GatheredTextsOptions {
  /** Keys become the stored names of lists. */
  readonly isNamed: boolean;
}

export class GatheredTexts {
  readonly #options: GatheredTextsOptions;
  readonly #numbers = new Map<SortKey, number>();
  readonly #entries = new GatheredEntries({ valued: false });

  constructor(options: GatheredTextsOptions) {
    this.#options = options;
  }

  add(key: SortKey, uid: Uid): void {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(key, number);
    }
    this.#entries.add(number, uid);
  }

  get count(): number {
    return this.#entries.count;
  }

  get weight(): number {
    return this.#entries.count + this.#numbers.size * keyWeight;
  }

  *runs(): Generator<Run> {
    const nameOf = this.#options.isNamed ? (key: SortKey) => boundedText(String(key)) : (key: SortKey) => key;
    const steps = this.#entries.grouped();
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield noGroups();
    const entriesOf = step.value;
    let keys: NumberedKey[] = [];
    for (const [key, number] of this.#numbers) {
      keys.push({ key: nameOf(key), number });
      if (keys.length < sortedKeys) continue;
      yield sortedRun(keys, entriesOf);
      keys = [];
    }
    yield sortedRun(keys, entriesOf);
  }
}

interface NumberedKey {
  readonly key: SortKey;
  readonly number: number;
}

function* sortedRun(keys: NumberedKey[], entriesOf: EntriesOfKeys): Generator<readonly KeyGroup[]> {
  keys.sort((a, b) => compareSortKeys(a.key, b.key));
  for (let start = 0; start < keys.length; start += blockGroups) {
    yield keys.slice(start, start + blockGroups).map(({ key, number }) => ({ key, uids: ascending(entriesOf(number).uids) }));
  }
}
