// Keeps persisted queries in the storage, beside the data: a bounded number of bounded documents, for all servers of one store together.
// Each document has a name of its own; one index says how long each is and when it was used last.

import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { andThen, type MaybePromise, type PersistedQueryLimits, type Snapshot, type Storage, type Transaction } from "../../../core/index.ts";
import { PersistedIndex } from "./persisted-index.ts";

/** Documents by the SHA-256 of their text. */
export interface PersistedQueries {
  /** Undefined: no such document is kept. */
  get(hash: string): MaybePromise<string | undefined>;
  /** Keeps a document that fits the limits, durably. `hash` is right. Never rejects: the client can send the document again. */
  keep(hash: string, document: string): MaybePromise<void>;
}

export interface PersistedStoreOptions {
  readonly limits: PersistedQueryLimits;
  /** The version of the layout that is deployed now. */
  readonly version: () => number;
  /** Hears why a document, or when it was used, could not be written. */
  readonly failed: (thrown: unknown) => void;
  /** In milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

const prefix = "persisted-query/";
const indexName = "persisted-queries";
const isHash = /^[0-9a-f]{64}$/;
const recentBytes = 8 * 2 ** 20;
/** How long a document may still be answered from memory after another server has forgotten it. */
const recentMs = 60_000;
/** A read writes nothing but once in so long. What is lost with the process is the order of the last uses. */
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
  /** When documents were used last, as far as the index in the storage does not say so yet. */
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

  /** Brings what is stored within the limits. An earlier version kept documents without a bound and without an index. Never rejects. */
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

  /** Answers from the storage again: it may hold none of them any more. */
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

  /** Documents that the index does not know join it as those used longest ago, as far as there is room. */
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

  /** Changes documents and index in one transaction: two servers never both take the last room. */
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

  /** The time now, later than the last. */
  #tick(): number {
    this.#lastUse = Math.max(this.#options.now(), this.#lastUse + 1);
    return this.#lastUse;
  }
}

async function readIndex(view: Pick<Snapshot, "meta">): Promise<PersistedIndex> {
  return PersistedIndex.from(await view.meta(indexName));
}

/** Undefined for what is no document, or another than the hash says. */
function documentOf(stored: unknown, hash: string): string | undefined {
  return typeof stored === "string" && sha256(stored) === hash ? stored : undefined;
}

/** Of the text as UTF-8, in lower-case hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
