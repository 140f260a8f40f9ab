// A comparison with many values looks them up. It holds for the values for which a comparison with one of them holds.

import { describe, expect, it } from "vitest";
import { compareValues } from "../../core/ground/values/compare.ts";
import type { Value, ValueKind } from "../../core/ground/values/value.ts";
import { comparison } from "../../core/query/evaluate/matcher.ts";

const seven = [11, 12, 13, 14, 15, 16, 17];

describe("in, with many operands", () => {
  it.each<[string, ValueKind, readonly Value[], readonly Value[]]>([
    ["numbers", "float", [...seven, -0, Number.NaN, 1.5], [0, -0, 1.5, Number.NaN, 1, 2n, "11"]],
    ["integers of 64 bits", "int64", [...seven.map(BigInt), 3n, 2n ** 62n], [3n, 3, 2n ** 62n, 4n]],
    ["texts", "string", [...seven.map(String), "é", "e\u0301"], ["é", "e\u0301", "e", "11", 11]],
    [
      "instants, however they are written, and texts that are none",
      "dateTime",
      [...seven.map((day) => `2031-04-${day}T00:00:00Z`), "2031-04-09T06:00:00+02:00", "never"],
      ["2031-04-09T04:00:00Z", "2031-04-09T06:00:00Z", "2031-04-11T00:00:00.000Z", "never", "1933560000 0"],
    ],
  ])("holds for the values that equal an operand: %s", (_, kind, operands, values) => {
    const holds = comparison({ kind: "compare", field: "f", op: "in", operands }, kind);
    for (const value of values) expect([value, holds(value)]).toEqual([value, operands.some((operand) => compareValues(kind, value, operand) === 0)]);
  });

  it("reads no operand again for each value", () => {
    let reads = 0;
    const operands = new Proxy(
      Array.from({ length: 1_000 }, (_, i) => i),
      {
        get: (target, name, receiver) => {
          if (typeof name === "string" && /^\d+$/.test(name)) reads++;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    const holds = comparison({ kind: "compare", field: "f", op: "in", operands }, "int");
    for (let value = 0; value < 2_000; value++) expect(holds(value)).toBe(value < 1_000);
    expect(reads).toBeLessThan(3_000);
  });
});
