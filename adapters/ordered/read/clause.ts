// A compiled condition: an estimate of its matches, a way to list them, a test of single nodes.

import type { TypeName, Uid, Work } from "../../../core/storage.ts";
import { emptyStream, type Stream } from "./stream.ts";

/** Of a test, or the work that it takes. */
export type Answer = boolean | Work<boolean>;

export interface Test {
  (uid: Uid): boolean;
  /** The nodes of a block that pass, where that is faster than single tests. */
  readonly sieve?: (uids: readonly Uid[]) => readonly Uid[];
  /** The same for whoever can pause: a test that follows links takes as long as the node has partners. Most nodes have few, and are answered at once. */
  readonly inTurns?: (uid: Uid) => Answer;
}

export interface Clause {
  /** An estimate of the matches, rather too high; `Infinity` when unknown. */
  readonly estimate: number;
  /** Lists exactly the matches. Without it, nodes can only be tested. */
  readonly stream?: () => Work<Stream>;
  /** A superset of the matches that is cheaper than `stream`: a scan of it must test the clause too. */
  readonly among?: () => Work<Stream>;
  /** The cost of listing one node of `stream`, or of `among` if given: 1 for an existing list, more for one that must be computed. */
  readonly listing?: number;
  /** The exact number of matches, where it is known without a scan. */
  readonly exactCount?: number;
  /** Makes a test of single nodes; it is fastest in ascending order. */
  readonly tester: () => Test;
  /** The test reads records. */
  readonly records: boolean;
  /** The cost of a test: a lookup in a list or column is 1. */
  readonly cost: number;
  /** The cost of the first test of a node, where the answers to later ones are kept; undefined: that of each. */
  readonly firstCost?: number;
  /** Its tests can pause. */
  readonly mayTakeLong?: boolean;
  /** Nodes of other types never match. */
  readonly covers?: readonly TypeName[];
  /** Set when the clause is only a condition on the type: these types. */
  readonly typesOnly?: readonly TypeName[];
  /** Other clauses of its conjunction that hold for all its matches: a scan of its stream need not test them. */
  readonly implies?: readonly Clause[];
  /** The parts of a conjunction: a scan of one part that tests the others need not list the whole clause. */
  readonly conjuncts?: readonly Clause[];
}

/** The nodes to scan, and the tests that each must pass. */
export interface Driven {
  readonly stream: Stream;
  readonly tests: readonly Test[];
  readonly records: boolean;
  /** The number of leading tests that read no record. */
  readonly sifting: number;
  readonly cost: number;
  /** The cost of tests whose answers are not kept yet. */
  readonly firstCost: number;
  /** The clause of the stream: a scan of another index must test it too. */
  readonly driver: Clause;
}

/** The cost of a test that reads a record. */
export const recordCost = 20;
/** Collected from blocks and sorted by uid. */
export const sortedListing = 6;

// biome-ignore lint/correctness/useYield: a Work need not wait
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
