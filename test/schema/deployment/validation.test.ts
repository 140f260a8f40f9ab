import { describe, expect, it } from "vitest";
import { QuernError } from "../../../core/index.ts";
import { deploy, errorsOf } from "./harness.ts";

describe("standard validation", () => {
  it.each([
    ["a missing type in a list stands at its element", "type A { b: [Missing!]! }", "1:14 Undefined type Missing."],
    ["a missing type of an argument", "type A { b(c: Missing): Int }", "1:15 Undefined type Missing."],
    ["a missing member", "type A { b: Int }\nunion U = A | Missing", '2:7 Undefined type "Missing".'],
    ["an interface as member", "interface I { a: Int }\nunion U = I", '2:7 UNION type "I" must be OBJECT.'],
    ["an input as a field's type", "input C { d: Int }\ntype A { b: C }", "2:10 OBJECT field must be one of SCALAR, OBJECT, INTERFACE, UNION, ENUM."],
    ["an object in an input", "type A { b: Int }\ninput C { a: A }", "2:11 INPUT_OBJECT field must be one of SCALAR, ENUM, INPUT_OBJECT."],
    ["an object as an argument", "type A { b(a: [A!]): Int }", "1:12 cannot use [A!] as argument a because OBJECT is not a valid input type"],
    ["a field twice", "type A {\n  b: Int\n  b: String\n}", "3:3 Field A.b can only be defined once."],
    ["a type without fields", "type A", "1:6 OBJECT must define one or more fields."],
    ["an enum without values", "type A { b: Int }\nenum E", "2:6 ENUM must define one or more unique enum values."],
    ["an input without fields", "type A { b: Int }\ninput C", "2:7 INPUT_OBJECT must define one or more input fields."],
    ["an enum value twice", "type A { b: E }\nenum E { X Y X }", "2:14 Value X of enum E can only be defined once."],
    ["a member twice", "type A { b: Int }\nunion U = A | A", "2:15 Member A of union U can only be listed once."],
    ["an unknown directive", "type A { b: Int @other }", "1:18 Undefined directive other."],
    [
      "an unknown argument stands at its directive",
      "type A { b: Int @search(bay: [int]) }",
      "1:18 bay is not supported as an argument for search directive.",
    ],
    ["a directive on a type that others put on fields", "type A @deprecated { b: Int }", "1:9 Directive deprecated is not applicable on OBJECT."],
    ["a directive on an argument", "type A { b(c: Int @id): Int }", "1:20 Directive id is not applicable on ARGUMENT_DEFINITION."],
    ["a directive of requests", "type A { b: Int @include(if: true) }", "1:18 Directive include is not applicable on FIELD_DEFINITION."],
  ])("reports a mistake at its place: %s", (_, schema, error) => {
    expect(errorsOf(schema)).toEqual([error]);
  });

  it("suggests the most similar name", () => {
    const hintOf = (schema: string) => {
      try {
        deploy(schema);
        return "deploys";
      } catch (error) {
        return error instanceof QuernError ? error.errors[0]?.hint : error;
      }
    };
    expect(hintOf("type Author { name: Strng }")).toBe('Nothing is named Strng; did you mean "String"?');
    expect(hintOf("type Author { name: String @serch }")).toBe('Nothing is named serch; did you mean "search"?');
    expect(hintOf("type Author { name: String @search(bye: [hash]) }")).toBe('Nothing is named bye; did you mean "by"?');
    expect(hintOf("type Author { name: Completely }")).toBeUndefined();
  });

  it("reports the first problem of each definition, in source order", () => {
    expect(errorsOf("type A { b: X, c: Y }\ntype B { c: Z }")).toEqual(["1:13 Undefined type X.", "2:13 Undefined type Z."]);
  });

  it("reports a problem of an inherited field once", () => {
    expect(errorsOf("interface I { b: X }\ntype A implements I { c: Int }\ntype B implements I { c: Int }")).toEqual(["1:18 Undefined type X."]);
  });

  it("ignores directives of enum values and values of directive arguments", () => {
    expect(errorsOf('enum E { X @whatever }\ntype A { b: String @search(by: ["hash"]), e: E @search(by: exact) }')).toEqual([
      '2:49 Type A; Field e: the @search directive requires a list argument, like @search(by: ["hash"])',
    ]);
  });

  it("runs only if the checks before it find nothing", () => {
    expect(errorsOf("scalar Url\ntype A { b: X }")).toEqual([
      "1:8 You can't add scalar definitions. Only type, interface, union, input and enums are allowed in initial schema.",
    ]);
  });
});

describe("directives on types", () => {
  it("must be applicable to types, and to this kind of type", () => {
    expect(errorsOf('type A @id { b: Int }\nenum E @secret(field: "x") { X }\nunion U @generate = A')).toEqual([
      "1:9 Type A; has the @id directive, but it is not applicable at type level.",
      "2:9 Type E; has the @secret directive, but it is not applicable on types of ENUM kind.",
      "3:10 Type U; has the @generate directive, but it is not applicable on types of UNION kind.",
    ]);
  });

  it("such as @default are reported by standard validation", () => {
    expect(errorsOf("type A @default { b: Int }")).toEqual(["1:9 Directive default is not applicable on OBJECT."]);
  });
});

describe("directives of plugins that are not installed", () => {
  const absent = (directive: string, plugin: string) => `The directive @${directive} belongs to the plugin "${plugin}", which is not installed.`;

  it("refuse the deploy, with all locations", () => {
    expect(errorsOf("type A @auth { b: Int @withSubscription }\ntype B @auth { b(c: Int @custom): Int }")).toEqual([
      `1:9 2:9 ${absent("auth", "auth")}`,
      `1:24 ${absent("withSubscription", "subscription")}`,
      `2:26 ${absent("custom", "custom")}`,
    ]);
  });

  it("name each missing plugin", () => {
    expect(errorsOf("type A { id: ID!, b: String @id @search @hasInverse(field: x) @dgraph(pred: x) @default }", [])).toEqual([
      `1:30 ${absent("id", "identity")}`,
      `1:34 ${absent("search", "search")}`,
      `1:42 ${absent("hasInverse", "identity")}`,
      `1:64 ${absent("dgraph", "storage-names")}`,
      `1:81 ${absent("default", "default")}`,
    ]);
  });

  it("cannot be defined by the schema instead", () => {
    expect(errorsOf("directive @auth on OBJECT\ntype A @auth { b: Int }")).toEqual([`2:9 1:12 ${absent("auth", "auth")}`]);
  });
});

describe("directives that the schema defines", () => {
  it("are validated and then removed", () => {
    const schema = "directive @mine(a: Int) on FIELD_DEFINITION | ARGUMENT_DEFINITION\ntype A { b(x: Int @mine): Int @mine(a: 1) @deprecated }";
    expect(errorsOf(schema)).toEqual([]);
    expect(errorsOf(schema.replace("a: 1", "z: 1"))).toEqual(["2:32 z is not supported as an argument for mine directive."]);
    expect(errorsOf("directive @mine on OBJECT\ntype A { b: Int @mine }")).toEqual(["2:18 Directive mine is not applicable on FIELD_DEFINITION."]);
  });

  it("must not redefine known directives", () => {
    expect(errorsOf("directive @id on OBJECT\ntype A { b: Int }")).toEqual(["1:12 Cannot redeclare directive id."]);
    expect(errorsOf("directive @a on OBJECT\ndirective @a on OBJECT\ntype A { b: Int }")).toEqual(["2:12 Cannot redeclare directive a."]);
  });
});

describe("rules of types and fields", () => {
  it("are reported together, in source order", () => {
    expect(errorsOf("type A { id: ID!, other: ID }\ntype B { a: [[Int]], b: [Boolean!], c: String @id(interface: true) }")).toEqual([
      "1:6 Type A; is invalid, a type must have atleast one field that is not of ID! type and doesn't have @custom/@lambda directive.",
      "1:10 1:19 Fields id and other are listed as IDs for type A, but a type can have only one ID field. Pick a single field as the ID for type A.",
      "2:10 Type B; Field a: Nested lists are invalid.",
      "2:22 Type B; Field b: Boolean lists are invalid.",
      "2:48 Type B; Field c: @id field with interface argument can only be defined in interface,not in Type",
    ]);
  });

  it("require a stored field besides ID and password", () => {
    expect(errorsOf('type A @secret(field: "p") { id: ID! }')).toEqual([
      "1:6 Type A; is invalid, a type must have atleast one field that is not of ID! type and doesn't have @custom/@lambda directive.",
    ]);
  });

  it("apply to inputs, not to arguments", () => {
    expect(errorsOf("input C { a: [Boolean] }\ntype A { b(ids: [ID!]): Int }")).toEqual(["1:11 Type C; Field a: Boolean lists are invalid."]);
  });

  it("count inherited IDs, and allow an interface with only an ID", () => {
    expect(errorsOf("interface I { id: ID! }\ntype A implements I { b: Int }")).toEqual([]);
    expect(errorsOf("interface I { id: ID! }\ntype A implements I { key: ID, b: Int }")).toEqual([
      "1:15 2:23 Fields id and key are listed as IDs for type A, but a type can have only one ID field. Pick a single field as the ID for type A.",
    ]);
  });
});
