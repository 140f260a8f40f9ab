import { buildASTSchema, type GraphQLSchema, isObjectType, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { link, subgraph } from "./harness.ts";

const rootFields = (schema: GraphQLSchema, root: "Query" | "Mutation") => {
  const type = schema.getType(root);
  return isObjectType(type) ? Object.keys(type.getFields()) : [];
};

/** Extensions of types count as their definitions. */
const read = (sdl: string) =>
  buildASTSchema(parse(sdl.replace(/^extend schema.*$/m, "").replace(/^extend type/gm, "type")), { assumeValidSDL: true });

describe("_service", () => {
  it("does not exist in a schema without federation", async () => {
    const { ask } = await subgraph("type A { k: String! @id }");
    const { errors = [] } = await ask("{ _service { sdl } }");
    expect(errors).toHaveLength(1);
  });

  it("of version 2 starts with the links and uses no directive of Quern", async () => {
    const { sdl } = await subgraph(`
      ${link("key", "tag")}
      extend schema @link(url: "https://specs.apollo.dev/link/v1.0")
      type A @key(fields: "k") @generate(mutation: { delete: false }) { k: String! @id  t: String @search(by: [term]) @tag(name: "x")  e: E  old: Int @deprecated(reason: "gone") }
      enum E @tag(name: "y") { ONE TWO @tag(name: "z") }
    `);
    const text = await sdl();
    expect(text.match(/@link\(url: "[^"]+"/g)).toEqual([
      '@link(url: "https://specs.apollo.dev/federation/v2.3"',
      '@link(url: "https://specs.apollo.dev/link/v1.0"',
    ]);
    expect(new Set(text.match(/@\w+(?=[ (\n])/g))).toEqual(new Set(["@link", "@key", "@tag", "@deprecated"]));
    expect(text).toMatch(/enum E @tag\(name: "y"\) \{\s+ONE\s+TWO @tag\(name: "z"\)/);
    expect(text).not.toContain("deleteA");
    expect(text).not.toMatch(/Polygon|Int64Range|_Any|_entities/);
  });

  it("of version 2 leaves queries and mutations of a type to its owner", async () => {
    const { sdl, ask } = await subgraph(`
      ${link("key", "external")}
      extend type Star @key(fields: "id") { id: ID! @external  sightings: [Sighting] @hasInverse(field: star) }
      type Sighting { at: String! @id  star: Star  stars: [Star]  planet: Planet }
      type Planet @key(fields: "name", resolvable: false) { name: String! @id }
    `);
    const schema = read(await sdl());
    expect(rootFields(schema, "Query")).toEqual(["getSighting", "querySighting", "aggregateSighting"]);
    expect(rootFields(schema, "Mutation")).toEqual(["addSighting", "updateSighting", "deleteSighting"]);
    const sighting = schema.getType("Sighting");
    expect(isObjectType(sighting) && Object.values(sighting.getFields()).map(({ name, args }) => [name, args.length])).toEqual([
      ["at", 0],
      ["star", 0],
      ["stars", 0],
      ["planet", 0],
    ]);
    expect(await sdl()).toContain("extend type Star @key");
    // The service itself answers all of them.
    expect((await ask("{ queryStar { id } queryPlanet { name } }")).data).toEqual({ queryStar: [], queryPlanet: [] });
  });

  it("of version 2 names no inaccessible field or type in what is generated", async () => {
    const { sdl } = await subgraph(`
      ${link("key", "inaccessible")}
      type A @key(fields: "k") { k: String! @id  secret: Int @search @inaccessible  parts: [B] @inaccessible  open: Int }
      type B @inaccessible { n: String! @id }
    `);
    const text = await sdl();
    expect(text.match(/secret/g)).toHaveLength(1);
    expect(text.match(/parts/g)).toHaveLength(1);
    expect(text).not.toMatch(/queryB|addB|AddBPayload/);
    expect(() => read(text)).not.toThrow();
  });

  it("of version 2 shares the geometries that every service has", async () => {
    const { sdl } = await subgraph(`${link("key")} type A @key(fields: "k") { k: String! @id  at: Point }`);
    expect(await sdl()).toContain("type Point @federation__shareable");
  });
});

describe("an external ID", () => {
  it("is given by clients, unique, ordered and filtered", async () => {
    const { ask } = await subgraph('extend type Star @key(fields: "id") { id: ID! @external  name: String }');
    await ask('mutation { addStar(input: [{ id: "s2", name: "b" }, { id: "0x7", name: "a" }, { id: "7" }]) { numUids } }');
    expect((await ask('{ queryStar(order: { desc: id }) { id } getStar(id: "7") { id name } }')).data).toEqual({
      queryStar: [{ id: "s2" }, { id: "7" }, { id: "0x7" }],
      getStar: { id: "7", name: null },
    });
    expect((await ask('{ queryStar(filter: { id: ["s2", "none"] }) { name } aggregateStar { idMax } }')).data).toEqual({
      queryStar: [{ name: "b" }],
      aggregateStar: { idMax: "s2" },
    });
    expect((await ask('mutation { addStar(input: [{ id: "s2" }]) { numUids } }')).errors).toHaveLength(1);
    expect((await ask('mutation { updateStar(input: { filter: { id: ["s2"] }, set: { name: "c" } }) { numUids } }')).data).toEqual({
      updateStar: { numUids: 1 },
    });
  });
});
