import { describe, expect, it } from "vitest";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

const schema = `
  type Person {
    name: String!
    nameHi: String @dgraph(pred: "Person.name@hi")
    nameEn: String @dgraph(pred: "Person.name@en")
    hindiFirst: String @dgraph(pred: "Person.name@hi:en")
    anything: String @dgraph(pred: "Person.name@.")
    swedishOrAny: String @dgraph(pred: "Person.name@sv:.")
  }
`;

describe("language tags", () => {
  it("determine where the API shows a field", () => {
    const fields = typeOf(deploy(schema), "Person").fields;
    const shows = (name: string) => {
      const { input, has, order, aggregate } = fields.get(name)?.exposure ?? {};
      return { input, has, order, aggregate };
    };
    expect(shows("nameHi")).toEqual({ input: true, has: true, order: true, aggregate: "range" });
    expect(shows("hindiFirst")).toEqual({ input: false, has: false, order: false, aggregate: "range" });
    expect(shows("swedishOrAny")).toEqual({ input: false, has: false, order: false, aggregate: "range" });
    expect(shows("anything")).toEqual({ input: false, has: true, order: true, aggregate: "range" });
  });

  it("sort by their language", () => {
    const fields = typeOf(deploy(schema), "Person").fields;
    const collation = (name: string) => {
      const field = fields.get(name);
      return field?.role === "value" ? field.collation : "no value";
    };
    expect([collation("name"), collation("nameHi"), collation("anything")]).toEqual([undefined, "hi", undefined]);
  });

  it("in a list give a derived field: the first text that is present; any language prefers the untagged text", () => {
    const { layout } = deploy(schema);
    const from = Object.fromEntries(layout.fields.map(({ name, derived }) => [name, derived?.from]));
    expect(from).toEqual({
      "Person.name": undefined,
      "Person.name@.": ["Person.name", "Person.name@en", "Person.name@hi"],
      "Person.name@en": undefined,
      "Person.name@hi": undefined,
      "Person.name@hi:en": ["Person.name@hi", "Person.name@en"],
      // No field of the schema is Swedish, so it is kept as a plain one: an earlier schema may have written it.
      "Person.name@sv": undefined,
      "Person.name@sv:.": ["Person.name@sv", "Person.name", "Person.name@en", "Person.name@hi"],
    });
    expect(layout.types).toEqual([{ name: "Person", fields: layout.fields.map((field) => field.name) }]);
    const derive = layout.fields.find((field) => field.name === "Person.name@hi:en")?.derived?.derive;
    expect([derive?.([undefined, "en"]), derive?.(["hi", "en"]), derive?.(["", "en"]), derive?.([undefined, undefined])]).toEqual([
      "en",
      "hi",
      "",
      undefined,
    ]);
  });

  it("with other sources have another derivation id", () => {
    const id = (text: string) => deploy(text).layout.fields.find((field) => field.name === "Person.name@.")?.derived?.id;
    expect(id(schema)).not.toBe(id(schema.replace(/nameEn.*\n/, "")));
  });

  it.each([
    ["a field that is no String", "name: Int", "x@en", "1:10 Type A; Field name: Expected type `String` for language tag field but got `Int`"],
    ["every language", "name: String", "x@*", "1:24 Type A; Field name: `*` language tag not supported in GraphQL"],
    ["no language", "name: String", "x@", "1:24 Type A; Field name: empty language tag not supported"],
    ["two tags", "name: String", "x@en@hi", "1:24 Type A; Field name: multiple language tag not supported"],
  ])("are refused for %s", (_, field, pred, error) => {
    expect(errorsOf(`type A { ${field} @dgraph(pred: "${pred}") }`)).toEqual([error]);
  });

  it("cannot be keys, and in lists cannot have @search", () => {
    expect(errorsOf('type A { a: String @id @dgraph(pred: "x@en") }')).toEqual([
      "1:21 Type A; Field a: @id directive not supported on language tag fields",
    ]);
    expect(errorsOf('type A { a: String @search @dgraph(pred: "x@en") }')).toEqual([]);
  });
});
