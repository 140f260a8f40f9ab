// What the toolkit asks of a store, by `memory-level`: a sorted tree whose versions share what they have in common.

import { setImmediate } from "node:timers/promises";
import type { AbstractSnapshot } from "abstract-level";
import { MemoryLevel } from "memory-level";
import type { KeyRange, OrderedStore, StoreCursor, StoreOperation, StoreView } from "../ordered/index.ts";

class MemoryView implements StoreView {
  readonly snapshot: AbstractSnapshot;

  constructor(snapshot: AbstractSnapshot) {
    this.snapshot = snapshot;
  }

  close(): void {
    // Closes at once; only its promise comes later.
    void this.snapshot.close();
  }
}

/** Nothing survives the process. A closed store keeps its data and can be opened again. */
export class MemoryStore implements OrderedStore {
  readonly name = "memory";
  // Keys are kept as bytes: texts would order by UTF-16 units.
  readonly #db = new MemoryLevel<string, Uint8Array>({ keyEncoding: "utf8", valueEncoding: "view" });

  async open(): Promise<void> {
    await this.#db.open();
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  getSync(key: string, view?: StoreView): Uint8Array | undefined {
    return this.#db.getSync(key, seenBy(view));
  }

  async getMany(keys: readonly string[], view?: StoreView): Promise<readonly (Uint8Array | undefined)[]> {
    return await this.#db.getMany([...keys], seenBy(view));
  }

  async batch(operations: readonly StoreOperation[]): Promise<void> {
    // The store keeps the bytes that it is given. (`slice` of a `Buffer` would copy nothing.)
    await this.#db.batch(operations.map((each) => (each.type === "put" ? { ...each, value: Uint8Array.from(each.value) } : each)));
    await setImmediate();
  }

  cursor({ from, to }: KeyRange, view?: StoreView): StoreCursor {
    const entries = this.#db.iterator({ gte: from, lt: to, ...seenBy(view) });
    return { next: (count) => entries.nextv(count), close: () => entries.close() };
  }

  view(): StoreView {
    return new MemoryView(this.#db.snapshot());
  }

  /** Of keys and values, without what the tree takes. */
  async approximateSize({ from, to }: KeyRange): Promise<number> {
    let bytes = 0;
    for await (const [key, value] of this.#db.iterator({ gte: from, lt: to })) bytes += Buffer.byteLength(key) + value.byteLength;
    return bytes;
  }
}

function seenBy(view: StoreView | undefined): { readonly snapshot?: AbstractSnapshot } {
  return view instanceof MemoryView ? { snapshot: view.snapshot } : {};
}
