import { buildASTSchema, executeSync, getIntrospectionQuery, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import { apiOf, refusals, shown } from "./harness.ts";

/** The printed definitions under a section's title. */
function section(sdl: string, title: string): string | undefined {
  const [, text] = sdl.split(`#######################\n# ${title}\n#######################\n\n`);
  return text?.split("#######################")[0]?.trimEnd();
}

describe("the printed schema", () => {
  it("prints sections in a fixed order and omits empty ones", () => {
    const titles = (sdl: string) => [...sdl.matchAll(/^# (.*)$/gm)].map(([, title]) => title);
    expect(titles(apiOf("type Boat { name: String }").sdl)).toEqual([
      "Input Schema",
      "Extended Definitions",
      "Generated Types",
      "Generated Enums",
      "Generated Inputs",
      "Generated Query",
      "Generated Mutations",
    ]);
    const readOnly = "type Boat @generate(mutation: {add: false, update: false, delete: false}) { link: Boat }";
    expect(titles(apiOf(readOnly).sdl)).not.toContain("Generated Mutations");
  });

  it("prints the schema's definitions in source order, indented by tabs, without defaults of input members and directives of enum values", () => {
    const { sdl } = apiOf(`
      "how it floats"
      enum Way { "by wind" SAIL STEAM @deprecated(reason: "smoke") }
      input Range { "least" from: Int = 1  to: Int! @deprecated }
      """
      Sails,
        or not.
      """
      type Boat { id: ID!  "what it says \\\\ aft" name: String! @search(by: ["hash", regexp]) @deprecated(reason: "say \\"title\\"")  way(in: [Int!]! = [1]): Way }
    `);
    expect(section(sdl, "Input Schema")).toBe(
      [
        '"""how it floats"""\nenum Way {\n\t"""by wind"""\n\tSAIL\n\tSTEAM\n}\n',
        'input Range {\n\t"""least"""\n\tfrom: Int\n\tto: Int! @deprecated\n}\n',
        '"""\nSails,\n  or not.\n"""\ntype Boat {\n\tid: ID!\n\t"""what it says \\ aft"""\n\tname: String! @search(by: ["hash",regexp]) @deprecated(reason: "say \\"title\\"")\n\tway(in: [Int!]! = [1]): Way\n}',
      ].join("\n"),
    );
  });

  it("parses back to the same schema, even with unusual descriptions", () => {
    const awkward = [
      'ends with \\"',
      'has \\"\\"\\" inside',
      "ends with \\\\",
      " leads with a blank",
      "two\\n  lines",
      "\\n",
      "tab\\tand\\rreturn",
      "💡 ünïcode",
    ];
    const api = apiOf(`type Boat { ${awkward.map((text, index) => `"${text}" f${index}: Int`).join("\n")} }`);
    const again = buildASTSchema(parse(api.sdl), { assumeValidSDL: true });
    const descriptions = (schema: typeof again) => {
      const boat = schema.getType("Boat");
      return boat && "getFields" in boat ? Object.values(boat.getFields()).map(({ description }) => description) : [];
    };
    expect(descriptions(again)).toEqual(descriptions(api.schema));
    expect(descriptions(again).slice(0, awkward.length)).toEqual(awkward.map((text) => JSON.parse(`"${text}"`)));
  });

  it("sorts generated definitions by bytes", () => {
    const { sdl } = apiOf("type b { on: Boolean }  type _a { on: Boolean }  type Z { on: Boolean }");
    const names = [...(section(sdl, "Generated Inputs") ?? "").matchAll(/^input (\S+)/gm)].map(([, name]) => name);
    expect(names).toEqual([...names].sort());
    expect(names.indexOf("ZFilter")).toBeLessThan(names.indexOf("_aFilter"));
    expect(names.indexOf("_aFilter")).toBeLessThan(names.indexOf("bFilter"));
  });

  it("is the same for the same text", () => {
    const schema = "interface A { id: ID! }  type B implements A { n: Int @search }  union U = B  type C { u: [U]  b: B }";
    expect(apiOf(schema).sdl).toBe(apiOf(schema).sdl);
    const order = () => Object.keys(apiOf(schema).schema.getTypeMap());
    expect(order()).toEqual(order());
  });
});

describe("the served schema", () => {
  it("answers introspection, with null for absent types", () => {
    const { schema } = apiOf(`type Boat { name: String @deprecated  "how many" seats: Int @deprecated(reason: "ask the owner") }`);
    const { data, errors } = executeSync({ schema, document: parse(getIntrospectionQuery()) });
    expect(errors).toBeUndefined();
    expect(data).toBeDefined();
    const boat = executeSync({
      schema,
      document: parse(
        `{ __type(name: "Boat") { description inputFields { name } fields(includeDeprecated: true) { name description deprecationReason } } none: __type(name: "Ship") { name } }`,
      ),
    });
    expect(boat.data).toEqual({
      __type: {
        description: null,
        inputFields: null,
        fields: [
          { name: "name", description: null, deprecationReason: "No longer supported" },
          { name: "seats", description: "how many", deprecationReason: "ask the owner" },
        ],
      },
      none: null,
    });
  });

  it("knows the directives of requests and of plugins", () => {
    const { schema } = apiOf("type Boat { name: String }");
    const names = schema.getDirectives().map(({ name }) => name);
    for (const name of ["cascade", "cacheControl", "skip", "include", "deprecated", "search", "id", "hasInverse", "dgraph", "storage", "secret"]) {
      expect(names).toContain(name);
    }
    expect(validate(schema, parse(`query @cacheControl(maxAge: 5) { queryBoat @cascade(fields: ["name"]) { name } }`))).toEqual([]);
  });

  it("never deprecates an input field", () => {
    const api = apiOf("input Range { from: Int! @deprecated  to: Int @search }  type Boat { name: String }");
    expect(shown(api, "Range")).toBe("input Range { from: Int! to: Int }");
  });

  it("may have no queries if it has mutations, but not neither", () => {
    const noQueries = "type Boat @generate(query: {get: false, query: false, aggregate: false}) { id: ID!  name: String }";
    const { schema, queries } = apiOf(noQueries);
    expect(schema.getQueryType()).toBeUndefined();
    expect(queries.size).toBe(0);
    expect(validate(schema, parse(`mutation { deleteBoat(filter: {}) { msg } }`))).toEqual([]);
    const nothing =
      "type Boat @generate(query: {get: false, query: false, aggregate: false}, mutation: {add: false, update: false, delete: false}) { id: ID!  name: String }";
    expect(refusals(nothing)).toEqual(["No query or mutation found in the generated schema"]);
  });
});
