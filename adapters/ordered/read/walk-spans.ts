// Cuts a walk of an ordered index into spans and runs. A walk can pause between two spans, however long a run of equal values is.

import type { OrderedView, Position } from "../structures/ordered-view.ts";
import type { SortKey } from "../structures/sort-keys.ts";
import type { WalkStart } from "./walk-start.ts";

/** Adjacent entries of one block. */
export interface Span {
  readonly from: Position;
  readonly to: Position;
  /** Visit the runs of equal values from the last to the first. Within a run uids always ascend. */
  readonly isDown: boolean;
}

/** All entries with one value, or what is left of them behind the start. They may lie in several blocks. */
export interface Run {
  readonly from: Position;
  readonly to: Position;
}

export interface WalkOptions {
  readonly start: WalkStart;
  readonly isDown: boolean;
}

/** The entries from the start on, in order. */
export function* spansOf(entries: OrderedView, { start, isDown }: WalkOptions): Generator<Span> {
  if (start === "nowhere") return;
  if (start === "beginning") yield* isDown ? spansDown(entries, lastOf(entries)) : spansBetween(entries, entries.start(), entries.end());
  else if (!isDown) yield* spansBetween(entries, entries.lowerBound(start.key, start.uid), entries.end());
  else {
    yield* spansOfRun(entries, { from: entries.lowerBound(start.key, start.uid), to: entries.lowerBound(start.key, Number.POSITIVE_INFINITY) });
    yield* spansDown(entries, entries.lowerBound(start.key, 0));
  }
}

/** The same entries, run by run. */
export function* runsOf(entries: OrderedView, { start, isDown }: WalkOptions): Generator<Run> {
  if (start === "nowhere") return;
  if (start === "beginning") yield* isDown ? runsDown(entries, lastOf(entries)) : runsUp(entries, entries.start());
  else if (!isDown) yield* runsUp(entries, entries.lowerBound(start.key, start.uid));
  else {
    yield { from: entries.lowerBound(start.key, start.uid), to: entries.lowerBound(start.key, Number.POSITIVE_INFINITY) };
    yield* runsDown(entries, entries.lowerBound(start.key, 0));
  }
}

/** The most entries of a portion: a test that follows links may take as long as a node has partners. */
export const portionEntries = 32;

/** The same entries in the same order, cut where a walk may pause. */
export function* portionsOf(entries: OrderedView, { from, to, isDown }: Span): Generator<Span> {
  const { block } = from;
  const { keys } = entries.block(block);
  const last = to.block === block ? Math.min(to.index, keys.length) : keys.length;
  if (isDown) yield* portionsDown(keys, { block, first: from.index, last });
  else yield* portionsUp({ block, first: from.index, last });
}

interface Entries {
  readonly block: number;
  readonly first: number;
  readonly last: number;
}

function* portionsUp({ block, first, last }: Entries): Generator<Span> {
  for (let index = first; index < last; index += portionEntries)
    yield { from: { block, index }, to: { block, index: Math.min(last, index + portionEntries) }, isDown: false };
}

/** Whole runs, but a run that is longer than a portion comes in several, upwards. */
function* portionsDown(keys: readonly SortKey[], { block, first, last }: Entries): Generator<Span> {
  for (let end = last; end > first; ) {
    let start = runStart(keys, first, end);
    if (end - start > portionEntries) yield* portionsUp({ block, first: start, last: end });
    else {
      for (let next = start; next > first && end - next <= portionEntries; next = runStart(keys, first, next)) start = next;
      yield { from: { block, index: start }, to: { block, index: end }, isDown: true };
    }
    end = start;
  }
}

/** Where the run begins that ends before `end`. */
function runStart(keys: readonly SortKey[], first: number, end: number): number {
  let start = end - 1;
  while (start > first && keys[start - 1] === keys[end - 1]) start--;
  return start;
}

export function spansOfRun(entries: OrderedView, { from, to }: Run): Generator<Span> {
  return spansBetween(entries, from, to);
}

function* spansBetween(entries: OrderedView, from: Position, to: Position): Generator<Span> {
  for (let { block, index } = from; block <= to.block && block < entries.blockCount; block++, index = 0)
    yield { from: { block, index }, to: block === to.block ? to : { block: block + 1, index: 0 }, isDown: false };
}

/** In each block the runs that begin in it, then the one that may begin before it. */
function* spansDown(entries: OrderedView, end: Position): Generator<Span> {
  for (let to = end; to.block >= 0; ) {
    const { block } = to;
    const { keys } = entries.block(block);
    const last = Math.min(to.index, keys.length);
    const [key] = keys;
    if (last === 0 || key === undefined) {
      to = endBefore(block);
      continue;
    }
    let firstEnd = 1;
    while (firstEnd < last && keys[firstEnd] === key) firstEnd++;
    if (firstEnd < last) yield { from: { block, index: firstEnd }, to: { block, index: last }, isDown: true };
    const from = block === 0 ? entries.start() : entries.lowerBound(key, 0);
    yield* spansBetween(entries, from, { block, index: firstEnd });
    to = from.index === 0 ? endBefore(from.block) : from;
  }
}

function* runsUp(entries: OrderedView, start: Position): Generator<Run> {
  let from = start;
  for (let first = entries.entryAt(from); first !== undefined; first = entries.entryAt(from)) {
    const to = entries.lowerBound(first.key, Number.POSITIVE_INFINITY);
    yield { from, to };
    from = to;
  }
}

/** Most runs begin and end in one block: only longer ones need a search. */
function* runsDown(entries: OrderedView, end: Position): Generator<Run> {
  let to = end;
  while (to.block >= 0) {
    const { keys } = entries.block(to.block);
    const last = Math.min(to.index, keys.length);
    if (last === 0) {
      to = endBefore(to.block);
      continue;
    }
    const key = keys[last - 1] ?? 0;
    let start = last - 1;
    while (start > 0 && keys[start - 1] === key) start--;
    const from: Position = start === 0 && to.block > 0 ? entries.lowerBound(key, 0) : { block: to.block, index: start };
    yield { from, to: { block: to.block, index: last } };
    to = from;
  }
}

function lastOf(entries: OrderedView): Position {
  return endBefore(entries.blockCount);
}

/** The end of the block before. */
function endBefore(block: number): Position {
  return { block: block - 1, index: Number.POSITIVE_INFINITY };
}
