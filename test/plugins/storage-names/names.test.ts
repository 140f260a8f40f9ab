import { describe, expect, it } from "vitest";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

const storedNames = (schema: string, type: string) =>
  [...typeOf(deploy(schema), type).fields.values()].map((field) => ("stored" in field ? field.stored : field.name));

describe.each(["dgraph", "storage"])("@%s", (spelling) => {
  it("sets the storage name of a type and the prefix of its fields", () => {
    const schema = `type A @${spelling}(type: "T") { id: ID!  a: Int  b: A }`;
    expect(typeOf(deploy(schema), "A").stored).toBe("T");
    expect(storedNames(schema, "A")).toEqual(["id", "T.a", "T.b"]);
  });

  it("sets the storage name of a field, independent of its type", () => {
    expect(storedNames(`type A @${spelling}(type: "T") { a: Int @${spelling}(pred: "n")  b: Int }`, "A")).toEqual(["n", "T.b"]);
  });

  it("on an interface sets the prefix of the inherited fields, not the name of the types", () => {
    const schema = `interface I @${spelling}(type: "T") { i: Int  j: Int @${spelling}(pred: "k") }\ntype A implements I { a: Int }`;
    expect(typeOf(deploy(schema), "A").stored).toBe("A");
    expect(storedNames(schema, "A")).toEqual(["T.i", "k", "A.a"]);
  });

  it("accepts names in other scripts between < and >", () => {
    expect(storedNames(`type A { a: Int @${spelling}(pred: "<straße>")  b: Int @${spelling}(pred: "<b>") }`, "A")).toEqual(["straße", "b"]);
    expect(errorsOf(`type A { a: Int @${spelling}(pred: "straße") }`)).toEqual([
      "1:18 Type A; Field a: pred argument 'straße' has letters outside ASCII; write it as '<straße>'.",
    ]);
  });

  it.each(["__proto__", "<__proto__>"])("refuses %s as the name of a field, because its values would be lost", (name) => {
    expect(errorsOf(`type A { a: Int @${spelling}(pred: "${name}")  b: Int @${spelling}(pred: "proto") }`)).toEqual([
      expect.stringContaining(`Type A; Field a: pred argument '${name}' for @${spelling} directive is a reserved keyword.`),
    ]);
  });

  it("appears in messages as written", () => {
    expect(
      errorsOf(
        `type A @${spelling} { id: ID @${spelling}(pred: "x")  a: Int @${spelling}  b: Int @${spelling}(pred: 7)  c: Int @${spelling}(pred: "uid") }`,
      ),
    ).toEqual([
      expect.stringContaining(`Type A; type argument for @${spelling} directive should not be empty.`),
      expect.stringContaining(`Type A; Field id: has the @${spelling} directive but fields of type ID can't have the @${spelling} directive.`),
      expect.stringContaining(`Type A; Field a: pred argument for @${spelling} directive should not be empty.`),
      expect.stringContaining(`Type A; Field b: pred argument for @${spelling} directive should be of type String.`),
      expect.stringContaining(`Type A; Field c: pred argument 'uid' for @${spelling} directive is a reserved keyword.`),
    ]);
    expect(errorsOf(`type A @${spelling}(type: "Query") { a: Int }\ntype B @${spelling}(type: X) { a: Int }`)).toEqual([
      `1:9 Type A; type argument 'Query' for @${spelling} directive is a reserved keyword.`,
      `2:9 Type B; type argument for @${spelling} directive should of type String.`,
    ]);
  });
});

describe("fields that share a name in storage", () => {
  it("must have the same type and list, whatever their nullability", () => {
    expect(errorsOf('type A { a: Int! @dgraph(pred: "n") }\ntype B { b: Int @dgraph(pred: "n") }')).toEqual([]);
    expect(errorsOf('type A { a: Int @dgraph(pred: "n") }\ntype B { b: [Int] @dgraph(pred: "n") }')).toEqual([
      "2:10 Type B; Field b: has type [Int], which is different to type A; field a, which has the same @dgraph directive but type Int. " +
        "These fields must have either the same GraphQL types, or use different Dgraph predicates.",
    ]);
  });

  it("include default names, and errors use the written spelling", () => {
    expect(errorsOf('type A { a: Int }\ntype B { b: String @storage(pred: "A.a") }')).toEqual([
      "2:10 Type B; Field b: has type String, which is different to type A; field a, which has the same @storage directive but type Int. " +
        "These fields must have either the same GraphQL types, or use different Dgraph predicates.",
    ]);
  });

  it("inherited from two interfaces conflict, and errors use the written spelling", () => {
    const schema = (directive: string) =>
      `interface I { id: ID!  i: Int @${directive}(pred: "n") }\ninterface J { id: ID!  j: Int @${directive}(pred: "n") }\ntype A implements I & J { a: Int }`;
    for (const directive of ["dgraph", "storage"]) {
      expect(errorsOf(schema(directive))).toEqual([
        `3:6 Type A; implements interfaces [I J], all of which have fields with @${directive} predicate: n. These fields must use different Dgraph predicates.`,
      ]);
    }
  });

  it("must not be passwords", () => {
    const message =
      "Type B; Field b: has the @dgraph predicate, but that conflicts with type A @secret directive on the same predicate. " +
      "@secret predicates are stored encrypted and so the same predicate can't be used as a String.";
    expect(errorsOf('type A @secret(field: "p", pred: "n") { a: Int }\ntype B { b: String @dgraph(pred: "n") }')).toEqual([`2:10 ${message}`]);
    expect(errorsOf('type B { b: String @dgraph(pred: "n") }\ntype A @secret(field: "p", pred: "n") { a: Int }')).toEqual([`1:10 ${message}`]);
  });

  it("inherited from one interface do not conflict", () => {
    expect(errorsOf('interface I { i: Int @dgraph(pred: "n") }\ntype A implements I { a: Int }\ntype B implements I { b: Int }')).toEqual([]);
  });
});
