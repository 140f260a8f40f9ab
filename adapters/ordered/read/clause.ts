// What the reader knows of a condition before it looks: how many nodes may satisfy it, how to list them, how to test a single one.

import type { TypeName, Uid } from "../../../core/index.ts";
import { emptyStream, type Stream } from "./stream.ts";
import type { Work } from "./work.ts";

export interface Test {
  (uid: Uid): boolean;
  /** Those of a block that pass, where that is quicker than one by one. */
  readonly sieve?: (uids: readonly Uid[]) => readonly Uid[];
}

export interface Clause {
  /** How many nodes satisfy it, roughly and rather too many; `Infinity` when it cannot say. */
  readonly estimate: number;
  /** Exactly the nodes that satisfy it. Without it, it can only be tested. */
  readonly stream?: () => Work<Stream>;
  /** Nodes among which are all that satisfy it, where they are at hand sooner than the stream: who walks them tests the clause as well. */
  readonly among?: () => Work<Stream>;
  /** What one node of the stream (of `among`, where there is one) costs to list; 1 where the list is there, more where it has to be made first. */
  readonly listing?: number;
  /** How many nodes satisfy it, where that is known without looking. */
  readonly exactCount?: number;
  /** Makes a test of single nodes, quickest when asked in ascending order. */
  readonly tester: () => Test;
  /** The test looks at records. */
  readonly records: boolean;
  /** What a test costs: a look at a list or column is 1. */
  readonly cost: number;
  /** Nodes of other types never satisfy it. */
  readonly covers?: readonly TypeName[];
  /** It is nothing but a condition on the type, and these are the types. */
  readonly typesOnly?: readonly TypeName[];
  /** It is the conjunction of these: whoever walks one of them and tests the others need not list it whole. */
  readonly conjuncts?: readonly Clause[];
}

/** What to walk, and what each node on the way must pass. */
export interface Driven {
  readonly stream: Stream;
  readonly tests: readonly Test[];
  readonly records: boolean;
  /** So many of the first tests look at no record. */
  readonly sifting: number;
  readonly cost: number;
  /** The clause behind the stream, for whoever walks something else and must test this too. */
  readonly driver: Clause;
}

/** Of a test that reads a record. */
export const recordCost = 20;
/** Gathered from blocks and sorted by uid. */
export const sortedListing = 6;

// biome-ignore lint/correctness/useYield: a Work that never waits is a Work all the same
export function* at<T>(value: T): Work<T> {
  return value;
}

export const everything: Clause = { estimate: Number.POSITIVE_INFINITY, tester: () => () => true, records: false, cost: 0 };
export const nothing: Clause = {
  estimate: 0,
  stream: () => at(emptyStream),
  exactCount: 0,
  tester: () => () => false,
  records: false,
  cost: 0,
  covers: [],
};

export function ofStream(stream: Stream, covers?: readonly TypeName[]): Clause {
  return {
    estimate: stream.count,
    stream: () => at(stream),
    ...(stream.exact && { exactCount: stream.count }),
    tester: () => (uid) => stream.contains(uid),
    records: false,
    cost: 1,
    ...(covers && { covers }),
  };
}
