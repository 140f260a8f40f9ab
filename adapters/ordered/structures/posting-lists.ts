// Posting lists: ascending uids under a token, a value or a node. A short list is one entry. A long list has a directory of lower bounds, chunks that
// these name, and a head with its count and its tail: the last uids, behind those of all chunks. Appending rewrites the head alone, until a full tail
// goes into the last chunk. So does what changes among the uids of the chunks: the head holds what they lost and gained, until these are many and go into
// the chunks, as edits beside those that change little.

import { ascendingCodec } from "../keyspaces/ascending-codec.ts";
import { uidText } from "../keyspaces/keys.ts";
import { type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { chunkEditsCodec } from "./chunk-edits.ts";
import { changedHead, type Head, headCodec, longHead, shortHead } from "./posting-head.ts";
import { emptyList, noUids, PostingList } from "./posting-list.ts";
import { exchanged, includesUid, insertionPoint, lowerBound, merged, upperBound, withoutUid, withUid } from "./sorted-uids.ts";

/** The most uids in a chunk. */
export const chunkSize = 256;

/** The most uids in a list of tokens without chunks. A text has many tokens, and each new one writes a whole list of this form. */
export const tokenInlineSize = 64;

/** The most uids in a tail. New nodes have the highest uids: without it, each would rewrite the last chunk of each of its lists. */
export const tailSize = 32;

/** The most changes of its chunks that a head holds. Each commit that changes the list writes them all; with fewer, chunks are written more often. */
export const maxHeldChanges = 64;

const oneChunk: readonly number[] = Object.freeze([0]);

export interface PostingListsOptions<K> {
  readonly prefix: string;
  readonly textOf: (key: K) => string;
  /** The node that a list belongs to, for lists of nodes. */
  readonly uidOf?: (key: K) => number;
  /** The most uids in a list without chunks; as many as in a chunk by default. Longer lists of before stay as they are until they grow. */
  readonly inlineSize?: number;
}

/** All lists of one index, key or direction of an edge. */
export class PostingLists<K extends string | number> {
  readonly heads: Keyspace<K, Head>;
  readonly directories: Keyspace<K, number[]>;
  readonly chunks: Keyspace<string, number[]>;
  readonly #textOf: (key: K) => string;
  readonly #inlineSize: number;

  constructor(host: KeyspaceHost, { prefix, textOf, uidOf, inlineSize = chunkSize }: PostingListsOptions<K>) {
    this.#textOf = textOf;
    this.#inlineSize = inlineSize;
    this.heads = new Keyspace(host, { prefix: `${prefix}h`, textOf, codec: headCodec, uidOf });
    this.directories = new Keyspace(host, { prefix: `${prefix}d`, textOf, codec: ascendingCodec });
    const edits = { prefix: `${prefix}e`, codec: chunkEditsCodec };
    this.chunks = new Keyspace(host, { prefix: `${prefix}c`, textOf: (text) => text, codec: ascendingCodec, edits });
  }

  /** There are no lists. See `Keyspace`. */
  expectNew(): void {
    this.heads.expectNew();
  }

  endLoad(): void {
    this.heads.endLoad();
  }

  count(key: K, view: EntryView): number {
    return this.heads.read(key, view)?.count ?? 0;
  }

  open(key: K, view: EntryView): PostingList {
    const head = this.heads.read(key, view);
    if (head === undefined) return emptyList;
    const { inline, tail, edited, lost, gained } = head;
    if (inline !== undefined) return new PostingList(inline.length, oneChunk, () => inline);
    const bounds = this.directories.readNamed(key, view) ?? noUids;
    const chunkOf = (bound: number) => this.#chunk({ key, bound, edited }, view) ?? noUids;
    if (lost.length + gained.length === 0) return new PostingList(head.count, bounds, chunkOf, tail);
    const changed = (bound: number) => withHeld(chunkOf(bound), head, rangeOf(bounds, bound));
    return new PostingList(head.count, bounds, changed, tail);
  }

  /** @param place its key and bound, and whether the list may have edits */
  #chunk({ key, bound, edited }: { readonly key: K; readonly bound: number; readonly edited: boolean }, view: EntryView): number[] | undefined {
    return this.chunks.readNamed(this.#chunkKey(key, bound), view, { mayHaveEdits: edited });
  }

  /** The uids of a short list; undefined for a list with chunks. */
  short(key: K, view: EntryView): readonly number[] | undefined {
    const head = this.heads.read(key, view);
    return head === undefined ? noUids : head.inline;
  }

  has(key: K, uid: number, view: EntryView): boolean {
    const uids = this.short(key, view);
    return uids === undefined ? this.open(key, view).contains(uid) : uids[lowerBound(uids, uid)] === uid;
  }

  /** @returns false when the list had the uid */
  add(key: K, uid: number, view: EntryView): boolean {
    const before = this.heads.read(key, view);
    if (before === undefined) {
      this.heads.put(key, shortHead([uid]));
      return true;
    }
    if (before.inline !== undefined) return this.#addInline(key, before.inline, uid);
    if (uid < this.#tailBound(key, before, view)) return this.#addChunked(key, before, uid, view);
    return this.#addToTail(key, before, uid, view);
  }

  /** From this uid on, uids belong in the tail: they are above those of all chunks. */
  #tailBound(key: K, { tail, edited, gained }: Head, view: EntryView): number {
    // By index: taking an array apart makes an iterator.
    const first = tail[0];
    if (first !== undefined) return first;
    const bound = this.directories.readNamed(key, view)?.at(-1) ?? 0;
    return Math.max(bound, (this.#chunk({ key, bound, edited }, view)?.at(-1) ?? -1) + 1, (gained.at(-1) ?? -1) + 1);
  }

  #addToTail(key: K, head: Head, uid: number, view: EntryView): boolean {
    const { tail } = head;
    const position = insertionPoint(tail, uid);
    if (tail[position] === uid) return false;
    const grown = { ...head, count: head.count + 1, tail: tail.toSpliced(position, 0, uid) };
    if (grown.tail.length > tailSize) this.#foldTail(key, grown, view);
    else this.heads.put(key, grown);
    return true;
  }

  /** Appends a tail to the last chunk. */
  #foldTail(key: K, head: Head, view: EntryView): void {
    const { count, tail, edited } = this.#folded(key, head, view);
    const bounds = this.directories.readNamed(key, view) ?? this.#editBounds(key, view);
    const bound = bounds.at(-1) ?? 0;
    const last = this.#chunk({ key, bound, edited }, view) ?? noUids;
    const names = this.#putChunks(key, bound, cutInChunks(last.concat(tail)));
    if (names.length > 1) this.#editBounds(key, view).push(...names.slice(1));
    this.heads.put(key, longHead({ count, tail: noUids, edited }));
  }

  /** Adds ascending uids; reads and rewrites each chunk once. Existing uids are not added again. */
  addAll(key: K, uids: number[], view: EntryView): void {
    const first = uids[0];
    if (uids.length === 1 && first !== undefined) {
      this.add(key, first, view);
      return;
    }
    const before = this.heads.read(key, view);
    if (before === undefined || before.inline !== undefined) this.#putInline(key, merged(before?.inline ?? noUids, uids));
    else this.#addAllLong(key, before, uids, view);
  }

  #addAllLong(key: K, head: Head, uids: number[], view: EntryView): void {
    const behind = lowerBound(uids, this.#tailBound(key, head, view));
    const before = behind === 0 ? head : this.#folded(key, head, view);
    const inChunks = behind === 0 ? 0 : this.#addAllChunked(key, before, uids.slice(0, behind), view);
    const tail = behind === uids.length ? before.tail : merged(before.tail, uids.slice(behind));
    const added = inChunks + tail.length - before.tail.length;
    const grown = { ...before, count: before.count + added, tail, edited: before.edited || inChunks > 0 };
    if (tail.length > tailSize) this.#foldTail(key, grown, view);
    else if (added > 0 || before !== head) this.heads.put(key, grown);
  }

  #putInline(key: K, uids: number[]): void {
    if (uids.length <= this.#inlineSize) {
      this.heads.put(key, shortHead(uids));
      return;
    }
    const chunks = cutInChunks(uids);
    this.heads.put(key, longHead({ count: uids.length, tail: noUids, edited: false }));
    this.directories.put(key, this.#putChunks(key, 0, chunks));
  }

  /**
   * From the last chunk to the first, so that a split moves no chunk that is still to be edited.
   *
   * @returns the number of uids that the chunks did not have
   */
  #addAllChunked(key: K, { edited }: Head, uids: readonly number[], view: EntryView): number {
    const bounds = this.directories.readNamed(key, view) ?? this.#editBounds(key, view);
    let added = 0;
    for (let end = uids.length; end > 0; ) {
      const place = Math.max(0, upperBound(bounds, uids[end - 1] ?? 0, 0) - 1);
      const bound = bounds[place] ?? 0;
      const start = place === 0 ? 0 : lowerBound(uids, bound, 0, end);
      const before = this.#chunk({ key, bound, edited }, view) ?? noUids;
      const now = merged(before, start === 0 && end === uids.length ? uids : uids.slice(start, end));
      added += now.length - before.length;
      if (now.length <= chunkSize) this.chunks.put(this.#chunkKey(key, bound), now);
      else this.#editBounds(key, view).splice(place, 1, ...this.#putChunks(key, bound, cutInChunks(now)));
      end = start;
    }
    return added;
  }

  /** Puts chunks as wholes, without edits beside them. @returns their names, the first of them `bound` */
  #putChunks(key: K, bound: number, chunks: readonly number[][]): number[] {
    const names = chunks.map((chunk, i) => (i === 0 ? bound : (chunk[0] ?? 0)));
    for (const [i, chunk] of chunks.entries()) this.chunks.putWhole(this.#chunkKey(key, names[i] ?? 0), chunk);
    return names;
  }

  /** A damaged directory is replaced by an empty one. */
  #editBounds(key: K, view: EntryView): number[] {
    const known = this.directories.edit(key, view);
    if (known !== undefined) return known;
    const begun = [0];
    this.directories.put(key, begun);
    return begun;
  }

  #addInline(key: K, uids: readonly number[], uid: number): boolean {
    const position = insertionPoint(uids, uid);
    if (uids[position] === uid) return false;
    const now = uids.toSpliced(position, 0, uid);
    if (now.length > this.#inlineSize) this.#toChunks(key, now, position);
    else this.heads.put(key, shortHead(now));
    return true;
  }

  #toChunks(key: K, uids: number[], inserted: number): void {
    const last = uids.length - 1;
    const isAppended = inserted === last;
    const lower = isAppended ? uids.slice(0, last) : uids;
    this.heads.put(key, longHead({ count: uids.length, tail: isAppended ? uids.slice(last) : noUids, edited: false }));
    this.directories.put(key, this.#putChunks(key, 0, lower.length > chunkSize ? split(lower, inserted) : [lower]));
  }

  #addChunked(key: K, head: Head, uid: number, view: EntryView): boolean {
    const { count, lost, gained } = head;
    const { range, chunk } = this.#chunkFor(key, head, uid, view);
    const isLost = includesUid(lost, uid);
    if (!isLost && (includesUid(gained, uid) || includesUid(chunk, uid))) return false;
    const now = changedHead(head, {
      count: count + 1,
      lost: isLost ? withoutUid(lost, uid) : lost,
      gained: isLost ? gained : withUid(gained, uid),
    });
    this.#putHead(key, now, { folds: sizeWith(now, chunk, range) > chunkSize }, view);
    return true;
  }

  /** The chunk that has, or would have, `uid`, as it was last written. */
  #chunkFor(key: K, { edited }: Head, uid: number, view: EntryView): { readonly range: Range; readonly chunk: readonly number[] } {
    const range = rangeOf(this.directories.readNamed(key, view) ?? noUids, uid);
    return { range, chunk: this.#chunk({ key, bound: range.bound, edited }, view) ?? noUids };
  }

  #putHead(key: K, head: Head, { folds }: { readonly folds: boolean }, view: EntryView): void {
    this.heads.put(key, folds || head.lost.length + head.gained.length > maxHeldChanges ? this.#folded(key, head, view) : head);
  }

  /**
   * Moves what the head holds of changes into the chunks, from the last to the first, so that neither a split nor a deletion moves one that is still to be
   * changed.
   *
   * @returns the head that is to be put
   */
  #folded(key: K, head: Head, view: EntryView): Head {
    const { count, tail, edited, lost, gained } = head;
    if (lost.length + gained.length === 0) return head;
    const bounds = this.directories.readNamed(key, view) ?? this.#editBounds(key, view);
    for (let below = Number.POSITIVE_INFINITY; ; ) {
      const last = Math.max(lastBelow(lost, below), lastBelow(gained, below));
      if (last < 0) return longHead({ count, tail, edited: true });
      const range = rangeOf(bounds, last);
      const before = this.#chunk({ key, bound: range.bound, edited }, view) ?? noUids;
      const chunk = exchanged(before, within(lost, range), within(gained, range));
      this.#putChunk(key, { ...range, chunk, isAppended: includesUid(gained, chunk.at(-1) ?? 0) }, view);
      below = range.from;
    }
  }

  #putChunk(key: K, { place, bound, chunk, isAppended }: ChangedChunk, view: EntryView): void {
    const chunkKey = this.#chunkKey(key, bound);
    if (chunk.length > chunkSize) {
      const parts = split(chunk, isAppended ? chunk.length - 1 : 0);
      this.#editBounds(key, view).splice(place, 1, ...this.#putChunks(key, bound, parts));
    } else if (chunk.length > 0 || place === 0) this.chunks.put(chunkKey, chunk);
    else {
      this.chunks.put(chunkKey, undefined);
      this.#editBounds(key, view).splice(place, 1);
    }
  }

  /** @returns false when the list did not have the uid */
  remove(key: K, uid: number, view: EntryView): boolean {
    const before = this.heads.read(key, view);
    if (before === undefined) return false;
    if (before.inline === undefined) return this.#removeLong(key, before, uid, view);
    const position = lowerBound(before.inline, uid);
    if (before.inline[position] !== uid) return false;
    if (before.inline.length === 1) {
      this.heads.put(key, undefined);
      return true;
    }
    this.heads.put(key, shortHead(before.inline.toSpliced(position, 1)));
    return true;
  }

  /**
   * Removes a uid that the list has, as something else says that is read anyway: its chunk is not read for it, and may show no uid from then on. A list
   * that does not have the uid counts too few.
   */
  removeKnown(key: K, uid: number, view: EntryView): void {
    const head = this.heads.read(key, view);
    if (head === undefined || head.inline !== undefined || head.count === 1 || uid >= (head.tail[0] ?? Number.POSITIVE_INFINITY)) {
      this.remove(key, uid, view);
      return;
    }
    const { lost, gained } = head;
    if (!includesUid(lost, uid)) this.#putHead(key, without(head, uid, { isGained: includesUid(gained, uid) }), { folds: false }, view);
  }

  #removeLong(key: K, head: Head, uid: number, view: EntryView): boolean {
    const { count, tail } = head;
    if (uid < (tail[0] ?? Number.POSITIVE_INFINITY)) return this.#removeChunked(key, head, uid, view);
    const position = lowerBound(tail, uid);
    if (tail[position] !== uid) return false;
    if (count === 1) this.#drop(key, this.directories.readNamed(key, view) ?? noUids);
    else this.heads.put(key, { ...head, count: count - 1, tail: tail.toSpliced(position, 1) });
    return true;
  }

  #removeChunked(key: K, head: Head, uid: number, view: EntryView): boolean {
    const { count, lost, gained } = head;
    const { range, chunk } = this.#chunkFor(key, head, uid, view);
    const isGained = includesUid(gained, uid);
    if (!isGained && (includesUid(lost, uid) || !includesUid(chunk, uid))) return false;
    if (count === 1) {
      this.#drop(key, this.directories.readNamed(key, view) ?? noUids);
      return true;
    }
    const now = without(head, uid, { isGained });
    this.#putHead(key, now, { folds: sizeWith(now, chunk, range) === 0 }, view);
    return true;
  }

  /** Deletes a whole list. */
  clear(key: K, view: EntryView): void {
    const head = this.heads.read(key, view);
    if (head === undefined) return;
    if (head.inline !== undefined) this.heads.put(key, undefined);
    else this.#drop(key, this.directories.readNamed(key, view) ?? noUids);
  }

  #drop(key: K, bounds: readonly number[]): void {
    for (const bound of [...bounds]) this.chunks.put(this.#chunkKey(key, bound), undefined);
    this.directories.put(key, undefined);
    this.heads.put(key, undefined);
  }

  /** The key of a chunk, by its lower bound. */
  chunkKey(key: K, bound: number): string {
    return this.#chunkKey(key, bound);
  }

  #chunkKey(key: K, bound: number): string {
    return `${this.#textOf(key)}\u0000${uidText(bound)}`;
  }

  close(): void {
    this.heads.close();
    this.directories.close();
    this.chunks.close();
  }
}

/** The head of a list whose chunks, or what they gained, had `uid`. */
function without(head: Head, uid: number, { isGained }: { readonly isGained: boolean }): Head {
  const { count, lost, gained } = head;
  if (isGained) return changedHead(head, { count: count - 1, lost, gained: withoutUid(gained, uid) });
  return changedHead(head, { count: count - 1, lost: withUid(lost, uid), gained });
}

/** A chunk: its place in the directory, its name there, and the uids that belong into it. */
interface Range {
  readonly place: number;
  readonly bound: number;
  readonly from: number;
  /** Below it. */
  readonly to: number;
}

interface ChangedChunk extends Range {
  readonly chunk: number[];
  /** Its last uid is new. */
  readonly isAppended: boolean;
}

/** The chunk that has, or would have, `uid`. */
function rangeOf(bounds: readonly number[], uid: number): Range {
  const place = Math.max(0, upperBound(bounds, uid, 0) - 1);
  const bound = bounds[place] ?? 0;
  return { place, bound, from: place === 0 ? 0 : bound, to: bounds[place + 1] ?? Number.POSITIVE_INFINITY };
}

/** The last one below `bound`; -1: none. */
function lastBelow(uids: readonly number[], bound: number): number {
  return uids[lowerBound(uids, bound) - 1] ?? -1;
}

/** The length of a chunk with what the head holds of its changes. */
function sizeWith({ lost, gained }: Head, chunk: readonly number[], { from, to }: Range): number {
  const come = lowerBound(gained, to) - lowerBound(gained, from);
  const gone = lowerBound(lost, to) - lowerBound(lost, from);
  return chunk.length + come - gone;
}

/** The same chunk. */
function withHeld(chunk: readonly number[], { lost, gained }: Head, range: Range): readonly number[] {
  const gone = within(lost, range);
  const come = within(gained, range);
  return gone.length + come.length === 0 ? chunk : exchanged(chunk, gone, come);
}

function within(uids: readonly number[], { from, to }: Range): readonly number[] {
  const start = lowerBound(uids, from);
  const end = lowerBound(uids, to, start);
  return start === end ? noUids : uids.slice(start, end);
}

/** Splits into full chunks: later uids are mostly appended. */
function cutInChunks(uids: readonly number[]): number[][] {
  const chunks: number[][] = [];
  for (let start = 0; start < uids.length; start += chunkSize) chunks.push(uids.slice(start, start + chunkSize));
  return chunks;
}

/** Appending leaves full chunks behind; inserting splits a chunk in halves. */
function split(uids: readonly number[], inserted: number): [low: number[], high: number[]] {
  const last = uids.length - 1;
  const cut = inserted === last ? last : uids.length >>> 1;
  return [uids.slice(0, cut), uids.slice(cut)];
}
