// Stores persisted queries beside the data, with bounds on number and size that hold for all servers of one store together.
// Each document is a meta entry; one index entry holds sizes and last uses.

import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { andThen, type MaybePromise, type PersistedQueryLimits } from "../../../core/index.ts";
import type { Snapshot, Transaction } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import { PersistedIndex } from "./persisted-index.ts";

/** Documents by the SHA-256 of their text. */
export interface PersistedQueries {
  /** Undefined: unknown. */
  get(hash: string): MaybePromise<string | undefined>;
  /** Stores a document that fits the limits, durably. The caller has verified `hash`. Never rejects: the client can send the document again. */
  keep(hash: string, document: string): MaybePromise<void>;
  /** Removes all documents. */
  clear(): Promise<void>;
}

export interface PersistedStoreOptions {
  readonly limits: PersistedQueryLimits;
  /** The version of the active layout. */
  readonly version: () => number;
  /** Called with the error when a document or the index could not be written. */
  readonly failed: (thrown: unknown) => void;
  /** In milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

const prefix = "persisted-query/";
const indexName = "persisted-queries";
const isHash = /^[0-9a-f]{64}$/;
const recentBytes = 8 * 2 ** 20;
/** How long a document may be served from memory after another server has evicted it. */
const recentMs = 60_000;
/** The interval at which uses are written. A crash loses only the order of recent uses. */
const marksEveryMs = 3_600_000;
const namesAtOnce = 500;

export class PersistedStore implements PersistedQueries {
  readonly #storage: Storage;
  readonly #options: Required<PersistedStoreOptions>;
  readonly #recent = new LRUCache<string, string>({
    maxSize: recentBytes,
    sizeCalculation: (document) => 2 * document.length + 200,
    ttl: recentMs,
    perf: { now: () => this.#options.now() },
  });
  /** Last uses that are not written to the index yet. */
  readonly #used = new Map<string, number>();
  readonly #keeping = new Map<string, Promise<void>>();
  #lastUse = 0;
  #markedAt: number;

  constructor(storage: Storage, options: PersistedStoreOptions) {
    this.#storage = storage;
    this.#options = { now: Date.now, ...options };
    this.#markedAt = this.#options.now();
  }

  get(hash: string): MaybePromise<string | undefined> {
    if (!isHash.test(hash)) return undefined;
    const recent = this.#recent.get(hash);
    if (recent !== undefined) return this.#usedNow(hash, recent);
    return andThen(this.#read(hash), (document) => {
      if (document === undefined) return undefined;
      this.#recent.set(hash, document);
      return this.#usedNow(hash, document);
    });
  }

  keep(hash: string, document: string): MaybePromise<void> {
    const bytes = Buffer.byteLength(document);
    const { maxDocuments, maxBytes, maxDocumentBytes } = this.#options.limits;
    if (maxDocuments < 1 || bytes > Math.min(maxBytes, maxDocumentBytes)) return;
    const running = this.#keeping.get(hash);
    if (running !== undefined) return running;
    const keeping = this.#keep(hash, document, bytes)
      .catch((thrown) => this.#options.failed(thrown))
      .finally(() => this.#keeping.delete(hash));
    this.#keeping.set(hash, keeping);
    return keeping;
  }

  async clear(): Promise<void> {
    for (let names: readonly string[] = [""]; names.length > 0; await nextTurn()) {
      names = await this.#storage.metaNames({ prefix, first: namesAtOnce });
      if (names.length === 0) break;
      const hashes = names.map((name) => name.slice(prefix.length));
      await this.#transact(async (transaction, index) => {
        for (const hash of hashes) {
          index.remove(hash);
          await transaction.setMeta(prefix + hash, null);
        }
      });
    }
    this.forget();
  }

  /** Evicts documents beyond the limits, including those of an earlier version, which had neither bounds nor an index. Never rejects. */
  async open(): Promise<void> {
    this.forget();
    try {
      await this.#trim();
      for (let after: string | undefined; ; await nextTurn()) {
        const names = await this.#storage.metaNames({ prefix, first: namesAtOnce, ...(after !== undefined && { after }) });
        if (names.length > 0) await this.#adopt(names.map((name) => name.slice(prefix.length)));
        if (names.length < namesAtOnce) return;
        after = names.at(-1);
      }
    } catch (thrown) {
      this.#options.failed(thrown);
    }
  }

  /** Clears the cache: the storage may have been erased. */
  forget(): void {
    this.#recent.clear();
    this.#used.clear();
  }

  async #read(hash: string): Promise<string | undefined> {
    return await this.#viewed(async (snapshot) => documentOf(await snapshot.meta(prefix + hash), hash));
  }

  async #keep(hash: string, document: string, bytes: number): Promise<void> {
    const used = this.#tick();
    await this.#transact(async (transaction, index) => {
      if (index.has(hash)) return;
      index.put(hash, { bytes, used });
      await transaction.setMeta(prefix + hash, document);
    });
    this.#recent.set(hash, document);
  }

  async #trim(): Promise<void> {
    const index = await this.#viewed(readIndex);
    if (index.excess(this.#options.limits).length > 0) await this.#transact(() => undefined);
  }

  /** Adds documents without an index entry as the least recently used, as far as the limits allow. */
  async #adopt(hashes: readonly string[]): Promise<void> {
    const index = await this.#viewed(readIndex);
    const unknown = hashes.filter((hash) => !index.has(hash));
    if (unknown.length > 0) await this.#transact((transaction, current) => this.#adoptOrForget(unknown, transaction, current));
  }

  async #adoptOrForget(hashes: readonly string[], transaction: Transaction, index: PersistedIndex): Promise<void> {
    const { limits } = this.#options;
    for (const hash of hashes) {
      if (index.has(hash)) continue;
      const document = index.isFull(limits) ? undefined : documentOf(await transaction.meta(prefix + hash), hash);
      const bytes = document === undefined ? 0 : Buffer.byteLength(document);
      if (document !== undefined && bytes <= limits.maxDocumentBytes && index.hasRoom(bytes, limits)) index.put(hash, { bytes, used: 0 });
      else await transaction.setMeta(prefix + hash, null);
    }
  }

  /** Changes documents and index in one transaction, so that two servers cannot both exceed a bound. */
  async #transact(work: (transaction: Transaction, index: PersistedIndex) => MaybePromise<void>): Promise<void> {
    const marks = new Map(this.#used);
    const { limits, version, now } = this.#options;
    let gone: readonly string[] = [];
    await this.#storage.transact(
      async (transaction) => {
        const index = await readIndex(transaction);
        index.mark(marks);
        await work(transaction, index);
        gone = index.excess(limits);
        for (const hash of gone) {
          index.remove(hash);
          await transaction.setMeta(prefix + hash, null);
        }
        if (index.changed) await transaction.setMeta(indexName, index.toJson());
      },
      { version: version() },
    );
    this.#markedAt = now();
    for (const hash of gone) this.#recent.delete(hash);
    for (const [hash, used] of marks) if (this.#used.get(hash) === used) this.#used.delete(hash);
  }

  async #viewed<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.#storage.snapshot({ version: this.#options.version() });
    try {
      return await read(snapshot);
    } finally {
      snapshot.close();
    }
  }

  #usedNow(hash: string, document: string): string {
    this.#used.delete(hash);
    this.#used.set(hash, this.#tick());
    if (this.#used.size > this.#options.limits.maxDocuments) this.#forgetOldestUse();
    if (this.#options.now() - this.#markedAt >= marksEveryMs) {
      this.#markedAt = this.#options.now();
      void this.#transact(() => undefined).catch((thrown) => this.#options.failed(thrown));
    }
    return document;
  }

  #forgetOldestUse(): void {
    const [oldest] = this.#used.keys();
    if (oldest !== undefined) this.#used.delete(oldest);
  }

  /** The current time, strictly increasing. */
  #tick(): number {
    this.#lastUse = Math.max(this.#options.now(), this.#lastUse + 1);
    return this.#lastUse;
  }
}

async function readIndex(view: Pick<Snapshot, "meta">): Promise<PersistedIndex> {
  return PersistedIndex.from(await view.meta(indexName));
}

/** Undefined: not a document, or its hash differs. */
function documentOf(stored: unknown, hash: string): string | undefined {
  return typeof stored === "string" && sha256(stored) === hash ? stored : undefined;
}

/** SHA-256 of the text as UTF-8, in lower-case hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
