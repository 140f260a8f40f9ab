import { describe, expect, it } from "vitest";
import type { InputChanges, InputObject, RequestView, Stored } from "../../../core/plugin.ts";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

const request: RequestView = { id: "r", now: "2031-04-09T06:00:00Z", headers: {}, facts: {} };

async function changes(
  schema: string,
  role: InputObject["role"],
  values: Readonly<Record<string, Stored | null>>,
): Promise<InputChanges | undefined> {
  const deployed = deploy(schema);
  const hook = deployed.hooks.find(({ plugin }) => plugin === "default")?.hooks.values;
  return hook?.({ type: typeOf(deployed, "A"), role, values: new Map(Object.entries(values)) }, request);
}

const entries = (map: ReadonlyMap<string, Stored> | undefined) => Object.fromEntries(map ?? []);

describe("@default", () => {
  const schema = `type A {
    n: Int! @default(add: {value: "4"}, update: {value: 5})
    s: String @default(add: {value: ""})
    big: Int64 @default(add: {value: "9007199254740993"})
    made: DateTime! @default(add: {value: "$now"}, update: {value: "$now"})
    plain: Int!
  }`;

  it("supplies values of the field's kind for omitted fields", async () => {
    const given = await changes(schema, "add", {});
    expect(entries(given?.whenCreated)).toEqual({ n: 4, s: "", big: 9007199254740993n, made: "2031-04-09T06:00:00Z" });
    expect(entries(given?.whenUpdated)).toEqual({ n: 5, made: "2031-04-09T06:00:00Z" });
  });

  it("keeps given values, null included", async () => {
    const given = await changes(schema, "nested", { n: 1, made: null });
    expect(entries(given?.whenCreated)).toEqual({ s: "", big: 9007199254740993n });
    expect(entries(given?.whenUpdated)).toEqual({});
  });

  it("does not apply to remove", async () => {
    expect(await changes(schema, "remove", {})).toBeUndefined();
  });

  it("makes a field optional in Add inputs when it has a value for add", () => {
    const optional = (text: string) => {
      const field = typeOf(deploy(`type A { f: Int! @default(${text}) }`), "A").fields.get("f");
      return field?.role === "value" && field.optionalOnAdd;
    };
    expect([optional('add: {value: "1"}'), optional('update: {value: "1"}')]).toEqual([true, false]);
  });

  it("is inherited with its field", async () => {
    const deployed = deploy('interface I { i: Int! @default(add: {value: "1"}) }\ntype A implements I { a: Int }');
    const field = typeOf(deployed, "A").fields.get("i");
    expect(field?.role === "value" && field.optionalOnAdd).toBe(true);
    expect(
      entries((await changes('interface I { i: Int! @default(add: {value: "1"}) }\ntype A implements I { a: Int }', "add", {}))?.whenCreated),
    ).toEqual({ i: 1 });
  });

  it("with an invalid value refuses the objects that need it", async () => {
    const given = await changes('type A { f: DateTime @default(add: {value: "soon"}) }', "add", {});
    expect(given?.refuse?.message).toBe('the default "soon" of A.f is no DateTime');
    expect(await changes('type A { f: DateTime @default(add: {value: "soon"}) }', "add", { f: "2031-01-01T00:00:00Z" })).toBeUndefined();
  });

  it("may be a geometry", async () => {
    const point = '{\\"type\\":\\"Point\\",\\"coordinates\\":[1,2]}';
    const given = await changes(`type A { f: Point @default(add: {value: "${point}"}) }`, "add", {});
    expect(entries(given?.whenCreated)).toEqual({ f: { type: "Point", coordinates: [1, 2] } });
    expect((await changes(`type A { f: Polygon @default(add: {value: "${point}"}) }`, "add", {}))?.refuse).toBeDefined();
  });

  it.each([
    ["f: B", "cannot use @default directive on field with non-scalar type B"],
    ["f: [Int]", "cannot use @default directive on field with list type [Int]"],
    ["f: ID", "cannot use @default directive on field with type ID"],
    ["f: String @id", "cannot use @default directive on field with @id directive"],
    ["f: Int", '@default directive provides value "x" which cannot be used with Int'],
    ["f: Float", '@default directive provides value "x" which cannot be used with Float'],
    ["f: Boolean", '@default directive provides value "x" which cannot be used with Boolean'],
  ])("is refused on %s", (field, text) => {
    const column = `type A { n: Int, ${field} @`.length + 1;
    expect(errorsOf(`type A { n: Int, ${field} @default(add: {value: "x"}) }\ntype B { n: Int }`)).toEqual([`1:${column} Type A; Field f: ${text}`]);
  });

  it.each(["Int64", "DateTime", "E", "String", "Point"])("does not validate values of %s at deploy", (type) => {
    expect(errorsOf(`type A { f: ${type} @default(add: {value: "x"}) }\nenum E { V }`)).toEqual([]);
  });

  it.each([
    ["Int", "1.5"],
    ["Int", "2147483648"],
    ["Int", ""],
    ["Int", "$now"],
    ["String", "$now"],
    ["Boolean", "True"],
    ["Float", "1e999"],
  ])("of %s is not %j", (type, value) => {
    expect(errorsOf(`type A { f: ${type} @default(update: {value: "${value}"}) }`)).toEqual([
      `1:${type.length + 15} Type A; Field f: @default directive provides value "${value}" which cannot be used with ${type}`,
    ]);
  });

  it("requires a value in a given add", () => {
    expect(errorsOf("type A { f: Int @default(add: {}) }")).toEqual(['1:18 Type A; Field f: @default directive needs a value: {value: "..."}']);
    expect(errorsOf("type A { f: Int @default }")).toEqual([]);
  });
});
