import { describe, expect, it } from "vitest";
import { prepareDeployment } from "../../../core/index.ts";
import { allPlugins, deploy, errorsOf } from "./harness.ts";

describe("the text of a schema", () => {
  it("must not be empty", () => {
    expect(errorsOf("")).toEqual(["No schema specified"]);
  });

  it("may have a byte order mark and CRLF line ends, with correct locations", () => {
    expect(errorsOf("\uFEFFtype A {\r\n  id: ID!\r\n  b: B\r\n}\r\n")).toEqual(["3:6 Undefined type B."]);
    expect(errorsOf("\uFEFFtype A { b: B }")).toEqual(["1:13 Undefined type B."]);
  });

  it("is stored unchanged", () => {
    const text = "\uFEFFtype A { b: Int }\r\n# end";
    expect(deploy(text).document).toBe(text);
  });

  it("may contain a schema block, which has no effect, but whose types must exist", () => {
    expect(errorsOf("schema { query: A }\ntype A { b: Int }")).toEqual([]);
    expect(errorsOf("schema { query: Query }\ntype A { b: Int }")).toEqual(["1:17 Schema root query refers to a type Query that does not exist."]);
    expect(errorsOf("schema { query: A  mutation: B }\ntype A { b: Int }")).toEqual([
      "1:30 Schema root mutation refers to a type B that does not exist.",
    ]);
  });

  it.each([
    ["type A { b: : }", "1:13 Expected Name, found :"],
    ["type A { b Int }", "1:12 Expected :, found Name"],
    ["type A { }", "1:10 expected at least one definition, found }"],
    ["type A { b: Int", "1:16 Expected Name, found <EOF>"],
    ['{"schema": "type A { b: Int }"}', "1:1 Unexpected {"],
    ["# nothing\nquery { queryA }", '2:1 Unexpected Name "query"'],
    ["x", '1:1 Unexpected Name "x"'],
    ["type A { b: Int }\n{ queryA { b } }", "2:1 Unexpected {"],
    ["type A { b: Int } query Q { queryA { b } }", '1:19 Unexpected Name "query"'],
    ["interface A { b: Int }\ninterface C implements A { b: Int }", '2:13 Unexpected Name "implements"'],
    ["interface A { b: Int }\ninterface B { c: Int }\ntype C implements A, B { d: Int }", '3:22 Unexpected Name "B"'],
  ])("has one syntax error: %s", (schema, error) => {
    expect(errorsOf(schema)).toEqual([error]);
  });

  it("reports errors with line numbers", () => {
    expect(() => deploy("type A {\n  b: B\n}")).toThrow("input:2: Undefined type B.");
    expect(() => deploy("")).toThrow("input: No schema specified");
  });
});

describe("a schema nested beyond the call stack", () => {
  const levels = 100_000;

  it.each([
    ["lists", `type A { b: ${"[".repeat(levels)}Int${"]".repeat(levels)} }`],
    ["values of arguments", `type A { b: Int @search(by: ${"[".repeat(levels)}int${"]".repeat(levels)}) }`],
    ["objects", `type A { b: Int @default(add: ${"{value:".repeat(levels)}1${"}".repeat(levels)}) }`],
  ])("of %s is refused with a clear message", (_, text) => {
    expect(() => prepareDeployment(text, allPlugins)).toThrow(
      expect.objectContaining({ code: "SCHEMA_INVALID", message: "input: The schema is nested more deeply than this server can follow." }),
    );
  });
});

describe("extensions", () => {
  it("of a type need a plugin; the error points to the type's name", () => {
    expect(errorsOf("type B { c: Int }\nextend type A { b: Int }")).toEqual([
      '2:13 The directive @extends belongs to the plugin "federation", which is not installed.',
    ]);
  });

  it("of root types count as declarations of them", () => {
    expect(errorsOf("type A { b: Int }\nextend type Query { c: Int }")).toEqual([
      "2:13 GraphQL Query and Mutation types are only allowed to have fields with @custom/@lambda directive. " +
        "Other fields are built automatically for you. Found Query c without @custom/@lambda.",
    ]);
  });
});
