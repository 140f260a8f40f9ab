// A conjunction that gives values to the leading fields of a compound index, and perhaps a range to its last one: the index lists its nodes.

import type { Predicate, Work } from "../../../core/storage.ts";
import { type Clause, sortedListing } from "./clause.ts";
import { type CompoundMatch, compoundOf } from "./compound.ts";
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
  const ranges = rangesOf(match);
  const { missing, index } = match;
  const withMissing = match.ranges.length === 0;
  const rest = new Set<Predicate>([...match.rest, ...match.ranges.slice(1)]);
  return {
    estimate: ranges.estimate + (withMissing ? missing.count : 0),
    listing: sortedListing,
    stream: () => listed(reader, ranges, withMissing ? missing : undefined),
    tester: () => () => true,
    records: false,
    cost: 0,
    covers: index.types,
    implies: parts.flatMap((part) => (rest.has(part) ? [] : (clauseOf(part) ?? []))),
  };
}

/** The entries that satisfy the first of the ranges. */
export function rangesOf({ valued, index, ranges: [range] }: CompoundMatch): Ranges {
  return new Ranges(valued, range === undefined ? [wholeList] : spansOf(index.field, range));
}

function* listed(reader: Reader, ranges: Ranges, missing: Stream | undefined): Work<Stream> {
  const valued = yield* ranges.read(reader);
  return missing === undefined ? valued : unionOf([valued, missing]);
}
