// The interval tree against a linear search.

import { expect, it } from "vitest";
import { type Interval, IntervalSet } from "../../../../../plugins/subscription/live/dependencies/interval-set.ts";
import fc from "../../../../support/properties.ts";

const bound = fc.option(fc.integer({ min: -5, max: 25 }), { nil: undefined });
const plain = ({ low, high }: Interval, value: number) =>
  (low === undefined || Number(low) <= value) && (high === undefined || Number(high) >= value);

it("finds exactly the intervals that hold a value, after any additions and deletions", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(30), bound, bound, fc.boolean()), { maxLength: 120 }),
      fc.array(fc.integer({ min: -7, max: 27 })),
      (steps, values) => {
        const set = new IntervalSet<number>("int");
        const model = new Map<number, Interval>();
        for (const [entry, low, high, on] of steps) {
          if (on) {
            set.add(entry, { low, high });
            model.set(entry, { low, high });
          } else {
            set.delete(entry);
            model.delete(entry);
          }
          const value = values[entry % Math.max(1, values.length)] ?? 0;
          const found: number[] = [];
          set.visit(value, (each) => found.push(each));
          const expected = [...model].flatMap(([each, interval]) => (plain(interval, value) ? [each] : []));
          expect(found.sort()).toEqual(expected.sort());
        }
        expect(set.size).toBe(model.size);
      },
    ),
  );
});

it("compares strings by their bytes and includes both bounds", () => {
  const set = new IntervalSet<string>("string");
  set.add("a to c", { low: "a", high: "c" });
  set.add("from \uffff", { low: "\uffff", high: undefined });
  const at = (value: string) => {
    const found: string[] = [];
    set.visit(value, (each) => found.push(each));
    return found;
  };
  expect([at("a"), at("c"), at("ca"), at("😀"), at("\ufffe")]).toEqual([["a to c"], ["a to c"], [], ["from \uffff"], []]);
});

it("finds what was added, changed and deleted after a search, and keeps no second interval of it", () => {
  const set = new IntervalSet<number>("int");
  for (let i = 0; i < 100; i++) set.add(i, { low: i, high: i });
  const at = (value: number) => {
    const found: number[] = [];
    set.visit(value, (each) => found.push(each));
    return found;
  };
  expect(at(7)).toEqual([7]);
  set.add(7, { low: 8, high: 8 });
  set.delete(9);
  expect([at(7), at(8).sort(), at(9)]).toEqual([[], [7, 8], []]);
  set.add(9, { low: 9, high: 9 });
  expect(at(9)).toEqual([9]);
});
