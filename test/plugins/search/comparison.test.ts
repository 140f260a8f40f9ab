import { describe, expect, it } from "vitest";
import type { Stored } from "../../../core/index.ts";
import { field } from "./harness.ts";

describe("hash", () => {
  const titles = ["Heron", "heron", "", "nil", "日本", undefined];
  const { find, filter, indexes } = field("String @search(by: [hash])");
  it.each([
    [{ eq: "Heron" }, ["Heron"]],
    [{ eq: "" }, [""]],
    [{ eq: null }, [undefined]],
    [{ in: ["heron", "日本", "heron", "x"] }, ["heron", "日本"]],
    [{ in: [] }, []],
    [{ in: [null] }, []],
    [{ in: [null, "Heron"] }, ["Heron"]],
    [{ in: null }, titles],
    [{}, titles],
    [null, titles],
    [{ eq: "Heron", in: ["heron"] }, []],
    [{ eq: "Heron", in: null }, ["Heron"]],
  ])("finds the texts that are equal: %j", (operand, found) => {
    expect(find(operand, titles)).toEqual(found);
  });

  it("has an index for equality", () => {
    expect(filter.input).toBe("StringHashFilter");
    expect(indexes).toEqual([{ name: "T.f/hash", field: "T.f", by: "value", ordered: false }]);
  });

  it("has no condition for null, and matches nothing for an empty list", () => {
    const { ask } = field("String @search(by: [hash])");
    expect(ask({})).toBeUndefined();
    expect(ask({ in: null })).toBeUndefined();
    expect(ask({ in: [] })).toEqual({ kind: "none" });
    expect(ask({ eq: null })).toEqual({ kind: "not", of: { kind: "has", field: "T.f" } });
  });

  it("matches any element of a list", () => {
    const list = field("[String] @search(by: [hash])");
    expect(list.find({ eq: "blue" }, [["red", "blue"], ["Blue"], undefined])).toEqual([["red", "blue"]]);
    expect(list.find({ eq: null }, [["red"], undefined])).toEqual([undefined]);
  });
});

describe("exact", () => {
  const names = ["Z", "a", "é", "\uffee", "🎬", "", undefined];
  const { find, indexes } = field("String @search(by: [exact])");
  it.each([
    [{ lt: "a" }, ["Z", ""]],
    [{ le: "a" }, ["Z", "a", ""]],
    [{ gt: "\uffee" }, ["🎬"]],
    [{ ge: "" }, ["Z", "a", "é", "\uffee", "🎬", ""]],
    [{ between: { min: "a", max: "é" } }, ["a", "é"]],
    [{ between: { min: "é", max: "a" } }, []],
    [{ gt: null }, names],
    [{ between: null }, names],
    [{ ge: "a", lt: "é" }, ["a"]],
    [{ eq: null }, [undefined]],
  ])("orders by bytes: %j", (operand, found) => {
    expect(find(operand, names)).toEqual(found);
  });

  it("has an ordered index", () => {
    expect(indexes).toEqual([{ name: "T.f/exact", field: "T.f", by: "value", ordered: true }]);
  });

  it("matches a list when one element is within both bounds", () => {
    expect(field("[String] @search(by: [exact])").find({ between: { min: "N", max: "O" } }, [["Night"], ["A", "Z"]])).toEqual([["Night"]]);
  });
});

describe("numbers", () => {
  it.each([
    ["Int", [-1, 0, 41, 2147483647, undefined], { ge: 0, lt: 100 }, [0, 41]],
    ["Int", [-1, 0, 41, undefined], { eq: null }, [undefined]],
    ["Int", [0, 41], { between: { min: 41, max: 0 } }, []],
    ["Int64", [9007199254740992n, 9007199254740993n], { gt: 9007199254740992n }, [9007199254740993n]],
    ["Int64", [0n, 9007199254740992n, 9007199254740993n], { in: [0n, 9007199254740993n] }, [0n, 9007199254740993n]],
    ["Float", [-0, 0, 0.1, 70.5, 1e10], { eq: 0 }, [-0, 0]],
    ["Float", [70, 70.2, 70.5], { gt: 70.2 }, [70.5]],
    ["[Int]", [[-5, 10], [3]], { lt: 0, gt: 9 }, [[-5, 10]]],
    ["[Int]", [[-5, 10], [3]], { between: { min: 0, max: 9 } }, [[3]]],
  ])("are compared by value: %s, case %#", (type, values, operand, found) => {
    const { find, filter } = field(`${type} @search`);
    expect(filter.input).toBe(`${type.replaceAll(/[[\]]/g, "")}Filter`);
    expect(find<Stored | undefined>(operand, values)).toEqual(found);
  });
});

describe("dates", () => {
  const born = ["1949-12-31T23:59:59Z", "1950-01-01T01:00:00+02:00", "1950-01-01T00:00:00.000000001Z", "2000-02-29T12:00:00-05:00", undefined];
  it.each(["year", "month", "day", "hour"])("compare to the instant with %s", (kind) => {
    const { find, filter, indexes } = field(`DateTime @search(by: [${kind}])`);
    expect(filter.input).toBe("DateTimeFilter");
    expect(indexes).toEqual([{ name: `T.f/${kind}`, field: "T.f", by: "value", ordered: true }]);
    expect(find({ lt: "1950" }, born)).toEqual([born[0], born[1]]);
    expect(find({ between: { min: "1949-12-31T23:00:00Z", max: "1950-01" } }, born)).toEqual([born[0], born[1]]);
    expect(find({ eq: "2000-02-29T17:00:00Z" }, born)).toEqual([born[3]]);
    expect(find({ eq: "2000" }, born)).toEqual([]);
    expect(find({ in: ["1949-12-31 23:59:59 +0000 UTC", null] }, born)).toEqual([born[0]]);
    expect(find({ eq: null }, born)).toEqual([undefined]);
  });

  it.each(["yesterday", "2030-05-31T22:30Z", "2030-02-30", 5, 1906500000, "1906500000", ""])("refuse %j", (operand) => {
    const { refusal } = field("DateTime @search");
    expect(refusal({ ge: operand })).toMatch(/ is not a date-time like /);
    expect(refusal({ between: { min: operand, max: "2031" } })).toMatch(/ is not a date-time like /);
    expect(refusal({ in: ["2031", operand] })).toMatch(/ is not a date-time like /);
  });
});

describe("bool", () => {
  const { find, filter } = field("Boolean @search");
  it.each([
    [true, [true]],
    [false, [false]],
    [null, [true, false, undefined]],
  ])("finds the values that are equal: %j", (operand, found) => {
    expect(filter.input).toBe("Boolean");
    expect(find(operand, [true, false, undefined])).toEqual(found);
  });
});

describe("enums", () => {
  const stocks = ["NITRATE", "ACETATE", "Digital", "digital", undefined];
  const stock = "enum Stock { NITRATE ACETATE Digital digital }";
  it("are compared by name, case included, with hash", () => {
    const { find, filter, definitions } = field("Stock @search", stock);
    expect(filter.input).toBe("Stock_hash");
    expect(definitions).toBe("input Stock_hash {\n  eq: Stock\n  in: [Stock]\n}");
    expect(find({ eq: "digital" }, stocks)).toEqual(["digital"]);
    expect(find({ in: ["ACETATE", null] }, stocks)).toEqual(["ACETATE"]);
    expect(find({ eq: null }, stocks)).toEqual([undefined]);
  });

  it("are ordered by name, not by declaration, with exact; between takes one value", () => {
    const { find, filter, definitions } = field("Stock @search(by: [exact])", stock);
    expect(filter.input).toBe("Stock_exact");
    expect(definitions).toContain("between: Stock\n");
    expect(find({ gt: "ACETATE" }, stocks)).toEqual(["NITRATE", "Digital", "digital"]);
    expect(find({ between: "NITRATE" }, stocks)).toEqual(["NITRATE"]);
    expect(find({ between: null }, stocks)).toEqual(stocks);
  });

  it("are strings for regexp", () => {
    expect(field("Stock @search(by: [regexp])", stock).find({ regexp: "/^d/i" }, stocks)).toEqual(["Digital", "digital"]);
  });
});
