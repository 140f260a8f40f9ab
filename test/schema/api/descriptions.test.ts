// Descriptions that clients see in an explorer. Dgraph's generated schemas describe no type and no field, so Quern's describe arguments, filters
// and directives.

import { type GraphQLNamedType, isEnumType, isInputObjectType, isInterfaceType, isObjectType, isSpecifiedScalarType } from "graphql";
import { describe, expect, it } from "vitest";
import { apiOf } from "./harness.ts";

const api = apiOf(`
  interface Afloat { id: ID!  crew(deck: Int): [Sailor] }
  type Boat implements Afloat { "Letters on the bow." code: String! @id  plate: String! @id  name: String @search  crew(deck: Int): [Sailor] }
  type Sailor { name: String!  boats: [Boat] }
  type Remote @remote { at: String }
  type Query {
    weather("The name of a place." place: String!, first: Int): Remote @custom(http: { url: "http://127.0.0.1:1/$place", method: GET })
  }
`);

function argumentsOf(typeName: string, fieldName: string): Readonly<Record<string, string | null | undefined>> {
  const type = api.schema.getType(typeName);
  if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${typeName} has no fields`);
  return Object.fromEntries((type.getFields()[fieldName]?.args ?? []).map(({ name, description }) => [name, description]));
}

/** What Dgraph generates for the types of the spec about additions. */
const ofDgraph =
  /^(?:Query|Mutation|(?:Author|Post)(?:|Filter|HasFilter|Order|Orderable|Patch|Ref|Embedding|AggregateResult)|(?:Add|Update|Delete)(?:Author|Post)(?:Input|Payload))$/;

/** The description of each field, member or value of a type, by name. */
function membersOf(type: GraphQLNamedType | undefined): ReadonlyMap<string, string | null | undefined> {
  if (isEnumType(type)) return new Map(type.getValues().map(({ name, description }) => [name, description]));
  if (!isInputObjectType(type) && !isObjectType(type) && !isInterfaceType(type)) return new Map();
  return new Map(Object.values(type.getFields()).map(({ name, description }) => [name, description]));
}

/** The type, and those of its members, that have no description. */
function undescribed(type: GraphQLNamedType): readonly string[] {
  const bare = [...membersOf(type)].filter(([, description]) => !description).map(([name]) => `${type.name}.${name}`);
  return type.description ? bare : [type.name, ...bare];
}

function undescribedArguments(type: GraphQLNamedType): readonly string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, args }) =>
    args.filter(({ description }) => !description).map((each) => `${type.name}.${name}(${each.name}:)`),
  );
}

describe("descriptions", () => {
  it("has every generated argument, of root fields, payloads, links and aggregates", () => {
    const places = [
      ["Query", "queryBoat", 4],
      ["Query", "aggregateBoat", 1],
      ["Query", "getBoat", 3],
      ["Mutation", "addBoat", 2],
      ["Mutation", "updateBoat", 1],
      ["Mutation", "deleteBoat", 1],
      ["AddBoatPayload", "boat", 4],
      ["Sailor", "boats", 4],
      ["Sailor", "boatsAggregate", 1],
    ] as const;
    for (const [type, field, count] of places) {
      const texts = Object.values(argumentsOf(type, field));
      expect(texts, `${type}.${field}`).toHaveLength(count);
      for (const text of texts) expect(text, `${type}.${field}`).toMatch(/^[A-Z`].*\.$/);
    }
  });

  it("keeps the schema's own: of a key in its argument, of a declared argument, and none where none is written", () => {
    expect(argumentsOf("Query", "getBoat")).toEqual({
      id: "The ID of the object.",
      code: "Letters on the bow.",
      plate: "The value of this field in the object; no two objects have the same.",
    });
    expect(argumentsOf("Query", "weather")).toEqual({ place: "The name of a place.", first: undefined });
    for (const type of ["Afloat", "Boat"]) expect(argumentsOf(type, "crew")).toMatchObject({ deck: undefined, filter: expect.any(String) });
  });

  it("leaves argument descriptions out of the printed schema, which has one line for each field", () => {
    expect(api.sdl).toContain("\tqueryBoat(filter: BoatFilter, order: BoatOrder, first: Int, offset: Int): [Boat]\n");
    expect(api.sdl).not.toContain("The name of a place.");
  });

  it("has every operator of the filters that are in every schema", () => {
    for (const name of ["IntFilter", "StringTermFilter", "DateTimeFilter", "PolygonGeoFilter", "NearFilter", "StringRegExpFilter"]) {
      const type = api.schema.getType(name);
      if (!isInputObjectType(type)) throw new Error(`${name} is an input`);
      expect(type.description, name).toMatch(/\.$/);
      for (const field of Object.values(type.getFields())) expect(field.description, `${name}.${field.name}`).toMatch(/\.$/);
    }
  });

  it("has everything that no schema of Dgraph has: pages, groups, filters and orders by links, increments, nested writes, nearness, formats", () => {
    const { schema } = apiOf(`
      type Author @paged @nested { handle: String! @id  posts: [Post] @hasInverse(field: author) @search @paged }
      type Post @groupBy(fields: ["author", "published", "score"]) @auth(query: { rule: "{ $ROLE: { eq: \\"ADMIN\\" } }" }) {
        slug: String! @id @format(type: SLUG)
        place: Point @search
        score: Int @search @increment
        published: DateTime @search @default(add: { value: "$now" })
        author: Author @search @onDelete(linked: RESTRICT)
        topic: [Float!] @embedding
      }
    `);
    const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith("__") && !isSpecifiedScalarType(type));
    const ours = types.filter(({ name }) => !ofDgraph.test(name));
    const names = ours.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["PointRef", "DateTimeRange", "AuthorConnection", "PostGroupByHaving", "PostManyOrderable"]));
    expect(names).toEqual(expect.arrayContaining(["PostNear", "PostIncrement", "PostManyNested", "TextFormat", "OnDelete", "AuthRule", "Int64"]));
    // Methods of HTTP need no word, and fields by which one may group have the descriptions that the schema gives them.
    const named = /^HTTPMethod\.|^PostGroupBy(?:Field|Keys|Orderable)\.(?:author|published|score)$/;
    expect(ours.flatMap(undescribed).filter((place) => !named.test(place))).toEqual([]);
    const members = [
      ["Query", "queryAuthorConnection"],
      ["Query", "groupPost"],
      ["Author", "postsConnection"],
      ["Author", "postsGroup"],
      ["UpdatePostInput", "increment"],
      ["UpdateAuthorInput", "links"],
    ] as const;
    for (const [type, member] of members) expect(membersOf(schema.getType(type)).get(member), `${type}.${member}`).toMatch(/\.$/);
    expect(types.flatMap(undescribedArguments)).toEqual([]);
  });

  it("has every directive of a schema, except those of federation", () => {
    const without = api.schema.getDirectives().filter(({ description }) => !description);
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
