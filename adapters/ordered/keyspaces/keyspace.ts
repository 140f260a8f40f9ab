// A keyspace: decoded values of one kind under keys with one prefix. An entry has a published value, which the cache may hold with the commit
// that wrote it, and up to three newer ones: being flushed, staged for the next flush, and written by the running transaction.

import { QuernError, type Work } from "../../../core/storage.ts";
import type { OrderedStore, StoreOperation, StoreView } from "../ground/store.ts";
import type { Cache, Evictable } from "./cache.ts";
import { seal, unseal } from "./checksum.ts";
import type { Codec } from "./codec.ts";
import { Edits, type EditsOptions, type Held } from "./edits.ts";
import { KeyFilter } from "./key-filter.ts";

/** The state of the store that a read sees. */
export interface EntryView {
  /** The commit that the view shows; `Infinity` for the writer, which also sees staged writes. */
  readonly at: number;
  /** The store's view to read from on a miss; none: the newest. */
  storeView(): StoreView | undefined;
  /** The same for an asynchronous read: the view stays open until the read ends. */
  pinnedView(): StoreView | undefined;
  /** Called for an entry that cannot be decoded, or is missing where another one names it, which then reads as absent; without it such a read fails with `STORE_CORRUPT`. `mend` deletes the entry. */
  damaged?(key: string, mend: () => void): void;
}

/** What keyspaces share within one store. */
export interface KeyspaceHost {
  readonly store: OrderedStore;
  readonly cache: Cache;
  /** The newest durable commit. */
  readonly published: number;
  /** The store holds no uid from this one on. */
  readonly freshUids: number;
  /** Called for each keyspace as it opens: the cache bounds it from then on. */
  opened(keyspace: Evictable & Followed): void;
  closed(keyspace: Evictable & Followed): void;
  /** What an entry holds, in words for errors: `the record of 0x2a, a Package`. */
  nameOf(key: string): string;
  /** Called when the running transaction writes to a keyspace for the first time. */
  touch(keyspace: Layers): void;
  accompany(companion: Companion): void;
}

/** Adds operations of its own to every batch. */
export interface Companion {
  append(operations: StoreOperation[]): void;
  /** The batch is durable. */
  saved(): void;
}

/** A keyspace of a thread that follows the commits of another one. */
export interface Followed {
  readonly prefix: string;
  /** The commit changes these entries; undefined: perhaps all. Views of it, and of later commits, read them from the store. */
  forget(keys: readonly EntryKey[] | undefined, commit: number): void;
}

export type EntryKey = string | number;

/** The steps of a commit that each keyspace takes part in. */
export interface Layers {
  readonly prefix: string;
  /** The keys of the writes that are being flushed. */
  flushedKeys(): readonly EntryKey[];
  /** Stages the writes of the running transaction. */
  stage(): void;
  /** Drops the writes of the running transaction. */
  discardWork(): void;
  /** The staged writes are those that are flushed from now on. */
  startFlush(): void;
  /** Appends the operations of the flushed writes. Returns what is left to do where they are many. */
  encode(operations: StoreOperation[]): Work<void> | undefined;
  /** Caches the flushed writes for readers from `commit` on, of which there are none yet. Returns what is left to do where they are many. */
  cacheFlushed(commit: number): Work<void> | undefined;
  /** The flush has ended with `commit`. */
  publish(commit: number): void;
  /** Drops every write that is not published. */
  discardAll(): void;
}

export interface KeyspaceOptions<K, V> {
  readonly prefix: string;
  readonly textOf: (key: K) => string;
  readonly codec: Codec<V>;
  /** The node that an entry belongs to: a node that is newer than the last flush has no entry in the store. */
  readonly uidOf?: ((key: K) => number) | undefined;
  /** For large values that change a little at a time. Costs a read of the store more for each value that is not in the cache. */
  readonly edits?: EditsOptions<V>;
}

interface Entry<V> {
  value: V | undefined;
  /** The commit from which on the value holds. */
  since: number;
  /** The whole value in the store, where edits lie beside it: see `Held`. */
  whole: V | undefined;
  /** It is written without edits. */
  readonly isWhole: boolean;
}

export interface NamedEntry {
  /** False saves a read of the store: nothing lies beside the value. */
  readonly mayHaveEdits: boolean;
}

/** @param name what the entry holds */
export function damagedEntry(name: string, cause: unknown): QuernError {
  return new QuernError("STORE_CORRUPT", `${name} cannot be read: the store is damaged there`, {
    cause,
    hint: "Stop the server and run `quern check --repair`, or restore a backup.",
  });
}

const nothing: Held<never> = { value: undefined, whole: undefined };

const entryOverheadBytes = 120;
const scanned = 500;
/** Entries of a flush between two looks at the clock. */
const stepEntries = 64;
/** A small slice: cursors read values too, which may be long. */
const keysAtOnce = 16;

export class Keyspace<K extends EntryKey, V> implements Layers, Followed, Evictable {
  readonly prefix: string;
  readonly #host: KeyspaceHost;
  readonly #textOf: (key: K) => string;
  readonly #uidOf: ((key: K) => number) | undefined;
  readonly codec: Codec<V>;
  readonly #edits: Edits<V> | undefined;
  #young = new Map<K, Entry<V>>();
  #old = new Map<K, Entry<V>>();
  // Undefined when empty: a commit goes through all three, in each of the dozens of keyspaces that it writes to.
  #working: Map<K, Entry<V>> | undefined;
  #staged: Map<K, Entry<V>> | undefined;
  #flushing: Map<K, Entry<V>> | undefined;
  /** The newest published commit that changed this keyspace; `Infinity` after a batch that failed: what the store holds now may be of that batch. */
  #changedAt: number;
  /** While a load or a build writes a keyspace that was empty: what it may hold. */
  #filter: KeyFilter | undefined;
  #cachesWrites = true;

  constructor(host: KeyspaceHost, options: KeyspaceOptions<K, V>) {
    this.#host = host;
    this.#uidOf = options.uidOf;
    this.prefix = options.prefix;
    this.#textOf = options.textOf;
    this.codec = options.codec;
    this.#edits = options.edits && new Edits(host.store, options.edits);
    this.#changedAt = host.published;
    host.opened(this);
  }

  keyOf(key: K): string {
    return this.prefix + this.#textOf(key);
  }

  read(key: K, view: EntryView): V | undefined {
    return this.#read(key, view, this.#edits);
  }

  /** The same for an entry that another one names: the store is damaged where it is missing. Undefined only where `view` hears of damage. */
  readNamed(key: K, view: EntryView, { mayHaveEdits }: NamedEntry = { mayHaveEdits: true }): V | undefined {
    const value = this.#read(key, view, mayHaveEdits ? this.#edits : undefined);
    if (value === undefined) this.#missing(key, view);
    return value;
  }

  #missing(key: K, view: EntryView): void {
    const name = this.keyOf(key);
    if (view.damaged === undefined) throw damagedEntry(this.#host.nameOf(name), new Error("the entry is missing"));
    view.damaged(name, () => undefined);
  }

  #read(key: K, view: EntryView, beside: Edits<V> | undefined): V | undefined {
    if (view.at === Number.POSITIVE_INFINITY) {
      const newer = this.#unpublished(key);
      if (newer !== undefined) return newer.value;
      if (this.#uidOf !== undefined && this.#uidOf(key) >= this.#host.freshUids) return undefined;
    }
    const cached = this.#cached(key);
    if (cached !== undefined && cached.since <= view.at) return cached.value;
    const text = this.#textOf(key);
    // An earlier view may show what was deleted before the keyspace was empty.
    if (view.at === Number.POSITIVE_INFINITY && this.#filter?.mayHave(text) === false) return undefined;
    const storeView = view.storeView();
    const bytes = this.#host.store.getSync(this.prefix + text, storeView);
    const edits = bytes && beside?.read(text, storeView);
    const held = bytes === undefined ? nothing : this.#decode(key, bytes, edits, view);
    // A damaged entry is not cached: other readers must not take it for an absent one.
    if (cached === undefined && held !== undefined) this.#remember(key, held, view.at);
    return held?.value;
  }

  /** A load begins: it hardly reads what it writes, which leaves the cache. */
  beginLoad(): void {
    this.#cachesWrites = false;
  }

  /** Nothing is in the store, and nothing is written: until `endLoad`, or until there are very many, the writer reads no key that is new. */
  expectNew(): void {
    this.#filter = new KeyFilter();
  }

  endLoad(): void {
    this.#cachesWrites = true;
    this.#filter = undefined;
  }

  /** Undefined for a damaged entry. */
  #decode(key: K, bytes: Uint8Array, edits: Uint8Array | undefined, view: EntryView): Held<V> | undefined {
    const text = this.#textOf(key);
    try {
      return this.#held(text, bytes, edits);
    } catch (cause) {
      const name = this.prefix + text;
      if (view.damaged === undefined) throw damagedEntry(this.#host.nameOf(name), cause);
      view.damaged(name, () => this.put(key, undefined));
      return undefined;
    }
  }

  #held(text: string, bytes: Uint8Array, edits: Uint8Array | undefined): Held<V> {
    const whole = this.codec.decode(unseal(this.prefix + text, bytes));
    if (this.#edits === undefined || edits === undefined) return { value: whole, whole: undefined };
    return { value: this.#edits.apply(text, whole, edits), whole };
  }

  /** The value when it is in memory; false when the store must be asked. */
  peek(key: K, view: EntryView): boolean {
    if (view.at === Number.POSITIVE_INFINITY && this.#unpublished(key) !== undefined) return true;
    const cached = this.#cached(key);
    return cached !== undefined && cached.since <= view.at;
  }

  /** Reads uncached entries off the event loop into the cache. */
  async prefetch(keys: readonly K[], view: EntryView): Promise<void> {
    const changedAt = this.#changedAt;
    const texts = keys.map(this.#textOf);
    // Values first, then the edits of each.
    const found = await this.#host.store.getMany([...texts.map((text) => this.prefix + text), ...this.#editKeys(texts)], view.pinnedView());
    if (this.#changedAt !== changedAt) return;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const bytes = found[i];
      if (key !== undefined) this.#rememberNew(key, bytes, view, found[keys.length + i]);
    }
  }

  /** What was read meanwhile, or is newer, stays. */
  #rememberNew(key: K, bytes: Uint8Array | undefined, view: EntryView, edits?: Uint8Array): void {
    if (this.#cached(key) !== undefined || this.#unpublished(key) !== undefined) return;
    const held = bytes === undefined ? nothing : this.#decode(key, bytes, edits, view);
    if (held !== undefined) this.#remember(key, held, view.at);
  }

  /**
   * The same for ascending keys that lie close together, where few others lie between them: in one walk instead of a search for each. For keyspaces without
   * edits.
   *
   * @returns the last key whose entry was read: what follows would take more than `maxBytes`
   */
  async prefetchNear(keys: readonly K[], view: EntryView, maxBytes: number): Promise<K | undefined> {
    const changedAt = this.#changedAt;
    const names = keys.map((key) => this.keyOf(key));
    const cursor = this.#host.store.cursor({ from: names[0] ?? "", to: `${names.at(-1) ?? ""}\u0000` }, view.pinnedView());
    let [at, bytes] = [0, 0];
    try {
      while (at < names.length && bytes < maxBytes) {
        const entries = await cursor.next(names.length);
        if (entries.length === 0 || this.#changedAt !== changedAt) break;
        for (const [name, sealed] of entries) {
          bytes += sealed.length;
          while ((names[at] ?? name) < name) at++;
          const key = names[at] === name ? keys[at] : undefined;
          if (key !== undefined) this.#rememberNew(key, sealed, view);
        }
      }
    } finally {
      await cursor.close();
    }
    return bytes < maxBytes ? keys.at(-1) : keys[at];
  }

  #editKeys(texts: readonly string[]): readonly string[] {
    const edits = this.#edits;
    return edits === undefined ? [] : texts.map((text) => edits.keyOf(text));
  }

  /** For the writer: a value that may be changed in place until the transaction ends; undefined where there is none. */
  edit(key: K, view: EntryView): V | undefined {
    const own = this.#working?.get(key);
    if (own !== undefined) return own.value;
    const value = this.read(key, view);
    if (value === undefined) return undefined;
    const copy = this.codec.copy(value);
    this.put(key, copy);
    return copy;
  }

  /** For the writer: sets a value, undefined for none. */
  put(key: K, value: V | undefined): void {
    this.#put(key, { value, since: 0, whole: undefined, isWhole: false });
  }

  /** The same, and no edits are written: later reads need not look for them. */
  putWhole(key: K, value: V): void {
    this.#put(key, { value, since: 0, whole: undefined, isWhole: true });
  }

  #put(key: K, entry: Entry<V>): void {
    if (this.#working === undefined) {
      this.#working = new Map();
      this.#host.touch(this);
    }
    this.#working.set(key, entry);
    if (this.#filter !== undefined && entry.value !== undefined && !this.#filter.add(this.#textOf(key))) this.#filter = undefined;
  }

  /** Every published entry in key order, by the text of its key; undefined for a damaged one. For checks: reads past the cache. */
  async *scan(view: EntryView): AsyncGenerator<readonly [text: string, value: V | undefined]> {
    const pinned = view.pinnedView();
    const cursor = this.#host.store.cursor({ from: this.prefix, to: `${this.prefix}\u{10ffff}` }, pinned);
    try {
      for (;;) {
        const entries = await cursor.next(scanned);
        if (entries.length === 0) return;
        const texts = entries.map(([key]) => key.slice(this.prefix.length));
        const edits = this.#edits === undefined ? [] : await this.#host.store.getMany(this.#editKeys(texts), pinned);
        for (const [i, text] of texts.entries()) yield [text, this.#valueOrNothing(text, entries[i]?.[1], edits[i])];
      }
    } finally {
      await cursor.close();
    }
  }

  /** The published keys from `from` on that start with `prefix`, in order, as texts. Reads past the cache. */
  async keys(
    { prefix, from, first }: { readonly prefix: string; readonly from: string; readonly first: number },
    view: EntryView,
  ): Promise<string[]> {
    const start = this.prefix + (from > prefix ? from : prefix);
    const cursor = this.#host.store.cursor({ from: start, to: `${this.prefix}${prefix}\u{10ffff}` }, view.pinnedView());
    const keys: string[] = [];
    try {
      while (keys.length < first) {
        const entries = await cursor.next(Math.min(keysAtOnce, first - keys.length));
        if (entries.length === 0) break;
        for (const [key] of entries) keys.push(key.slice(this.prefix.length));
      }
    } finally {
      await cursor.close();
    }
    return keys;
  }

  #valueOrNothing(text: string, bytes: Uint8Array | undefined, edits: Uint8Array | undefined): V | undefined {
    try {
      return bytes && this.#held(text, bytes, edits).value;
    } catch {
      return undefined;
    }
  }

  stage(): void {
    const staged = this.#staged;
    if (staged === undefined) this.#staged = this.#working;
    else {
      this.#working?.forEach((entry, key) => {
        staged.set(key, entry);
      });
    }
    this.#working = undefined;
  }

  discardWork(): void {
    this.#working = undefined;
  }

  startFlush(): void {
    this.#flushing = this.#staged;
    this.#staged = undefined;
  }

  encode(operations: StoreOperation[]): Work<void> | undefined {
    return this.#eachFlushed((entry, key) => this.#encode(key, entry, operations));
  }

  /** Most commits write few entries of a keyspace: a generator takes longer than these. */
  #eachFlushed(work: (entry: Entry<V>, key: K) => void): Work<void> | undefined {
    const flushing = this.#flushing;
    if (flushing !== undefined && flushing.size > stepEntries) return this.#flushedInSteps(flushing, work);
    // A callback, since iterators make an array for each entry.
    flushing?.forEach(work);
    return undefined;
  }

  *#flushedInSteps(flushing: ReadonlyMap<K, Entry<V>>, work: (entry: Entry<V>, key: K) => void): Work<void> {
    let left = stepEntries;
    for (const [key, entry] of flushing) {
      // The keyspace may have been closed between two steps.
      if (this.#flushing !== flushing) return;
      work(entry, key);
      if (--left > 0) continue;
      left = stepEntries;
      yield;
    }
  }

  #encode(key: K, entry: Entry<V>, operations: StoreOperation[]): void {
    const text = this.#textOf(key);
    if (this.#edits !== undefined) {
      // No batch is under way: the newest published value is what the store holds.
      entry.whole = this.#edits.append(operations, text, this.#young.get(key) ?? this.#old.get(key), entry);
      if (entry.whole !== undefined) return;
    }
    const name = this.prefix + text;
    operations.push(
      entry.value === undefined ? { type: "del", key: name } : { type: "put", key: name, value: seal(name, this.codec.encode(entry.value)) },
    );
  }

  flushedKeys(): readonly K[] {
    return this.#flushing === undefined ? [] : [...this.#flushing.keys()];
  }

  forget(keys: readonly K[] | undefined, commit: number): void {
    if (keys === undefined) {
      this.#young.clear();
      this.#old.clear();
    } else {
      for (const key of keys) if (!this.#young.delete(key)) this.#old.delete(key);
    }
    this.#changedAt = Math.max(this.#changedAt, commit);
  }

  cacheFlushed(commit: number): Work<void> | undefined {
    return this.#eachFlushed((entry, key) => this.#cacheWritten(key, entry, commit));
  }

  /** Who reads at an earlier commit finds that the entry is newer, and reads the store. */
  #cacheWritten(key: K, entry: Entry<V>, commit: number): void {
    if (!this.#cachesWrites) {
      if (!this.#young.delete(key)) this.#old.delete(key);
      // Who reads at an earlier commit must not cache what it finds.
      this.#changedAt = commit;
      return;
    }
    entry.since = commit;
    const before = this.#young.get(key);
    if (before === undefined) this.#old.delete(key);
    this.#young.set(key, entry);
    // What it replaces is no longer there: counted again with each commit, the entries that most commits write would push out all others.
    this.#host.cache.grow(this.#weigh(entry) - (before === undefined ? 0 : this.#weigh(before)));
  }

  publish(commit: number): void {
    this.#changedAt = commit;
    this.#flushing = undefined;
  }

  discardAll(): void {
    this.#working = undefined;
    this.#staged = undefined;
    this.#flushing = undefined;
    // Transactions and prefetches that still run may read what the failed batch has left in the store. No reader takes it from the cache.
    this.#changedAt = Number.POSITIVE_INFINITY;
  }

  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Drops all entries from memory: the data of the keyspace are deleted. */
  close(): void {
    this.discardAll();
    this.#filter = undefined;
    this.#young.clear();
    this.#old.clear();
    this.#host.closed(this);
  }

  #unpublished(key: K): Entry<V> | undefined {
    return this.#working?.get(key) ?? this.#staged?.get(key) ?? this.#flushing?.get(key);
  }

  #cached(key: K): Entry<V> | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.#young.set(key, old);
    this.#host.cache.grow(this.#weigh(old));
    return old;
  }

  /** Caches a value only when no later commit changed this keyspace: an older view cannot know the newest value. */
  #remember(key: K, { value, whole }: Held<V>, at: number): void {
    if (this.#changedAt > at) return;
    const entry = { value, since: this.#changedAt, whole, isWhole: false };
    this.#young.set(key, entry);
    this.#host.cache.grow(this.#weigh(entry));
  }

  #weigh({ value, whole }: Held<V>): number {
    const bytes = entryOverheadBytes + (value === undefined ? 0 : this.codec.weigh(value));
    return whole === undefined ? bytes : bytes + this.codec.weigh(whole);
  }
}
