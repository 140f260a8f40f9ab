// Reads of an open LevelDB: the same on the thread that writes and on those that read along.

import type { AbstractIterator, AbstractSnapshot } from "abstract-level";
import type { Level } from "level";
import type { KeyRange, StoreCursor, StoreView } from "../ordered/index.ts";
import { readError } from "./store-error.ts";

/** The encodings are named: otherwise `getSync` copies its options at each call to name them. */
interface ReadOptions {
  readonly snapshot: AbstractSnapshot;
  readonly keyEncoding: "utf8";
  readonly valueEncoding: "view";
}

/** A view keeps LevelDB's snapshot to itself. */
class LevelView implements StoreView {
  readonly options: ReadOptions;

  constructor(snapshot: AbstractSnapshot) {
    this.options = { snapshot, keyEncoding: "utf8", valueEncoding: "view" };
  }

  close(): void {
    // Closes at once; only its promise comes later.
    void this.options.snapshot.close();
  }
}

/** The reading methods of `OrderedStore`. */
export abstract class LevelReads {
  /** @throws QuernError while the store is not open, or is damaged */
  protected abstract get db(): Level<string, Uint8Array>;

  getSync(key: string, view?: StoreView): Uint8Array | undefined {
    try {
      return view instanceof LevelView ? this.db.getSync(key, view.options) : this.db.getSync(key);
    } catch (cause) {
      throw readError(cause);
    }
  }

  async getMany(keys: readonly string[], view?: StoreView): Promise<(Uint8Array | undefined)[]> {
    try {
      return await this.db.getMany([...keys], view instanceof LevelView ? view.options : {});
    } catch (cause) {
      throw readError(cause);
    }
  }

  cursor({ from, to }: KeyRange, view?: StoreView): StoreCursor {
    return new LevelCursor(this.db.iterator({ gte: from, lt: to, fillCache: false, ...(view instanceof LevelView && view.options) }));
  }

  view(): StoreView {
    return new LevelView(this.db.snapshot());
  }

  async approximateSize({ from, to }: KeyRange): Promise<number> {
    const db = this.db;
    return isSized(db) ? await db.approximateSize(from, to) : 0;
  }
}

/** What LevelDB itself can, and the types of `level` leave out because browsers cannot. */
interface Sized {
  approximateSize(from: string, to: string): Promise<number>;
}

function isSized(db: object): db is Sized {
  return "approximateSize" in db;
}

class LevelCursor implements StoreCursor {
  readonly #iterator: AbstractIterator<Level<string, Uint8Array>, string, Uint8Array>;

  constructor(iterator: AbstractIterator<Level<string, Uint8Array>, string, Uint8Array>) {
    this.#iterator = iterator;
  }

  async next(count: number): Promise<[string, Uint8Array][]> {
    try {
      return await this.#iterator.nextv(count);
    } catch (cause) {
      throw readError(cause);
    }
  }

  close(): Promise<void> {
    return this.#iterator.close();
  }
}
