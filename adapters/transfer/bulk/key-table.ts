// The keys of one type that a load has met, each with the node that has it.

import type { Key, NodeType, Snapshot, Uid, Value } from "../../../core/plugin.ts";
import { findKeys } from "./find-keys.ts";

/** Keys that are looked up at once. */
const keysAtOnce = 1_000;

export class KeyTable {
  readonly type: NodeType;
  readonly key: Key;
  readonly #numbers = new Map<string, number>();
  /** By the number of the key; 0: not known. */
  readonly #uids: Uid[] = [];
  /** Keys without a node so far, by number. */
  readonly #missing = new Map<number, Value>();

  constructor(type: NodeType, key: Key) {
    this.type = type;
    this.key = key;
  }

  get size(): number {
    return this.#uids.length;
  }

  /** The number of a key. Numbers ascend from 0. */
  numberOf(key: Value): number {
    const text = String(key);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#add(text, 0);
    this.#missing.set(number, key);
    return number;
  }

  #add(text: string, uid: Uid): number {
    const number = this.#uids.length;
    this.#numbers.set(text, number);
    this.#uids.push(uid);
    return number;
  }

  created(key: Value, uid: Uid): void {
    const text = String(key);
    const number = this.#numbers.get(text);
    if (number === undefined) {
      this.#add(text, uid);
      return;
    }
    this.#uids[number] = uid;
    this.#missing.delete(number);
  }

  /** 0: no node has the key. */
  uidOf(number: number): Uid {
    return this.#uids[number] ?? 0;
  }

  /** Looks up the nodes that were there before. */
  async findMissing(snapshot: () => Snapshot): Promise<void> {
    const missing = [...this.#missing];
    for (let start = 0; start < missing.length; start += keysAtOnce) {
      const some = missing.slice(start, start + keysAtOnce);
      const opened = snapshot();
      try {
        const holders = await findKeys(opened, this.type, this.key, new Map(some.map(([, key]) => [String(key), key])));
        for (const [number, key] of some) this.#uids[number] = holders.get(String(key)) ?? 0;
      } finally {
        opened.close();
      }
    }
    this.#missing.clear();
  }
}
