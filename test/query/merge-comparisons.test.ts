import { describe, expect, it } from "vitest";
import type { Compare, Predicate } from "../../core/contracts/predicate.ts";
import { matcher } from "../../core/query/evaluate/matcher.ts";
import { type ComparedField, mergeAlternatives, mergeConjuncts } from "../../core/query/plan/merge-comparisons.ts";
import fc from "../support/properties.ts";

const single = (): ComparedField => ({ kind: "int", list: false });
const listed = (): ComparedField => ({ kind: "int", list: true });
const size = (op: Compare["op"], ...operands: number[]): Compare => ({ kind: "compare", field: "size", op, operands });

describe("alternatives", () => {
  it.each<[string, Compare[], Compare[]]>([
    ["one bound for all in one direction", [size("gt", 5), size("ge", 3), size("gt", 3), size("gt", 9)], [size("ge", 3)]],
    ["both directions", [size("lt", 2), size("le", 2), size("gt", 7)], [size("le", 2), size("gt", 7)]],
    [
      "intervals that share a value",
      [size("between", 1, 3), size("between", 3, 5), size("between", 7, 9)],
      [size("between", 1, 5), size("between", 7, 9)],
    ],
    ["an interval within a bound", [size("between", 1, 3), size("gt", 0), size("between", 4, 2)], [size("gt", 0)]],
    [
      "an interval that reaches beyond a bound",
      [size("between", 1, 3), size("gt", 2), size("lt", 1)],
      [size("lt", 1), size("between", 1, 3), size("gt", 2)],
    ],
    ["equal values", [size("eq", 1), size("in", 2, 1), size("eq", 3)], [size("in", 1, 2, 3)]],
  ])("merge where one condition says the same: %s", (_, parts, merged) => expect(mergeAlternatives(parts, single)).toEqual(merged));

  it("are one for 20,000 that repeat each other", () => {
    expect(mergeAlternatives(Array(20_000).fill(size("gt", 0)), single)).toEqual([size("gt", 0)]);
  });

  it("keep what is no comparison, and comparisons with values of several kinds", () => {
    const others: Predicate[] = [{ kind: "has", field: "size" }, { kind: "all" }, size("gt", 1)];
    expect(mergeAlternatives(others, single)).toEqual([size("gt", 1), ...others.slice(0, 2)]);
    const mixed: Compare[] = [size("gt", 1), { ...size("gt"), operands: [2n] }, size("gt", 3)];
    expect(mergeAlternatives(mixed, single)).toEqual(mixed);
  });
});

const compares = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom("lt", "le", "gt", "ge", "eq"), fc.integer({ min: 0, max: 9 })).map(([op, a]) => size(op as Compare["op"], a)),
    fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })).map(([a, b]) => size("between", a, b)),
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }).map((all) => size("in", ...all)),
  ),
  { minLength: 1, maxLength: 12 },
);
const facts = { kindOf: () => "int" as const, index: () => undefined, linked: () => false };

it.each([
  ["or", "a field with one value", mergeAlternatives, single],
  ["or", "a list", mergeAlternatives, listed],
  ["and", "a field with one value", mergeConjuncts, single],
  ["and", "a list", mergeConjuncts, listed],
] as const)("holds for the same nodes as before: %s over %s", (kind, what, merge, fields) => {
  const values = what === "a list" ? fc.array(fc.integer({ min: -1, max: 10 })) : fc.option(fc.integer({ min: -1, max: 10 }), { nil: undefined });
  const holds = (of: readonly Predicate[], value: number[] | number | undefined) =>
    matcher({ kind, of }, facts)({ uid: 1, type: "T", value: () => value });
  fc.assert(
    fc.property(compares, values, (parts, value) => holds(merge(parts, fields), value) === holds(parts, value)),
    { numRuns: 2_000 },
  );
});
