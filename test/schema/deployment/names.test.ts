import { describe, expect, it } from "vitest";
import { errorsOf } from "./harness.ts";

const word = (name: string) => `${name} is a reserved word, so you can't declare a type with this name. Pick a different name for the type.`;
const taken = (name: string, kind: string) =>
  `${name} is a reserved word, so you can't declare a ${kind} with this name. Pick a different name for the ${kind}.`;

describe("names of definitions", () => {
  it("must not be reserved words; `as` is reserved in any letter case", () => {
    expect(errorsOf("type Password { a: Int }\nenum AS { B }\ninput Subscription { a: Int }")).toEqual([
      `1:6 ${word("Password")}`,
      `2:6 ${word("AS")}`,
      `3:7 ${word("Subscription")}`,
    ]);
  });

  it("are case-sensitive", () => {
    expect(errorsOf("type password { a: Int }\ntype UID { a: Int }\ntype query { a: Int }")).toEqual([]);
  });

  it("report both errors if reserved twice", () => {
    expect(errorsOf("type DateTime { a: Int }")).toEqual([`1:6 ${word("DateTime")}`, `1:6 ${taken("DateTime", "OBJECT")}`]);
  });

  it("must not equal those generated for another type", () => {
    expect(errorsOf("type A { b: Int }\ninput AddAInput { b: Int }\nenum AOrderable { B }\ntype UpdateAPayload { b: Int }")).toEqual([
      `2:7 ${taken("AddAInput", "INPUT_OBJECT")}`,
      `3:6 ${taken("AOrderable", "ENUM")}`,
      `4:6 ${taken("UpdateAPayload", "OBJECT")}`,
    ]);
  });

  it("may be AddIInput next to an interface I, which has no add", () => {
    expect(errorsOf("interface I { a: Int }\ntype A implements I { b: Int }\ninput AddIInput { b: Int }")).toEqual([]);
  });

  it("of unions reserve three names", () => {
    expect(errorsOf("type A { b: Int }\nunion U = A\nenum UType { A }\ntype UPatch { b: Int }")).toEqual([`3:6 ${taken("UType", "ENUM")}`]);
  });

  it("of other built-in definitions are refused as redeclared", () => {
    expect(errorsOf("type PointList { a: Int }")).toEqual(["1:6 Cannot redeclare type PointList."]);
    expect(errorsOf("type A { b: Int }\nenum A { B }")).toEqual(["2:6 Cannot redeclare type A."]);
  });

  it("must not begin with two underscores", () => {
    const message = (name: string) => `Name "${name}" must not begin with "__", which is reserved by GraphQL introspection.`;
    expect(errorsOf("type __A { b: Int }")).toEqual([`1:6 ${message("__A")}`]);
    expect(errorsOf("type A { __b: Int }")).toEqual([`1:10 ${message("__b")}`]);
    expect(errorsOf("type A { b(__c: Int): Int }")).toEqual([`1:12 ${message("__c")}`]);
    expect(errorsOf("type _A { _b(_c: Int): Int }")).toEqual([]);
  });
});

describe("names of fields and arguments", () => {
  it("must not be reserved words, in inputs neither", () => {
    expect(errorsOf("type A { uid: Int, As: Int, b: Int }\ninput C { Query: Int }")).toEqual([
      "1:10 Type A; Field uid: uid is a reserved keyword and you cannot declare a field with this name.",
      "1:20 Type A; Field As: As is a reserved keyword and you cannot declare a field with this name.",
      "2:11 Type C; Field Query: Query is a reserved keyword and you cannot declare a field with this name.",
    ]);
  });

  it("must not end in Aggregate", () => {
    expect(errorsOf("type A { bAggregate: Int, Aggregates: Int }")).toEqual([
      "1:10 Type A; Field bAggregate: Aggregate is a reserved keyword and you cannot declare a field with Aggregate as suffix.",
    ]);
  });

  it("must not use generated arguments; the first one is reported", () => {
    expect(errorsOf("type A { b(x: Int, order: Int, first: Int): Int, c(firsts: Int): Int }")).toEqual([
      "1:10 Type A; Field b: can't have order as an argument because it is a reserved argument.",
    ]);
  });
});

describe("root types", () => {
  const plain = (root: string, field: string) =>
    "GraphQL Query and Mutation types are only allowed to have fields with @custom/@lambda directive. " +
    `Other fields are built automatically for you. Found ${root} ${field} without @custom/@lambda.`;

  it("must not have fields without a resolver; the first of each is reported", () => {
    expect(errorsOf("type Query { a: Int, b: Int }\ntype Mutation { c: Int }\ntype A { b: Int }")).toEqual([
      `1:6 ${plain("Query", "a")}`,
      `2:6 ${plain("Mutation", "c")}`,
    ]);
  });

  it("must not redefine generated fields", () => {
    const errors = errorsOf("type A { b: Int }\ninterface I { b: Int }\ntype Query { getA: Int }\ntype Mutation { addI: Int, deleteI: Int }");
    expect(errors).toContain("3:14 getA is a reserved word, so you can't declare a query with this name. Pick a different name for the query.");
    expect(errors).toContain(
      "4:28 deleteI is a reserved word, so you can't declare a mutation with this name. Pick a different name for the mutation.",
    );
    expect(errors.some((error) => error.includes("addI is"))).toBe(false);
  });
});
