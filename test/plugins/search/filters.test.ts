import { describe, expect, it } from "vitest";
import { and, none, type Value } from "../../../core/plugin.ts";
import { type IndexKind, searchPlugin } from "../../../plugins/search/index.ts";
import { deploy, field } from "./harness.ts";

describe("several kinds on one field", () => {
  it.each([
    ["String @search(by: [regexp, hash])", "StringHashFilter_StringRegExpFilter", "eq: String  in: [String]  regexp: String"],
    ["String @search(by: [term, trigram])", "StringTermFilter_StringRegExpFilter", "allofterms: String  anyofterms: String  regexp: String"],
    ["String @search(by: [term, regexp])", "StringRegExpFilter_StringTermFilter", "regexp: String  allofterms: String  anyofterms: String"],
    [
      "[String] @search(by: [term, fulltext, trigram, hash])",
      "StringFullTextFilter_StringHashFilter_StringTermFilter_StringRegExpFilter",
      "alloftext: String  anyoftext: String  eq: String  in: [String]  allofterms: String  anyofterms: String  regexp: String",
    ],
    ["String! @id @search(by: [term])", "StringHashFilter_StringTermFilter", "eq: String  in: [String]  allofterms: String  anyofterms: String"],
  ])("make of %s the input %s", (declaration, input, members) => {
    const { filter, definitions } = field(declaration);
    expect(filter.input).toBe(input);
    expect(definitions.replaceAll("\n", " ").trim()).toBe(`input ${input} {   ${members.replaceAll("  ", "   ")} }`);
  });

  it("of an enum define the enum's own input in addition to the merged one", () => {
    const { filter, definitions } = field("E @search(by: [exact, regexp])", "enum E { A }");
    expect(filter.input).toBe("E_exact_StringRegExpFilter");
    expect(definitions).toMatch(/input E_exact \{[^}]*\}\s+input E_exact_StringRegExpFilter \{[^}]*regexp: String\n\}/);
  });

  it("combine the given operators by AND", () => {
    const { find } = field("String @search(by: [fulltext, regexp])");
    expect(find({ alloftext: "run", regexp: "/^Red/" }, ["Red Fox Running", "red foxes run", "Running"])).toEqual(["Red Fox Running"]);
    expect(find({ alloftext: "run", regexp: null }, ["Red Fox Running", "red"])).toEqual(["Red Fox Running"]);
  });

  it("have one index each, except equality on a key, which uses the key", () => {
    const names = (declaration: string) => field(declaration).indexes.map((index) => index.name);
    expect(names("String @search(by: [hash, term, regexp])")).toEqual(["T.f/hash", "T.f/regexp", "T.f/term"]);
    expect(names("String! @id @search(by: [hash, regexp])")).toEqual(["T.f/regexp"]);
    expect(names("String! @id @search(by: [exact])")).toEqual(["T.f/exact"]);
    expect(names('String @search(by: [exact]) @dgraph(pred: "name@de")')).toEqual(["name@de/exact"]);
  });

  it("are the same for a key with a bare @search as for any string", () => {
    expect(field("String! @id @search").filter.input).toBe("StringTermFilter");
  });
});

describe("fields that several types have", () => {
  it("have a filter in each and one index for all", () => {
    const { filters, indexes } = deploy(
      "interface I { f: String @search(by: [exact]) }\ntype T implements I { g: Int }\ntype U implements I { h: Int @search }",
    );
    expect(filters).toEqual(["I.f: StringExactFilter", "T.f: StringExactFilter", "U.f: StringExactFilter", "U.h: IntFilter"]);
    expect(indexes.map((index) => index.name)).toEqual(["I.f/exact", "U.h/int"]);
  });

  it("under one storage name have the indexes of all", () => {
    const { indexes } = deploy(
      'type T { f: String @search(by: [exact]) @dgraph(pred: "name") }\ntype U { f: String @search(by: [hash]) @dgraph(pred: "name") }',
    );
    expect(indexes.map((index) => index.name)).toEqual(["name/exact", "name/hash"]);
  });

  it("use a key for equality only if it covers all types", () => {
    const names = (id: string) =>
      deploy(`interface I { f: String! ${id} @search(by: [hash]) }\ntype T implements I { g: Int }\ntype U implements I { h: Int }`).indexes.map(
        (index) => index.name,
      );
    expect(names("@id(interface: true)")).toEqual([]);
    expect(names("@id")).toEqual(["I.f/hash"]);
  });

  it("cost nothing without @search", () => {
    expect(deploy("type T { f: String }")).toEqual({ filters: [], indexes: [] });
  });
});

describe("a custom kind", () => {
  const initials: IndexKind = {
    name: "initials",
    fits: ["String"],
    search: ({ field: { stored, type }, index }) => ({
      input: "StringInitialsFilter",
      operators: {
        initials: {
          takes: type.name,
          predicate: (operand) =>
            typeof operand === "string" ? { kind: "lookup", index, match: "all", tokens: operand === "" ? [] : [operand] } : undefined,
        },
        unnamed: { takes: "Boolean", predicate: (operand) => (operand === true ? and({ kind: "has", field: stored }, none) : undefined) },
      },
      index: { by: "tokens", id: "initials@1", tokens: (value: Value) => [String(value).replaceAll(/\B\p{L}+|\P{L}/gu, "")] },
    }),
  };
  const { find, filter, definitions, indexes } = field("String @search(by: [initials, hash])", "", { kinds: [initials] });

  it("adds its own input, merged with others", () => {
    expect(filter.input).toBe("StringHashFilter_StringInitialsFilter");
    expect(definitions).toContain("input StringInitialsFilter {\n  initials: String\n  unnamed: Boolean\n}");
  });

  it("adds its own index, which its predicate uses", () => {
    expect(indexes.map(({ name, by }) => [name, by])).toEqual([
      ["T.f/hash", "value"],
      ["T.f/initials", "tokens"],
    ]);
    expect(find({ initials: "AL" }, ["Ada Lovelace", "Alan", "A. L. Kennedy"])).toEqual(["Ada Lovelace"]);
  });

  it("cannot have the name or the default types of another", () => {
    expect(() => searchPlugin({ kinds: [initials, initials] })).toThrow("Two index kinds of @search are named initials.");
    expect(() => searchPlugin({ kinds: [{ ...initials, defaultFor: ["String"] }] })).toThrow(
      "The index kinds term and initials are both the default of @search for String.",
    );
  });
});
