// Conjunctions, disjunctions and complements. Chooses the part of a conjunction that is scanned while the others are tested.

import type { Work } from "../../../core/storage.ts";
import { at, type Clause, type Driven, everything, nothing, sortedListing, type Test } from "./clause.ts";
import { listedUnion } from "./listed.ts";
import { every, negated, some } from "./long-tests.ts";
import type { Reader } from "./reader.ts";
import { gather } from "./scan.ts";
import { emptyStream, type Stream, streamOf, unionOf } from "./stream.ts";

/** The parts of nested conjunctions. */
export function flatten(clauses: readonly Clause[]): readonly Clause[] {
  return clauses.flatMap((clause) => (clause.conjuncts === undefined ? [clause] : flatten(clause.conjuncts)));
}

export function allOf(reader: Reader, conjuncts: readonly Clause[]): Clause {
  const parts = flatten(conjuncts);
  if (parts.length === 1) return parts[0] ?? everything;
  const listed = cheapest(parts);
  const covers = parts.find((part) => part.covers !== undefined)?.covers;
  const clause: Clause = {
    estimate: Math.min(...parts.map((part) => part.estimate)),
    tester: () => everyTest(parts),
    records: parts.some((part) => part.records),
    cost: parts.reduce((sum, part) => sum + part.cost, 0),
    ...longOf(parts),
    ...(covers && { covers }),
  };
  if (listed === undefined) return { ...clause, conjuncts: parts };
  return { ...clause, listing: listed.listing ?? 1, stream: () => listOf(reader, parts), among: () => walkOf(listed), conjuncts: parts };
}

function longOf(parts: readonly Clause[]): Pick<Clause, "mayTakeLong"> {
  return parts.some((part) => part.mayTakeLong) ? { mayTakeLong: true } : {};
}

/** The clause that is cheapest to list; undefined when none can be listed. */
function cheapest(parts: readonly Clause[]): Clause | undefined {
  let best: Clause | undefined;
  for (const part of parts) if (part.stream !== undefined && (best === undefined || listingCost(part) < listingCost(best))) best = part;
  return best;
}

function listingCost({ estimate, listing = 1 }: Clause): number {
  return estimate * listing;
}

function walkOf({ among, stream }: Clause): Work<Stream> {
  return (among ?? stream)?.() ?? at(emptyStream);
}

export function everyTest(parts: readonly Clause[]): Test {
  return every(testsOf(parts));
}

export function* listOf(reader: Reader, parts: readonly Clause[]): Work<Stream> {
  return streamOf(yield* gather(reader, yield* chooseDriver(parts), { limit: Number.POSITIVE_INFINITY, after: 0 }));
}

/** Scans the clause with the fewest nodes and tests the others, cheapest first. At least one part has a stream. */
export function* chooseDriver(parts: readonly Clause[]): Work<Driven> {
  const driver = cheapest(parts) ?? nothing;
  const isTested = (part: Clause) => (part === driver ? part.among !== undefined : driver.implies?.includes(part) !== true);
  const others = parts.filter(isTested).sort((a, b) => a.cost - b.cost);
  const tests = others.map((part) => part.tester());
  const stream = yield* walkOf(driver);
  const reading = others.findIndex((part) => part.records);
  const cost = others.reduce((sum, part) => sum + part.cost, 0);
  const firstCost = others.reduce((sum, part) => sum + (part.firstCost ?? part.cost), 0);
  return { stream, tests, records: reading >= 0, sifting: reading < 0 ? others.length : reading, cost, firstCost, driver };
}

export function anyOf(reader: Reader, parts: readonly Clause[]): Clause {
  const covers = parts.every((part) => part.covers !== undefined) ? [...new Set(parts.flatMap((part) => part.covers ?? []))] : undefined;
  const clause: Clause = {
    estimate: parts.reduce((sum, part) => sum + part.estimate, 0),
    tester: () => someTest(parts),
    records: parts.some((part) => part.records),
    cost: parts.reduce((sum, part) => sum + part.cost, 0),
    ...longOf(parts),
    ...(covers && { covers }),
  };
  if (parts.some((part) => part.stream === undefined)) return clause;
  return { ...clause, listing: Math.max(sortedListing, ...parts.map((part) => part.listing ?? 1)), stream: () => unionWork(reader, parts) };
}

function someTest(parts: readonly Clause[]): Test {
  return some(testsOf(parts));
}

/** More streams than these are listed. */
const fewStreams = 16;

function* unionWork(reader: Reader, parts: readonly Clause[]): Work<Stream> {
  const streams: Stream[] = [];
  for (const part of parts) {
    if (part.stream !== undefined) streams.push(yield* part.stream());
    yield* reader.spend(0);
  }
  return streams.length <= fewStreams ? unionOf(streams) : yield* listedUnion(reader, streams, (stream) => stream);
}

export function complementOf(inner: Clause): Clause {
  return { estimate: Number.POSITIVE_INFINITY, tester: () => negated(inner.tester()), records: inner.records, cost: inner.cost, ...longOf([inner]) };
}

/** The cheapest first. */
function testsOf(parts: readonly Clause[]): readonly Test[] {
  return [...parts].sort((a, b) => a.cost - b.cost).map((part) => part.tester());
}
