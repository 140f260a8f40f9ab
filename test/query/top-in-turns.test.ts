// Rows that are filtered, ordered and cut in turns: the same page as without them, and work between two looks at the clock that does not grow.

import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../core/ground/limits.ts";
import { run, wait } from "../../core/ground/work.ts";
import { topK } from "../../core/query/evaluate/top.ts";
import { topInSteps } from "../../core/query/evaluate/top-in-steps.ts";
import { each, mapped } from "../../core/query/sorting/mapped.ts";
import { RequestBudget } from "../../core/request/budget/budget.ts";
import fc from "../support/properties.ts";

interface Row {
  readonly n: number;
  readonly place: number;
}

const rowsOf = (numbers: readonly number[]): readonly Row[] => numbers.map((n, place) => ({ n, place }));
const byNumber = (a: Row, b: Row) => a.n - b.n || a.place - b.place;

/** Counts the comparisons between two looks at the clock. */
class LookingBudget extends RequestBudget {
  compared = 0;
  most = 0;
  looks = 0;

  override get isTurnOver(): boolean {
    this.looks++;
    this.most = Math.max(this.most, this.compared);
    this.compared = 0;
    return super.isTurnOver;
  }
}

describe("topInSteps", () => {
  it("gives the page that a plain sort gives, for any rows, condition and page", async () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 3_000, size: "max" });
    const page = fc.record({ offset: fc.integer({ min: 0, max: 700 }), first: fc.option(fc.integer({ min: 0, max: 700 }), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(numbers, page, fc.integer({ min: 1, max: 5 }), async (of, { offset, first }, step) => {
        const passes = ({ n }: Row) => n % step === 0;
        const rows = rowsOf(of);
        const expected = topK(rows.filter(passes), byNumber, { offset, ...(first !== undefined && { first }) });
        expect(
          await run(topInSteps(rows, { passes, compare: byNumber, page: { offset, first } }), new RequestBudget({ limits: defaultLimits })),
        ).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it.each([undefined, 10, 30_000])("looks at the clock after some thousand comparisons, first: %s of 60,000 rows", async (first) => {
    const budget = new LookingBudget({ limits: { ...defaultLimits, maxTimeMs: 600_000 } });
    const rows = rowsOf(Array.from({ length: 60_000 }, (_, i) => (i * 7_919) % 60_013));
    const compare = (a: Row, b: Row) => {
      budget.compared++;
      return byNumber(a, b);
    };
    const page = await run(topInSteps(rows, { passes: () => true, compare, page: { offset: 0, first } }), budget);
    expect(page).toHaveLength(first ?? 60_000);
    expect(budget.looks).toBeGreaterThan(100);
    expect(budget.most).toBeLessThan(8_000);
  });
});

describe("each", () => {
  it("gives the results in order, whether the work answers at once or later, and waits for a turn when its own is over", async () => {
    let turns = 0;
    let left = 3;
    const budget = {
      get isTurnOver() {
        return --left === 0;
      },
      async turn() {
        turns++;
        left = 3;
      },
    };
    const tenfold = each([1, 2, 3, 4, 5, 6, 7], (n) => wait(n % 2 === 0 ? Promise.resolve(n * 10) : n));
    expect(await run(tenfold, budget)).toEqual([1, 20, 3, 40, 5, 60, 7]);
    expect(turns).toBe(2);
    expect(run(each([1, 2], wait), { ...budget, isTurnOver: false })).toEqual([1, 2]);
  });
});

describe("mapped", () => {
  it.each([0, 1, 2_047, 2_048, 2_049, 10_000])("gives what map gives of %s items, in order", async (count) => {
    const items = Array.from({ length: count }, (_, i) => i);
    const turns = { isTurnOver: true, turn: async () => undefined };
    expect(
      await run(
        mapped(items, (item, place) => [item * 2, place]),
        turns,
      ),
    ).toEqual(items.map((item, place) => [item * 2, place]));
  });
});
