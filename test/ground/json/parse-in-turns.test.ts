// Long JSON texts are parsed slice by slice. `JSON.parse` is the oracle, for valid and for damaged texts.

import { setImmediate as iteration } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parseJsonInTurns } from "../../../core/index.ts";

/** Long enough for several slices. */
const filler = Array.from({ length: 9_000 }, (_, i) => ({ name: `mill "${i}" \\ über [${i}}`, tags: [i, null, true, { at: -1.5e3 }], "": {} }));

const outcome = async (parse: () => unknown) => {
  try {
    return { value: await parse() };
  } catch (error) {
    return { error: error instanceof SyntaxError };
  }
};

describe("a long text", () => {
  it.each([
    ["an array", filler],
    ["an object", { query: "{ a }", variables: { input: filler, after: "x" }, extensions: {} }],
    ["one with long members beside short ones", [1, filler, "two", filler, [], {}, [[[filler]]], null]],
    ["one with a long string", { a: 'x"]}{[,\\'.repeat(80_000), b: filler }],
    ["a string that ends the text", [filler, "\\"]],
  ])("has the value that JSON.parse gives it: %s", async (_, value) => {
    for (const space of [0, 1]) {
      const text = ` ${JSON.stringify(value, null, space)}\n`;
      expect(JSON.stringify(await parseJsonInTurns(text))).toBe(JSON.stringify(value));
    }
  });

  it("keeps all digits, and members with the names of the prototype", async () => {
    const text = `{"a":${JSON.stringify(filler)},"__proto__":[${JSON.stringify(filler)}],"constructor":9007199254740993,"a":1}`;
    const value = Object(await parseJsonInTurns(text));
    expect(Object.keys(value)).toEqual(["a", "__proto__", "constructor"]);
    expect([value.a, value.constructor, Object.getOwnPropertyDescriptor(value, "__proto__")?.value[0].length]).toEqual([
      1,
      9007199254740993n,
      filler.length,
    ]);
  });

  it("lets others run between", async () => {
    let turns = 0;
    let isRunning = true;
    const count = async () => {
      for (; isRunning; turns++) await iteration();
    };
    const counting = count();
    await parseJsonInTurns(JSON.stringify([filler, filler, filler, filler]));
    isRunning = false;
    await counting;
    expect(turns).toBeGreaterThan(1);
  });

  const long = JSON.stringify({ a: filler, b: [filler.slice(0, 2_000)], c: { d: filler } });
  const end = long.length - 1;
  const middle = long.indexOf("},{", 300_000) + 1;
  it.each([
    ["no end", long.slice(0, end)],
    ["no end of a text", long.slice(0, long.lastIndexOf('"') - 3)],
    ["a wrong bracket at the end", `${long.slice(0, end)}]`],
    ["a wrong bracket within", `${long.slice(0, middle - 1)}]${long.slice(middle)}`],
    ["a second value", `${long}{}`],
    ["a comma too many at the end", `${long.slice(0, end)},}`],
    ["a comma too many at the start", `[,${long}]`],
    ["a comma too many within", `${long.slice(0, middle)},${long.slice(middle)}`],
    ["no comma", `${long.slice(0, middle)}${long.slice(middle + 1)}`],
    ["no comma between long members", `[${long}${long}]`],
    ["a comma too many behind a long member", `[${long},]`],
    ["a value before a long member", `[1${long}]`],
    ["a value behind a long member", `[${long}1]`],
    ["a number before a long member of an object", `{"a":1${long}}`],
    ["no key", `{${long}}`],
    ["two keys", `{"a":"b":${long}}`],
    ["a comment", `[/**/${long}]`],
  ])("is refused as JSON.parse refuses it: %s", async (_, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(await outcome(() => parseJsonInTurns(text))).toEqual({ error: true });
  });

  it("is accepted or refused alike when one character is another", async () => {
    for (let i = 0; i < 10; i++) {
      const at = (i * 7_919_007) % long.length;
      const text = `${long.slice(0, at)}${'{}[],:" x\\'[i % 10]}${long.slice(at + 1)}`;
      const [expected, found] = [await outcome(() => JSON.parse(text)), await outcome(() => parseJsonInTurns(text))];
      expect({ i, value: JSON.stringify(found) }).toEqual({ i, value: JSON.stringify(expected) });
    }
  });

  it("is refused where it is nested without end", async () => {
    expect(await outcome(() => parseJsonInTurns("[".repeat(400_000)))).toEqual({ error: true });
  });
});
