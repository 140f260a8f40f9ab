// The store as another thread of the process reads it: the binding shares one LevelDB between them.

import { resolve } from "node:path";
import { Level } from "level";
import { QuernError } from "../../core/storage.ts";
import type { OrderedStore } from "../ordered/index.ts";
import { LevelReads } from "./level-reads.ts";
import { storeError } from "./store-error.ts";

/** The thread that writes guards the folder, verifies its files and ends after the others. */
export class LevelFollower extends LevelReads implements OrderedStore {
  readonly name = "level";
  readonly folder: string;
  #db: Level<string, Uint8Array> | undefined;

  constructor(path: string) {
    super();
    this.folder = path;
  }

  async open(): Promise<void> {
    try {
      const db = new Level<string, Uint8Array>(resolve(this.folder), { keyEncoding: "utf8", valueEncoding: "view" });
      await db.open({ createIfMissing: false, multithreading: true });
      this.#db = db;
    } catch (cause) {
      throw storeError(this.folder, cause);
    }
  }

  async close(): Promise<void> {
    const db = this.#db;
    this.#db = undefined;
    await db?.close();
  }

  async batch(): Promise<never> {
    throw new QuernError("STORE_UNAVAILABLE", "this thread only reads the store");
  }

  protected override get db(): Level<string, Uint8Array> {
    if (this.#db === undefined) throw storeError(this.folder, undefined);
    return this.#db;
  }
}
