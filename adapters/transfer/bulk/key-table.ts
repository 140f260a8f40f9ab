// The keys of one type that a load has met, each with the node that has it.

import type { Key, NodeType, Snapshot, Uid, Value } from "../../../core/plugin.ts";
import { findKeys } from "./find-keys.ts";
import { TextTable } from "./text-table.ts";
import { UintColumn } from "./uint-column.ts";

/** Keys that are looked up at once. */
const keysAtOnce = 1_000;
const lowScale = 2 ** 32;
const mapEntryBytes = 64;

export class KeyTable {
  readonly type: NodeType;
  readonly key: Key;
  readonly #texts = new TextTable();
  /** By the number of the key; 0: not known. */
  readonly #low = new UintColumn();
  /** What uids have above 32 bits: in the largest stores. */
  readonly #high = new Map<number, number>();
  /** Keys that are not texts, by number, as long as no node is known. */
  readonly #values = new Map<number, Value>();

  constructor(type: NodeType, key: Key) {
    this.type = type;
    this.key = key;
  }

  /** In memory, roughly. */
  get bytes(): number {
    return this.#texts.bytes + this.#low.length * 4 + this.#high.size * mapEntryBytes;
  }

  /** The number of a key. Numbers ascend from 0. */
  numberOf(key: Value): number {
    const number = this.#texts.numberOf(String(key));
    if (number < this.#low.length) return number;
    this.#low.push(0);
    if (typeof key !== "string") this.#values.set(number, key);
    return number;
  }

  created(key: Value, uid: Uid): void {
    const number = this.numberOf(key);
    this.#setUid(number, uid);
    this.#values.delete(number);
  }

  #setUid(number: number, uid: Uid): void {
    this.#low.set(number, uid % lowScale);
    if (uid >= lowScale) this.#high.set(number, Math.floor(uid / lowScale));
  }

  /** 0: no node has the key. */
  uidOf(number: number): Uid {
    const low = this.#low.at(number);
    return this.#high.size === 0 ? low : (this.#high.get(number) ?? 0) * lowScale + low;
  }

  /** Looks up the nodes that were there before. */
  async findMissing(snapshot: () => Snapshot): Promise<void> {
    let some: number[] = [];
    for (let number = 0; number < this.#low.length; number++) {
      if (this.uidOf(number) !== 0) continue;
      some.push(number);
      if (some.length < keysAtOnce) continue;
      await this.#find(some, snapshot);
      some = [];
    }
    await this.#find(some, snapshot);
    this.#values.clear();
  }

  async #find(numbers: readonly number[], snapshot: () => Snapshot): Promise<void> {
    if (numbers.length === 0) return;
    const keys = new Map(numbers.map((number) => [this.#texts.textOf(number), this.#values.get(number) ?? this.#texts.textOf(number)]));
    const opened = snapshot();
    try {
      for (const [text, uid] of await findKeys(opened, this.type, this.key, keys)) this.#setUid(this.#texts.numberOf(text), uid);
    } finally {
      opened.close();
    }
  }
}
