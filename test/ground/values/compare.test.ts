import { describe, expect, it } from "vitest";
import { compareText, compareValues, convertValue, equalValues, formatUid, parseUid } from "../../../core/index.ts";
import fc from "../../support/properties.ts";

describe("texts", () => {
  it("order as their UTF-8 bytes do", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it("put astral characters after the rest of the basic plane, unlike UTF-16", () => {
    expect("\u{1f34e}" < "\ufb00").toBe(true);
    expect(compareText("\u{1f34e}", "\ufb00")).toBeGreaterThan(0);
    expect(compareText("Z", "a")).toBeLessThan(0);
    expect(compareText("", "a")).toBeLessThan(0);
    expect(compareText("ab", "a")).toBeGreaterThan(0);
  });
});

describe("values of other kinds", () => {
  it("compare exactly", () => {
    expect(compareValues("int64", 9007199254740993n, 9007199254740992n)).toBeGreaterThan(0);
    expect(equalValues("float", -0, 0)).toBe(true);
    expect(compareValues("boolean", false, true)).toBeLessThan(0);
    expect(equalValues("geo", { type: "Point", coordinates: [1, 2] }, { type: "Point", coordinates: [1, 2] })).toBe(true);
    expect(equalValues("geo", { type: "Point", coordinates: [1, 2] }, { type: "Point", coordinates: [2, 1] })).toBe(false);
  });

  it("that are not of the kind are before, with and after nothing", () => {
    expect(compareValues("int", "12", 12)).toBeNaN();
    expect(equalValues("string", 1n, "1")).toBe(false);
    expect(compareValues("dateTime", "soon", "2030-01-01T00:00:00Z")).toBeNaN();
  });
});

describe("a value of an earlier type", () => {
  it.each([
    ["12", "int", 12],
    ["+7", "int", 7],
    ["9007199254740993", "int64", 9007199254740993n],
    ["9007199254740993", "int", undefined],
    [9007199254740993n, "int", undefined],
    [7n, "int", 7],
    [2.5, "int", 2],
    [-2.5, "int", -2],
    ["x", "int", undefined],
    ["", "float", undefined],
    ["1e3", "float", 1000],
    [true, "string", "true"],
    [12, "string", "12"],
    [true, "int", 1],
    ["true", "boolean", true],
    ["2030", "dateTime", "2030-01-01T00:00:00Z"],
    ["soon", "dateTime", undefined],
    [0, "dateTime", "1970-01-01T00:00:00Z"],
  ] as const)("%s as %s is %s", (value, kind, expected) => {
    expect(convertValue(value, kind)).toBe(expected);
  });
});

describe("ids", () => {
  it.each([
    ["0x2a", 42],
    ["0X2A", 42],
    ["42", 42],
    ["052", 42],
    ["0o52", 42],
    ["0b101010", 42],
    ["0xff", 255],
    ["256", 256],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["0xffffffffffffffff", 0],
    ["0x10000000000000000", undefined],
    ["", undefined],
    ["-1", undefined],
    [" 1", undefined],
    ["pier", undefined],
    ["1.5", undefined],
  ])("%j is %j", (text, uid) => {
    expect(parseUid(text)).toBe(uid);
  });

  it("come out in lower-case hexadecimal without padding", () => {
    expect([1, 42, 255, 256, Number.MAX_SAFE_INTEGER].map(formatUid)).toEqual(["0x1", "0x2a", "0xff", "0x100", "0x1fffffffffffff"]);
  });
});
