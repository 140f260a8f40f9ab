// What a JSON text holds is counted before it is parsed.

import { describe, expect, it } from "vitest";
import { type JsonBounds, JsonTooLarge, measureJson } from "../../../../adapters/server/http/measure-json.ts";
import { runAtOnce } from "../../../../core/index.ts";
import fc, { examples } from "../../../support/properties.ts";

const everything: JsonBounds = { maxValues: Number.POSITIVE_INFINITY, maxMembers: Number.POSITIVE_INFINITY, maxElements: Number.POSITIVE_INFINITY };
const measure = (text: string, bounds: Partial<JsonBounds> = {}) => runAtOnce(measureJson(Buffer.from(text), { ...everything, ...bounds }));
const parts = (text: string) => {
  const bytes = Buffer.from(text);
  return measure(text).members?.map(({ from, colon, to }) => [
    bytes.toString("utf8", from, colon).trim(),
    bytes.toString("utf8", colon + 1, to).trim(),
  ]);
};

/** Commas between values and brackets before them, counted on the value. */
function valuesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Object.values(value);
  return 1 + Math.max(0, members.length - 1) + members.reduce<number>((sum, each) => sum + valuesOf(each), 0);
}

describe("the measure of a JSON text", () => {
  it("finds the members of an object, whatever their texts hold", () => {
    expect(parts(' {"a":1, "b}\\":," : {"c":[1,{"d":2}]},"ü":"}{,:\\\\" } ')).toEqual([
      ['"a"', "1"],
      ['"b}\\":,"', '{"c":[1,{"d":2}]}'],
      ['"ü"', '"}{,:\\\\"'],
    ]);
  });

  it.each([
    ["an empty object", "{}", []],
    ["an object of blanks", "{ \n}", []],
    ["a list", '[{"a":1}]', undefined],
    ["a text", '"{}"', undefined],
    ["two objects", '{"a":1}{"b":1}', undefined],
    ["something before the object", '1 {"a":1}', undefined],
    ["something behind the object", '{"a":1} x', undefined],
    ["an object that does not end", '{"a":1', undefined],
    ["an object that a list's bracket ends", '{"a":1]', undefined],
    ["nothing", "", undefined],
  ])("finds the members of one object alone: %s", (_, text, members) => {
    expect(measure(text).members).toEqual(members);
  });

  it("leaves a member of nothing for the parser", () => {
    expect(parts('{"a":1,}')).toEqual([['"a"', "1"], expect.anything()]);
    expect(measure("{,}").members).toHaveLength(2);
  });

  it("counts commas and opening brackets outside of strings, and finds each member of any object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, 3), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        expect(measure(text).values).toBe(valuesOf(value));
        expect(parts(text)?.map(([key = "", each = ""]) => [JSON.parse(key), JSON.parse(each)])).toEqual(
          isObject ? Object.entries(JSON.parse(text)) : undefined,
        );
      }),
      { numRuns: examples(1_000) },
    );
  });

  it("is the same in one step and in many", () => {
    const text = JSON.stringify({ a: '\\"'.repeat(200_000), b: [..."x".repeat(100_000)], c: "ü".repeat(150_000) });
    let steps = 0;
    const measuring = measureJson(Buffer.from(text), everything);
    let step = measuring.next();
    for (; step.done !== true; step = measuring.next()) steps++;
    expect(steps).toBeGreaterThan(5);
    expect(step.value.values).toBe(1 + 2 + 1 + 99_999);
    expect(step.value.members?.length).toBe(3);
  });
});

describe("the check of a JSON text against bounds", () => {
  const excess = (text: string, bounds: Partial<JsonBounds> = {}) => {
    try {
      measure(text, bounds);
      return undefined;
    } catch (thrown) {
      return thrown instanceof JsonTooLarge ? thrown.excess : thrown;
    }
  };

  it.each([
    ["as many values as are allowed", "[1,2,3]", { maxValues: 3 }, undefined],
    ["one more", "[1,2,3,4]", { maxValues: 3 }, "values"],
    ["commas in a string", '[",,,,,,"]', { maxValues: 3 }, undefined],
    ["empty lists", "[[],[],[]]", { maxValues: 3 }, "values"],
    ["as many members as are allowed", '{"a":1,"b":2}', { maxMembers: 2 }, undefined],
    ["one more member", '{"a":1,"b":2,"c":3}', { maxMembers: 2 }, "members"],
    ["one more member inside a list", '[{"a":1,"b":2,"c":3}]', { maxMembers: 2 }, "members"],
    ["members of several objects", '[{"a":1,"b":2},{"a":1,"b":2}]', { maxMembers: 2 }, undefined],
    ["many elements in a list", "[1,2,3,4]", { maxMembers: 2 }, undefined],
    ["as many elements as are allowed", "[[1,2],[1,2]]", { maxElements: 2 }, undefined],
    ["one more element", '{"a":[1,[],3]}', { maxElements: 2 }, "elements"],
    ["more members than elements are allowed", '{"a":1,"b":2,"c":3}', { maxElements: 2 }, undefined],
    ["members of an object around a list", '{"a":[1,2,3],"b":2}', { maxMembers: 2 }, undefined],
    ["a number of 1,000 digits", `[${"1".repeat(1_000)}]`, {}, undefined],
    ["a number of 1,001 digits", `[${"1".repeat(1_001)}]`, {}, "number"],
    ["a string of 2,000 digits", `["${"1".repeat(2_000)}"]`, {}, undefined],
    ["2,000 short numbers", `[${"1, ".repeat(2_000)}1]`, {}, undefined],
    ["2,000 blanks", `[${" ".repeat(2_000)}]`, {}, undefined],
    ["lists 10,000 deep", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, {}, undefined],
    ["lists 10,001 deep", `${"[".repeat(10_001)}${"]".repeat(10_001)}`, {}, "depth"],
  ] as const)("names the bound that is exceeded, if there is one: %s", (_, text, bounds, found) => {
    expect(excess(text, bounds)).toBe(found);
  });
});
