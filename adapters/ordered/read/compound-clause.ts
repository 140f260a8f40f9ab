// A conjunction that gives values to the leading fields of a compound index, and perhaps a range to its last one: the index lists its nodes.

import type { Predicate, Work } from "../../../core/storage.ts";
import { type Clause, sortedListing } from "./clause.ts";
import { type CompoundList, type CompoundMatch, compoundOf } from "./compound.ts";
import { Ranges, spansOf, wholeList } from "./key-spans.ts";
import type { Reader } from "./reader.ts";
import { type Stream, unionOf } from "./stream.ts";

/**
 * One more clause, which holds for the same nodes as several of `parts` together.
 *
 * @param clauseOf the clause of one of `parts`
 */
export function compoundClause(reader: Reader, parts: readonly Predicate[], clauseOf: (part: Predicate) => Clause | undefined): Clause | undefined {
  const match = reader.schema.compounds.length === 0 || parts.length < 2 ? undefined : compoundOf(reader, parts);
  if (match === undefined) return undefined;
  const ranges = match.lists.map((list) => rangesIn(match, list));
  const missing = match.ranges.length === 0 ? match.lists.map((list) => list.missing) : [];
  const rest = new Set<Predicate>([...match.rest, ...match.ranges.slice(1)]);
  return {
    estimate: sum(ranges.map(({ estimate }) => estimate)) + sum(missing.map(({ count }) => count)),
    listing: sortedListing,
    stream: () => listed(reader, ranges, missing),
    tester: () => () => true,
    records: false,
    cost: 0,
    covers: match.index.types,
    implies: parts.flatMap((part) => (rest.has(part) ? [] : (clauseOf(part) ?? []))),
  };
}

/** The entries of a list that satisfy the first of the ranges. */
export function rangesIn({ index, ranges: [range] }: CompoundMatch, { valued }: CompoundList): Ranges {
  return new Ranges(valued, range === undefined ? [wholeList] : spansOf(index.field, range));
}

function* listed(reader: Reader, ranges: readonly Ranges[], missing: readonly Stream[]): Work<Stream> {
  const streams: Stream[] = [...missing];
  for (const each of ranges) streams.push(yield* each.read(reader));
  const [only] = streams;
  return only !== undefined && streams.length === 1 ? only : unionOf(streams);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
