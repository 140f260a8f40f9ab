// What `@id(within: [...])` makes of a schema, and which ones are refused.

import { describe, expect, it } from "vitest";
import { prepareDeployment } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

describe("@id(within:)", () => {
  it("makes a key of several parts, apart from those of one field", () => {
    const deployed = deploy('type A { t: String, s: String! @id(within: ["t", "b"]), c: Int @id, b: B }\ntype B { id: ID!, n: Int }', [
      identityPlugin(),
    ]);
    const a = typeOf(deployed, "A");
    expect(a.keys.map(({ field }) => field.name)).toEqual(["c"]);
    expect(a.scopedKeys.map(({ field, within, across }) => [field.name, within.map(({ name }) => name), across])).toEqual([
      ["s", ["t", "b"], undefined],
    ]);
    expect(deployed.layout.keys).toEqual([
      { name: "A(A.c)", fields: ["A.c"], types: ["A"] },
      { name: "A(A.s within A.b, A.t)", fields: ["A.s", "A.t"], ends: ["A.b"], types: ["A"] },
    ]);
    // The field alone is no key: equality needs an index.
    expect(deployed.layout.indexes.map(({ name }) => name)).toContain("A.s/hash");
  });

  it("has the same layout in any order of its fields", () => {
    const keys = (within: string) =>
      deploy(`type A { s: String @id(within: ${within}), t: String, u: Int }`, [identityPlugin()]).layout.keys.map(({ name, fields }) => [
        name,
        fields,
      ]);
    expect(keys('["u", "t"]')).toEqual(keys('["t", "u"]'));
    expect(keys('"t"')).toEqual(keys('["t"]'));
  });

  it("of an interface is a key of each type, or with `interface: true` one of all", () => {
    const schema = (also: string) =>
      `interface I { t: Int, s: String @id(${also}within: ["t"]) }\ntype A implements I { a: Int }\ntype B implements I { b: Int }`;
    const keys = (also: string) => deploy(schema(also), [identityPlugin()]).layout.keys.map(({ name, types }) => [name, types]);
    expect(keys("")).toEqual([
      ["A(I.s within I.t)", ["A"]],
      ["B(I.s within I.t)", ["B"]],
    ]);
    expect(keys("interface: true, ")).toEqual([["I(I.s within I.t)", ["A", "B"]]]);
  });

  it.each([
    ["[]", "takes the names of fields."],
    ["[1]", "takes the names of fields."],
    ['["u"]', "names the field u, which A does not have"],
    ['["s"]', "names its own field."],
    ['["t", "t"]', "names the field t twice."],
    ['["many"]', "names the field many, which leads to many objects."],
    ['["list"]', "names the field list; it must be"],
    ['["id"]', "names the field id; it must be"],
    ['["at"]', "names the field at; it must be"],
    ['["weight"]', "names the field weight; it must be"],
    ['["bare"]', "names the link bare, but Bare has no ID and no key by which an input could name its objects."],
  ])("is refused with %s", (within, problem) => {
    const schema = `type A { id: ID!, t: String, s: String @id(within: ${within}), many: [A], list: [String], at: DateTime, weight: Float, bare: Bare }\ntype Bare { x: Int }`;
    const errors = errorsOf(schema);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`Type A; Field s: @id(within:) ${problem}`);
  });

  it("shows its argument in the served schema, and a schema without it the definition that Dgraph has", () => {
    const printed = (schema: string) => prepareDeployment(schema, [identityPlugin()]).api.sdl;
    expect(printed('type A { t: String!, s: String! @id(within: ["t"]) }')).toContain(
      "directive @id(interface: Boolean, within: [String!]) on FIELD_DEFINITION",
    );
    expect(printed("type A { s: String! @id }")).toContain("directive @id(interface: Boolean) on FIELD_DEFINITION");
  });

  it("adds all its parts to the get of the type, required where they are its only names", () => {
    const get = (schema: string) =>
      prepareDeployment(schema, [identityPlugin()])
        .api.schema.getQueryType()
        ?.getFields()
        .getA?.args.map(({ name, type }) => `${name}: ${type}`);
    const b = "type B { n: Int! @id }";
    expect(get(`type A { t: Int, s: String @id(within: ["t", "b"]), b: B }\n${b}`)).toEqual(["s: String!", "t: Int!", "b: BRef!"]);
    expect(get(`type A { id: ID!, t: Int, s: String @id(within: ["t"]) }`)).toEqual(["id: ID", "s: String", "t: Int"]);
    expect(get(`type A { t: Int @id, s: String @id(within: ["t"]), u: String @id(within: ["t"]) }`)).toEqual(["t: Int", "s: String", "u: String"]);
  });

  it("deprecates the get of an interface where it is unique in each type only", () => {
    const get = (also: string) =>
      prepareDeployment(`interface I { t: Int, s: String @id(${also}within: ["t"]) }\ntype A implements I { a: Int }`, [identityPlugin()])
        .api.schema.getQueryType()
        ?.getFields().getI?.deprecationReason;
    expect([get("") === undefined, get("interface: true, ")]).toEqual([false, undefined]);
  });
});
