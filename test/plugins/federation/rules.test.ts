import { describe, expect, it } from "vitest";
import { link, refusalsOf } from "./harness.ts";

describe("a schema of federation 1", () => {
  it.each([
    ["an external key", 'extend type A @key(fields: "id") { id: ID! @external  a: String }'],
    ["an own type", 'type A @key(fields: "k") { k: String! @id  a: String }'],
    [
      "the directive instead of the keyword",
      'type A @key(fields: "k") @extends { k: Int! @id @external  b: String @external  c: Int @requires(fields: "b k") }',
    ],
  ])("deploys with %s", (_name, schema) => expect(refusalsOf(schema)).toEqual([]));

  it.each([
    [
      "several keys",
      'type A @key(fields: "k") @key(fields: "l") { k: String! @id  l: String! @id }',
      ["1:27 Type A; @key directive should not be defined more than once."],
    ],
    [
      "a compound key",
      'type A @key(fields: "k l") { k: String! @id  l: String! @id }',
      ["1:13 Type A; @key directive uses a field k l which is not defined inside the type."],
    ],
    ["a directive of version 2", 'type A @key(fields: "k") { k: String! @id  a: String @shareable }', ["1:55 Undefined directive shareable."]],
    [
      "an argument of version 2",
      'type A @key(fields: "k", resolvable: false) { k: String! @id }',
      ["1:9 resolvable is not supported as an argument for key directive."],
    ],
    ["an extension without key", "extend type A { k: String! @id }", ["1:13 Type A; Type Extension cannot be defined without @key directive"]],
    [
      "an extended enum",
      'extend enum E { A } type B @key(fields: "k") { k: String! @id  e: E }',
      ["1:13 Type E; has the @extends directive, but it is not applicable on types of ENUM kind."],
    ],
  ])("is refused with %s", (_name, schema, errors) => expect(refusalsOf(schema)).toEqual(errors));
});

describe("a schema without federation", () => {
  it("may use its names", () => {
    expect(refusalsOf("directive @tag(name: String) on FIELD_DEFINITION  type _Service { sdl: String @tag }  type _Any { a: String }")).toEqual([]);
  });

  it("has no directive of federation on its fields", () => {
    expect(refusalsOf("type A { k: String! @id  a: String @external }")).toEqual(["1:37 Undefined directive external."]);
  });
});

describe("a schema of federation 2", () => {
  it.each([
    ["imported names", `${link("key", "shareable")} type A @key(fields: "k") { k: String! @id  a: String @shareable }`],
    [
      "names of its own",
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: [{ name: "@key", as: "@primary" }]) type A @primary(fields: "k") { k: String! @id }',
    ],
    ["the prefix", 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9") type A @federation__key(fields: "k") { k: String! @id }'],
    [
      "a prefix of its own",
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", as: "fed") type A @fed__key(fields: "k") { k: String! @id  a: Int @fed__override(from: "b") }',
    ],
    ["no key at all", `${link("tag")} type A @tag(name: "x") { k: String! @id }`],
    [
      "a reference whose only field is its ID",
      `${link("key")} type A @key(fields: "id", resolvable: false) { id: ID! }  type B { k: String! @id  a: A }`,
    ],
  ])("deploys with %s", (_name, schema) => expect(refusalsOf(schema)).toEqual([]));

  it.each([
    [
      "a name that is not imported",
      `${link("key")} type A @key(fields: "k") { k: String! @id  a: Int @shareable }`,
      "Undefined directive shareable.",
    ],
    ["an unknown import", `${link("key", "interfaceObject")} type A @key(fields: "k") { k: String! @id }`, "@link imports @interfaceObject"],
    ["a field that is not unique", `${link("key")} type A @key(fields: "k") { k: String! }`, "should be of type ID or have @id directive"],
    ["an unknown field in a compound key", `${link("key")} type A @key(fields: "k l") { k: String! }`, "uses a field l which is not defined"],
    ["a list in a key", `${link("key")} type A @key(fields: "k l") { k: String!  l: [Int] }`, "must not be a list"],
    ["a link without fields", `${link("key")} type A @key(fields: "k b") { k: String!  b: B } type B { n: Int }`, "must name fields of the type"],
    ["fields of a scalar", `${link("key")} type A @key(fields: "k { l }  m") { k: String! m: Int }`, "has no fields"],
    ["fields that cannot be read", `${link("key")} type A @key(fields: "k {") { k: String! @id }`, "cannot be read"],
    ["fields that close their frame", `${link("key")} type A @key(fields: "k } { l") { k: String! @id  l: Int }`, "cannot be read"],
    ["an empty key", `${link("key")} type A @key(fields: "") { k: String! @id }`, "must be defined"],
    ["a key on an interface", `${link("key")} interface A @key(fields: "k") { k: String! @id } type B implements A { n: Int }`, "entity interfaces"],
    [
      "a requirement that is not external",
      `${link("key", "requires")} type A @key(fields: "k") { k: String! @id  a: Int  b: Int @requires(fields: "a") }`,
      "Field a must be @external",
    ],
    [
      "a provided field that is not there",
      `${link("key", "provides")} type A @key(fields: "k") { k: String! @id  b: B @provides(fields: "z") } type B { n: Int }`,
      "provides field z",
    ],
  ])("is refused with %s", (_name, schema, text) => {
    const errors = refusalsOf(schema);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(text);
  });
});
