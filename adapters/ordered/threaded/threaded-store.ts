// The store as a thread sees it that builds indexes: it reads along, and what it writes to their structures goes to the thread that has the store open.

import type { MessagePort } from "node:worker_threads";
import type { KeyRange, OrderedStore, StoreCursor, StoreOperation, StoreView } from "../ground/store.ts";
import { rangeOf } from "../structures/registry.ts";
import { type FromIndexing, packed } from "./messages.ts";

export interface ThreadedStoreOptions {
  readonly port: MessagePort;
  /** The structures that it may write to. Everything else belongs to the other thread. */
  readonly structures: Iterable<number>;
}

export class ThreadedStore implements OrderedStore {
  readonly name: string;
  readonly folder?: string;
  readonly #store: OrderedStore;
  readonly #port: MessagePort;
  readonly #ranges: readonly KeyRange[];
  readonly #waiting: (() => void)[] = [];

  constructor(store: OrderedStore, { port, structures }: ThreadedStoreOptions) {
    this.name = store.name;
    if (store.folder !== undefined) this.folder = store.folder;
    this.#store = store;
    this.#port = port;
    this.#ranges = [...structures].map(rangeOf);
  }

  open(): Promise<void> {
    return this.#store.open();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  getSync(key: string, view?: StoreView): Uint8Array | undefined {
    return this.#store.getSync(key, view);
  }

  getMany(keys: readonly string[], view?: StoreView): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#store.getMany(keys, view);
  }

  cursor(range: KeyRange, view?: StoreView): StoreCursor {
    return this.#store.cursor(range, view);
  }

  view(): StoreView {
    return this.#store.view();
  }

  approximateSize(range: KeyRange): Promise<number> {
    return this.#store.approximateSize(range);
  }

  /** Resolves when the other thread has written it. */
  async batch(operations: readonly StoreOperation[]): Promise<void> {
    const own = operations.filter(({ key }) => this.#ranges.some(({ from, to }) => key >= from && key < to));
    if (own.length === 0) return;
    const batch = packed(own);
    const message: FromIndexing = { kind: "write", batch };
    const written = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#port.postMessage(message, [batch.values.buffer, batch.lengths.buffer]);
    await written;
  }

  /** The oldest batch is written. */
  written(): void {
    this.#waiting.shift()?.();
  }
}
