// Counts, extremes and sums of lists of a compound index: their entries hold the values, so that no node is read.

import type { Measure, MeasureRow, Predicate, TypeName, Work } from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import type { SortKey } from "../structures/sort-keys.ts";
import { type CompoundMatch, compoundMatch, coversIndex } from "./compound.ts";
import { rangesIn } from "./compound-clause.ts";
import type { Reader } from "./reader.ts";

interface Counted {
  readonly types: readonly TypeName[];
  readonly where?: Predicate | undefined;
}

/** Undefined: the conditions are not those of a few lists, or a measure is over another field than its last one. */
export function* aggregateOfLists(reader: Reader, { types, where }: Counted, measures: readonly Measure[]): Work<MeasureRow | undefined> {
  const field = reader.schema.compounds.length === 0 ? undefined : measuredField(reader, measures);
  const match = field && compoundMatch(reader, { types, where }, field);
  if (match === undefined || match.rest.length > 0 || match.ranges.length > 1 || !coversIndex(match.index, types)) return undefined;
  const gauge = yield* gaugeOf(reader, match);
  const missing = match.ranges.length === 0 ? match.lists.reduce((count, list) => count + list.missing.count, 0) : 0;
  return measures.map((measure) =>
    measure.kind === "count" ? gauge.count + missing : gauge.count === 0 ? undefined : measured(gauge, measure.kind),
  );
}

/** The one field that all measures are over, where keys of an index hold its values as they are. */
function measuredField(reader: Reader, measures: readonly Measure[]): FieldRuntime | undefined {
  const names = new Set(measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field])));
  const [name] = names;
  const field = name === undefined || names.size > 1 ? undefined : reader.field(name);
  // A sum of floats depends on their order in the last digits: every storage adds them in the order of the nodes.
  const isExact = field?.kind === "int" || (field?.kind === "float" && measures.every(({ kind }) => kind !== "sum" && kind !== "avg"));
  return isExact ? field : undefined;
}

interface Gauge {
  count: number;
  sum: number;
  min: number;
  max: number;
}

function* gaugeOf(reader: Reader, match: CompoundMatch): Work<Gauge> {
  const gauge: Gauge = { count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  for (const list of match.lists) {
    for (const { block, from, to } of rangesIn(match, list).parts()) {
      const { keys } = list.valued.block(block);
      const last = Math.max(from, Math.min(to, keys.length));
      yield* reader.spend(last - from);
      extend(gauge, keys, from, last);
    }
  }
  return gauge;
}

function extend(gauge: Gauge, keys: readonly SortKey[], from: number, to: number): void {
  let { sum, min, max } = gauge;
  for (let i = from; i < to; i++) {
    const value = Number(keys[i]);
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  gauge.count += to - from;
  gauge.sum = sum;
  gauge.min = min;
  gauge.max = max;
}

function measured({ count, sum, min, max }: Readonly<Gauge>, kind: "min" | "max" | "sum" | "avg"): number {
  switch (kind) {
    case "min":
      return min;
    case "max":
      return max;
    case "sum":
      return sum;
    case "avg":
      return sum / count;
  }
}
