// A store in memory: the least that the toolkit needs, and a way to make writing fail.

import type { KeyRange, OrderedStore, StoreCursor, StoreOperation, StoreView } from "../../../adapters/ordered/index.ts";
import { compareText } from "../../../core/index.ts";

type Cells = ReadonlyMap<string, Uint8Array>;

class MemoryView implements StoreView {
  readonly cells: Cells;

  constructor(cells: Cells) {
    this.cells = cells;
  }

  close(): void {}
}

export class MemoryStore implements OrderedStore {
  readonly name = "memory";
  /** Called before each batch; may throw or wait. */
  beforeBatch: (operations: readonly StoreOperation[]) => void | Promise<void> = () => undefined;
  /** Called when a batch is in the store and nobody knows yet; may throw. */
  afterBatch: () => void = () => undefined;
  syncs = 0;
  #cells = new Map<string, Uint8Array>();
  #shared = false;

  get size(): number {
    return this.#cells.size;
  }

  /** The store as a kill would leave it now. */
  copy(): MemoryStore {
    const copy = new MemoryStore();
    copy.take(this);
    return copy;
  }

  /** Takes over what another store holds now. */
  take(other: MemoryStore): void {
    this.#cells = new Map(other.#cells);
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  #at(view: StoreView | undefined): Cells {
    return view instanceof MemoryView ? view.cells : this.#cells;
  }

  getSync(key: string, view?: StoreView): Uint8Array | undefined {
    return this.#at(view).get(key);
  }

  async getMany(keys: readonly string[], view?: StoreView): Promise<(Uint8Array | undefined)[]> {
    const cells = this.#at(view);
    return keys.map((key) => cells.get(key));
  }

  async batch(operations: readonly StoreOperation[], { sync }: { readonly sync: boolean }): Promise<void> {
    await this.beforeBatch(operations);
    // As any real store, it lets others run: promises alone would starve timers.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#shared) this.#cells = new Map(this.#cells);
    this.#shared = false;
    for (const operation of operations) {
      // A store keeps bytes of its own: what is handed over may lie in a pool.
      if (operation.type === "put") this.#cells.set(operation.key, Uint8Array.from(operation.value));
      else this.#cells.delete(operation.key);
    }
    this.afterBatch();
    if (sync) this.syncs++;
  }

  cursor({ from, to }: KeyRange, view?: StoreView): StoreCursor {
    const cells = this.#at(view);
    const entries = [...cells].filter(([key]) => compareText(key, from) >= 0 && compareText(key, to) < 0).sort(([a], [b]) => compareText(a, b));
    let at = 0;
    return {
      async next(count) {
        at += count;
        return entries.slice(at - count, at);
      },
      async close() {},
    };
  }

  view(): StoreView {
    this.#shared = true;
    return new MemoryView(this.#cells);
  }

  async approximateSize({ from, to }: KeyRange): Promise<number> {
    let bytes = 0;
    for (const [key, value] of this.#cells) if (key >= from && key < to) bytes += key.length + value.length;
    return bytes;
  }
}
