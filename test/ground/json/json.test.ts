import { describe, expect, it } from "vitest";
import { parseJson } from "../../../core/ground/json/parse-json.ts";
import { writeJsonInTurns } from "../../../core/ground/json/write-in-turns.ts";
import { writeJson } from "../../../core/ground/json/write-json.ts";
import fc from "../../support/properties.ts";

/** Makes the reader take its second look, whatever `text` holds. */
function beside(text: string): string {
  return `[1234567890123456,${text}]`;
}
function readBeside(text: string): unknown {
  return (parseJson(beside(text)) as unknown[])[1];
}

/** What is left when long integers lose their digits: the view of JSON.parse. */
function asDoubles(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(asDoubles);
  if (typeof value !== "object" || value === null) return value;
  const copy = {};
  for (const [key, member] of Object.entries(value)) Object.defineProperty(copy, key, { value: asDoubles(member), enumerable: true });
  return copy;
}

describe("parseJson", () => {
  it("keeps every digit of integers that a double cannot hold, and only of these", () => {
    expect(parseJson("[9007199254740991,9007199254740992,9007199254740993]")).toEqual([9007199254740991, 9007199254740992n, 9007199254740993n]);
    expect(parseJson("[-9007199254740991,-9007199254740993,9223372036854775807]")).toEqual([
      -9007199254740991,
      -9007199254740993n,
      9223372036854775807n,
    ]);
    expect(parseJson("[12345678901234567.0,12345678901234567e0,0.12345678901234567]")).toEqual([
      12345678901234568, 12345678901234568, 0.12345678901234566,
    ]);
  });

  it("leaves digits inside texts and keys alone", () => {
    expect(parseJson('{"9007199254740993":"9007199254740993","\\"9007199254740993":1}')).toEqual({
      "9007199254740993": "9007199254740993",
      '"9007199254740993': 1,
    });
  });

  it("reads strings that end in backslashes", () => {
    expect(readBeside('["a\\\\","b\\\\\\"","c\\u0022"]')).toEqual(["a\\", 'b\\"', 'c"']);
  });

  it("makes `__proto__` an ordinary member and lets the last of equal keys win, in the place of the first", () => {
    const read = readBeside('{"__proto__":{"polluted":true},"a":1,"b":2,"a":3,"__proto__":5}') as object;
    expect(Object.entries(read)).toEqual(Object.entries(JSON.parse('{"__proto__":5,"a":3,"b":2}')));
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("knows no depth at which it breaks", () => {
    const depth = 200_000;
    let inner = parseJson(`${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`);
    for (let level = 0; level < depth; level += 1) inner = (inner as unknown[])[0];
    expect(inner).toBe(9007199254740993n);
  });

  it("does not spend more than linear time on endless digits", () => {
    expect(parseJson("9".repeat(5_000_000))).toBe(Number.POSITIVE_INFINITY);
    expect(parseJson("9".repeat(400))).toBe(BigInt("9".repeat(400)));
  });

  it("refuses what JSON.parse refuses, also beside long integers", () => {
    for (const text of [
      "",
      " ",
      "{",
      "[1,]",
      '{"a":1,}',
      "01",
      "+1",
      "1.",
      ".5",
      "NaN",
      "'a'",
      '"\t"',
      '"\\x"',
      "tru",
      "nul",
      "1 2",
      "\u{feff}1",
      "[1}",
      '{"a"}',
      "{1:2}",
      "-",
      "1e",
      '"\\u12"',
    ]) {
      expect(() => parseJson(text), text).toThrow(SyntaxError);
      expect(() => parseJson(beside(text)), text).toThrow(SyntaxError);
    }
  });

  it("gives what JSON.parse gives for every JSON text, on both ways", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(asDoubles(parseJson(text))).toEqual(JSON.parse(text));
        expect(asDoubles(readBeside(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("agrees with JSON.parse on damaged texts", () => {
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.constantFrom("", '"', "{", "}", ",", "\\", "0", "e", " ")).map(([text, at, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + 1);
    });
    fc.assert(
      fc.property(damaged, (text) => {
        const attempt = (read: (text: string) => unknown) => {
          try {
            return { value: asDoubles(read(text)) };
          } catch {
            return "refused";
          }
        };
        expect(attempt(readBeside)).toEqual(attempt((each) => (JSON.parse(beside(each)) as unknown[])[1]));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("writeJson", () => {
  it("writes bigints as bare digits", () => {
    expect(writeJson({ big: 9223372036854775807n, list: [-9007199254740993n, 1], text: "9007199254740993" })).toBe(
      '{"big":9223372036854775807,"list":[-9007199254740993,1],"text":"9007199254740993"}',
    );
  });

  it("writes what JSON.stringify writes", () => {
    const odd = {
      a: undefined,
      b: [undefined, () => 1, Number.NaN, Number.NEGATIVE_INFINITY, -0],
      c: new Date(0),
      d: "\u2028\ud800",
      __proto__: null,
      e: null,
      f: {},
    };
    expect(writeJson(odd)).toBe(JSON.stringify(odd));
    expect(writeJson(undefined)).toBe("null");
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeJson(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it("is read back as it was", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }),
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.array(tie("any")),
        fc.dictionary(fc.string(), tie("any")),
      ),
    })).any;
    fc.assert(
      fc.property(value, (each) => {
        expect(parseJson(writeJson(each))).toEqual(each);
      }),
    );
  });
});

describe("writeJsonInTurns", () => {
  const written = async (value: unknown) => Buffer.concat(await writeJsonInTurns(value, 1_000_000)).toString();

  it("writes what writeJson writes", async () => {
    const members = { list: [1, [2n, { a: undefined, b: null }], "é", new Date(0), () => 1], none: undefined, act: () => 1, empty: {}, nothing: [] };
    expect(await written(members)).toBe(writeJson(members));
    const anything = fc.anything({ withBigInt: true, withNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        expect(await written(value)).toBe(writeJson(value));
      }),
    );
  });

  it("gives a long text in pieces, and refuses a longer one than it may be", async () => {
    const long = Array.from({ length: 50_000 }, (_, i) => ({ i }));
    const pieces = await writeJsonInTurns(long, 1_000_000);
    expect(pieces.length).toBeGreaterThan(5);
    expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(long));
    await expect(writeJsonInTurns(long, 100_000)).rejects.toMatchObject({
      code: "LIMIT_REACHED",
      message: expect.stringContaining("limits.maxAnswerBytes"),
    });
  });
});
