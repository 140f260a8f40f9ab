import { describe, expect, it } from "vitest";
import type { Hooks } from "../../../core/plugin.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

describe("@id", () => {
  it("makes keys of String, Int and Int64 fields, nullable or not, in declared order", () => {
    const deployed = deploy("type A { c: Int64 @id, a: String! @id, x: Int, b: Int @id }", [identityPlugin()]);
    expect(typeOf(deployed, "A").keys.map(({ field, scope, across }) => [field.name, scope.map((type) => type.name), across])).toEqual([
      ["c", ["A"], undefined],
      ["a", ["A"], undefined],
      ["b", ["A"], undefined],
    ]);
  });

  it("with `interface: true` makes one key for all types of the interface", () => {
    const deployed = deploy("interface I { i: String! @id(interface: true) }\ntype A implements I { a: Int }\ntype B implements I { b: Int }");
    const [key] = typeOf(deployed, "A").keys;
    expect([key?.across?.name, key?.scope.map((type) => type.name)]).toEqual(["I", ["A", "B"]]);
  });

  it.each(["[String]", "ID", "Float", "Boolean", "DateTime", "A", "E!"])("is refused on %s", (type) => {
    expect(errorsOf(`type A { x: Int, f: ${type} @id }\nenum E { V }`)).toEqual([
      `1:${23 + type.length} Type A; Field f: with @id directive must be of type String, Int or Int64, not ${type}`,
    ]);
  });

  it("is validated in the interface and in every type that inherits it", () => {
    expect(errorsOf("interface I { f: Float @id }\ntype A implements I { a: Int }")).toEqual([
      "1:25 Type I; Field f: with @id directive must be of type String, Int or Int64, not Float",
      "1:25 Type A; Field f: with @id directive must be of type String, Int or Int64, not Float",
    ]);
  });
});

describe("the get of an interface", () => {
  const deprecated = (schema: string) => Object.keys(deploy(schema, [identityPlugin()]).hooks[0]?.hooks.api?.().deprecated ?? {});
  const schema = (scope: string) => `interface I { i: String @id${scope}, id: ID! }\ntype A implements I { a: Int @id }`;

  it("is deprecated when a key is unique only within each type; the gets of the types are not", () => {
    expect([deprecated(schema("")), deprecated(schema("(interface: true)"))]).toEqual([["getI"], []]);
  });
});

describe("filters of keys", () => {
  const hooksOf = (schema: string): Hooks | undefined => deploy(schema, [identityPlugin()]).hooks[0]?.hooks;
  const filters = (schema: string) => hooksOf(schema)?.api?.().filters ?? [];

  it("exist without @search: equality for strings, ranges for numbers", () => {
    expect(filters("type A { s: String @id, i: Int @id, j: Int64 @id, x: Int }").map(({ field, input }) => [field.name, input])).toEqual([
      ["s", "StringHashFilter"],
      ["i", "IntFilter"],
      ["j", "Int64Filter"],
    ]);
  });

  it("come from @search when the field has one", () => {
    const deployed = deploy("type A { s: String @id @search(by: [regexp]), t: String @id }");
    const identity = deployed.hooks.find(({ plugin }) => plugin === "identity");
    expect(identity?.hooks.api?.().filters?.map(({ field }) => field.name)).toEqual(["t"]);
  });

  it("combine operators by AND; eq: null matches missing values, and null is no condition otherwise", () => {
    const predicate = filters("type A { s: String @id }")[0]?.predicate;
    const compare = (op: string, ...operands: string[]) => ({ kind: "compare", field: "A.s", op, operands });
    expect(predicate?.({ eq: "x" })).toEqual(compare("eq", "x"));
    expect(predicate?.({ in: ["x", null, ""] })).toEqual(compare("in", "x", ""));
    expect(predicate?.({ in: [] })).toEqual(compare("in"));
    expect(predicate?.({ eq: "x", in: ["y"] })).toEqual({ kind: "and", of: [compare("eq", "x"), compare("in", "y")] });
    expect(predicate?.({ eq: null })).toEqual({ kind: "not", of: { kind: "has", field: "A.s" } });
    expect([predicate?.({ in: null }), predicate?.({}), predicate?.(null)]).toEqual([undefined, undefined, undefined]);
  });

  it("compare Int and Int64 values", () => {
    const predicate = filters("type A { j: Int64 @id }")[0]?.predicate;
    expect(predicate?.({ between: { min: 1n, max: 9007199254740993n } })).toEqual({
      kind: "compare",
      field: "A.j",
      op: "between",
      operands: [1n, 9007199254740993n],
    });
    expect(predicate?.({ lt: 0n })).toEqual({ kind: "compare", field: "A.j", op: "lt", operands: [0n] });
  });

  it("need an index for numbers only: strings use the key", () => {
    expect(hooksOf("type A { s: String @id, i: Int @id }")?.layout?.().indexes).toEqual([
      { name: "A.i/int", field: "A.i", by: "value", ordered: true },
    ]);
  });

  it("of an inherited field need an index when each type has its own key, and none when they share one", () => {
    const schema = (scope: string) => `interface I { i: String @id${scope} }\ntype A implements I { a: Int }\ntype B implements I { b: Int }`;
    const indexes = (text: string) => deploy(text).layout.indexes.map((index) => index.name);
    expect(indexes(schema(""))).toEqual(["I.i/hash"]);
    expect(indexes(schema("(interface: true)"))).toEqual([]);
    expect(indexes("interface I { i: String @id }\ntype A implements I { a: Int }")).toEqual([]);
    expect(indexes('type A { a: String @id @dgraph(pred: "n") }\ntype B { b: String @id @dgraph(pred: "n") }')).toEqual(["n/hash"]);
  });

  it("add no hooks to a schema without keys", () => {
    expect(hooksOf("type A { s: String }")).toBeUndefined();
  });
});
