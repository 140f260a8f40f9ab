// A storage that forgets everything with its process: for tests, demos and caches. A sorted map whose copies cost nothing is all it takes.

import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import { type KeyRange, type OrderedStore, orderedStorage, type StoreCursor, type StoreOperation, type StoreView } from "quern/adapters/ordered";
import { compareText, type Storage } from "quern/storage";
import type SortedTree from "sorted-btree";

// CommonJS with a default: loaders do not agree on what importing it gives.
const { default: BTree }: typeof SortedTree = createRequire(import.meta.url)("sorted-btree");
type Tree = SortedTree.default<string, Uint8Array>;

/** What one store holds, and goes on holding between `close` and `open`. */
export function memoryStorage(): Storage {
  return orderedStorage(new MemoryStore());
}

class MemoryView implements StoreView {
  readonly tree: Tree;

  constructor(tree: Tree) {
    this.tree = tree;
  }

  close(): void {}
}

export class MemoryStore implements OrderedStore {
  readonly name = "memory";
  readonly #newest: Tree = new BTree<string, Uint8Array>(undefined, compareText);

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  getSync(key: string, view?: StoreView): Uint8Array | undefined {
    return this.#tree(view).get(key);
  }

  async getMany(keys: readonly string[], view?: StoreView): Promise<(Uint8Array | undefined)[]> {
    const tree = this.#tree(view);
    return keys.map((key) => tree.get(key));
  }

  async batch(operations: readonly StoreOperation[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === "put") this.#newest.set(operation.key, Uint8Array.from(operation.value));
      else this.#newest.delete(operation.key);
    }
    await setImmediate();
  }

  cursor({ from, to }: KeyRange, view?: StoreView): StoreCursor {
    const entries = this.#tree(view).getRange(from, to);
    let read = 0;
    return {
      next: async (count) => {
        const next = entries.slice(read, read + count);
        read += count;
        return next;
      },
      close: async () => {},
    };
  }

  /** The copy shares every page with the original until one of them changes it. */
  view(): StoreView {
    return new MemoryView(this.#newest.clone());
  }

  async approximateSize({ from, to }: KeyRange): Promise<number> {
    let bytes = 0;
    this.#newest.forRange(from, to, false, (key, value) => {
      bytes += key.length + value.byteLength;
    });
    return bytes;
  }

  #tree(view: StoreView | undefined): Tree {
    return view instanceof MemoryView ? view.tree : this.#newest;
  }
}
