// A storage on LMDB. Everything a graph needs is the toolkit's; here is only what LMDB does for an ordered key/value store.

import { mkdirSync } from "node:fs";
import { open, type RootDatabase, type Transaction } from "lmdb";
import { type KeyRange, type OrderedStore, orderedStorage, type StoreCursor, type StoreOperation, type StoreView } from "quern/adapters/ordered";
import { QuernError, type Storage } from "quern/storage";
import { FolderLock } from "./folder-lock.ts";

export interface LmdbStorageOptions {
  /** The folder. Made when it is not there. */
  readonly path: string;
}

export function lmdbStorage({ path }: LmdbStorageOptions): Storage {
  return orderedStorage(new LmdbStore(path));
}

/** LMDB's own snapshots: a read transaction each. */
class LmdbView implements StoreView {
  readonly transaction: Transaction;

  constructor(transaction: Transaction) {
    this.transaction = transaction;
  }

  close(): void {
    this.transaction.done();
  }
}

export class LmdbStore implements OrderedStore {
  readonly name = "lmdb";
  readonly #path: string;
  readonly #lock: FolderLock;
  #opened: RootDatabase<Buffer, Buffer> | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#lock = new FolderLock(path);
  }

  async open(): Promise<void> {
    try {
      mkdirSync(this.#path, { recursive: true });
      this.#lock.take();
      this.#opened = open<Buffer, Buffer>({ path: `${this.#path}/data.mdb`, encoding: "binary", keyEncoding: "binary", maxReaders: 1_024 });
    } catch (cause) {
      if (cause instanceof QuernError) throw cause;
      throw new QuernError("STORE_UNAVAILABLE", `the data folder ${this.#path} cannot be opened`, {
        cause,
        hint: "Check that this user may write there.",
      });
    }
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = undefined;
    this.#lock.release();
  }

  getSync(key: string, view?: StoreView): Uint8Array | undefined {
    return this.#database.get(Buffer.from(key), within(view));
  }

  async getMany(keys: readonly string[], view?: StoreView): Promise<(Uint8Array | undefined)[]> {
    return keys.map((key) => this.getSync(key, view));
  }

  /** One transaction of LMDB. It is committed when it resolves, and on the disk when `flushed` does. */
  async batch(operations: readonly StoreOperation[], { sync }: { readonly sync: boolean }): Promise<void> {
    const database = this.#database;
    await database.transaction(() => {
      for (const operation of operations) {
        if (operation.type === "put") database.put(Buffer.from(operation.key), Buffer.from(operation.value));
        else database.remove(Buffer.from(operation.key));
      }
    });
    if (sync) await database.flushed;
  }

  cursor({ from, to }: KeyRange, view?: StoreView): StoreCursor {
    const range = this.#database.getRange({ start: Buffer.from(from), end: Buffer.from(to), ...within(view) });
    const entries = range[Symbol.iterator]();
    return {
      next: async (count) => {
        const next: [string, Uint8Array][] = [];
        for (let entry = entries.next(); !entry.done; entry = entries.next()) {
          next.push([entry.value.key.toString(), entry.value.value]);
          if (next.length === count) break;
        }
        return next;
      },
      close: async () => void entries.return?.(),
    };
  }

  view(): StoreView {
    return new LmdbView(this.#database.useReadTransaction());
  }

  async approximateSize(): Promise<number> {
    return 0;
  }

  get #database(): RootDatabase<Buffer, Buffer> {
    if (this.#opened === undefined) throw new QuernError("STORE_CLOSED", `the data folder ${this.#path} is closed`);
    return this.#opened;
  }
}

function within(view: StoreView | undefined): { transaction?: Transaction } {
  return view instanceof LmdbView ? { transaction: view.transaction } : {};
}
