import { describe, expect, it } from "vitest";
import { deploy, errorsOf, typeOf } from "./harness.ts";

const fieldsOf = (schema: string, type: string) => [...typeOf(deploy(schema), type).fields.keys()];

describe("fields of interfaces", () => {
  it("precede the type's own fields, those of the last listed interface first", () => {
    const schema = "interface A { id: ID! a: Int }\ninterface B { b1: Int b2: Int }\ntype C implements A & B { c: Int }";
    expect(fieldsOf(schema, "C")).toEqual(["b1", "b2", "id", "a", "c"]);
    expect(fieldsOf(schema, "A")).toEqual(["id", "a"]);
  });

  it("keep their position if the type repeats them, with the interface's directives and description", () => {
    const deployed = deploy(`
      interface A { "of the interface" name: String! @id  "lost" other: Int }
      type C implements A { c: Int  "of the type" name: String! }
    `);
    const type = typeOf(deployed, "C");
    expect([...type.fields.keys()]).toEqual(["other", "c", "name"]);
    expect(type.keys.map((key) => key.field.name)).toEqual(["name"]);
    expect(type.fields.get("name")?.definition.description?.value).toBe("of the interface");
    expect(type.fields.get("other")?.definition.description).toBeUndefined();
  });

  it("are stored under the interface's name for all types", () => {
    const { layout } = deploy("interface A { a: Int }\ntype B implements A { b: Int }\ntype C implements A { c: Int }");
    expect(layout.types).toEqual([
      { name: "B", fields: ["A.a", "B.b"] },
      { name: "C", fields: ["A.a", "C.c"] },
    ]);
    expect(layout.fields.map((field) => field.name)).toEqual(["A.a", "B.b", "C.c"]);
  });

  it("may come from several interfaces if they are identical IDs", () => {
    const schema = "interface A { id: ID! a: Int }\ninterface B { id: ID! b: Int }\ntype C implements A & B { c: Int }";
    expect(fieldsOf(schema, "C")).toEqual(["b", "id", "a", "c"]);
    expect(errorsOf(schema.replace("id: ID! b", "id: ID b"))).toEqual([
      "3:6 field id is of type ID in interface B and is of type ID! in interface A",
    ]);
  });

  it("of other types may come from one interface only", () => {
    const interfaces = "interface A { x: Int }\ninterface B { x: Int }\n";
    expect(errorsOf(`${interfaces}type C implements A & B { c: Int }`)).toEqual(["1:15 Field C.x can only be defined once."]);
    expect(errorsOf(`${interfaces}type C implements A & B { c: Int x: Int }`)).toEqual(["1:15 Field C.x can only be defined once."]);
    expect(errorsOf("interface A { x: Int }\ntype C implements A & A { c: Int }")).toEqual(["1:15 Field C.x can only be defined once."]);
  });

  it("must be repeated with the identical type", () => {
    expect(errorsOf("interface A { x: [Int!] }\ntype C implements A { x: [Int] }")).toEqual([
      "2:6 For type C to implement interface A the field x must have type [Int!]",
    ]);
  });

  it("keep their arguments", () => {
    expect(errorsOf("interface A { x(scale: Int): Int }\ntype C implements A { y: Int }")).toEqual([]);
  });
});

describe("an implemented interface", () => {
  it("must be an interface of the schema", () => {
    expect(errorsOf("type C implements Missing { y: Int }")).toEqual(['1:6 Undefined type "Missing".']);
    expect(errorsOf("type B { x: Int }\ntype C implements B { y: Int }")).toEqual(['2:6 "B" is a non interface type OBJECT.']);
    expect(errorsOf("type C implements DgraphIndex { y: Int }")).toEqual(['1:6 "DgraphIndex" is a non interface type ENUM.']);
  });

  it("reports the first of several problems", () => {
    expect(errorsOf("type B implements X { y: Int }\ntype C implements Y { y: Int }")).toEqual(['1:6 Undefined type "X".']);
  });
});

describe("members", () => {
  it("are the type itself, the implementing types of an interface, and the listed types of a union", () => {
    const deployed = deploy("union U = C | B\ninterface A { a: Int }\ntype B implements A { b: Int }\ntype C implements A { c: Int }");
    const names = (types: readonly { readonly name: string }[] | undefined) => types?.map((type) => type.name);
    expect(names(typeOf(deployed, "B").members)).toEqual(["B"]);
    expect(names(typeOf(deployed, "B").interfaces)).toEqual(["A"]);
    expect(names(typeOf(deployed, "A").members)).toEqual(["B", "C"]);
    expect(names(deployed.model.unions.get("U")?.members)).toEqual(["C", "B"]);
  });
});
