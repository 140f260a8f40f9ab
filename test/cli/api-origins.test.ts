// The origin of each type, field and argument: the plugin that added, changed or hid it.

import { describe, expect, it } from "vitest";
import { type Origin, originsOf } from "../../adapters/cli/ground/api-origins.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { allPlugins } from "../schema/deployment/harness.ts";

/** `Query.getBoat.name` or `BoatFilter`, without the kind of the type. */
function origin(schema: string, path: string, plugins: readonly DirectivePlugin[] = allPlugins): Origin | undefined {
  const [type, ...names] = path.split(".");
  let found = originsOf(schema, plugins).find(({ name }) => name.split(" ")[1] === type);
  for (const name of names) found = found?.parts.find((part) => part.name === name);
  return found;
}

const schema = `
  interface Named { name: String! @id @search(by: [term]) }
  type Boat implements Named @secret(field: "pass") { id: ID!  seats: Int @default(add: { value: "4" })  crew(rank: Int): [Sailor] @hasInverse(field: boat) }
  type Sailor @generate(query: { get: false }) { id: ID!  boat: Boat }
  enum Rig { yawl }`;

describe("the origin", () => {
  it.each([
    ["Boat", "schema"],
    ["Boat.name", "schema"],
    ["Boat.crew.rank", "schema"],
    ["Boat.crew.filter", "kernel"],
    ["Boat.crewAggregate", "kernel"],
    ["Rig.yawl", "schema"],
    ["Query", "kernel"],
    ["Query.getNamed", ["identity"]],
    ["Query.getBoat", "kernel"],
    ["Query.getBoat.name", ["identity"]],
    ["Query.checkBoatPassword.pass", ["secret"]],
    ["Mutation.addBoat.upsert", ["identity"]],
    ["AddBoatInput", "kernel"],
    ["AddBoatInput.pass", ["secret"]],
    ["BoatFilter.name", ["search"]],
    ["BoatFilter.id", "kernel"],
  ])("of %s is %j", (path, from) => {
    expect(origin(schema, path)?.from).toEqual(from);
  });

  it("names the plugin that changed a part: a key makes an argument optional, an inverse adds a directive", () => {
    expect(origin(schema, "Query.getBoat.id")?.changedBy).toEqual(["identity"]);
    expect(origin(schema, "Sailor.boat")?.changedBy).toEqual(["identity"]);
    expect(origin(schema, "Boat.seats")?.changedBy).toEqual([]);
    const required = 'type Boat { id: ID!  seats: Int! @default(add: { value: "4" }) }';
    expect(origin(required, "AddBoatInput.seats")?.changedBy).toEqual(["default"]);
  });

  it("names the plugin that hid a part", () => {
    expect(origin(schema, "Query")?.hidden).toContainEqual({ name: "getSailor", by: ["generate"] });
    expect(origin(schema, "Mutation")?.hidden).toEqual([]);
  });

  it("covers third-party plugins: types, filters, root fields, hidden fields", () => {
    const thirdParty: DirectivePlugin = {
      name: "third-party",
      definitions: "directive @hide on FIELD_DEFINITION\nenum Mood { calm }",
      model({ model, uses, record }) {
        for (const { field } of uses("hide")) if (field) record.exposure(field, { output: false, has: false });
        const type = model.nodeTypes.get("Boat");
        const field = type?.fields.get("name");
        if (!type || field?.role !== "value") return undefined;
        return {
          api: () => ({
            definitions: "input Loud { eq: String }",
            filters: [{ field, input: "Loud", predicate: () => undefined }],
            roots: [{ operation: "query", signature: "loudest(mood: Mood): Boat", type, run: () => ({ nodes: [] }) }],
          }),
        };
      },
    };
    const small = "type Boat { name: String  note: String @hide }";
    for (const path of ["Loud", "Loud.eq", "BoatFilter.name", "Query.loudest", "Query.loudest.mood", "Mood.calm"]) {
      expect([path, origin(small, path, [thirdParty])?.from]).toEqual([path, ["third-party"]]);
    }
    expect(origin(small, "Boat", [thirdParty])?.hidden).toEqual([{ name: "note", by: ["third-party"] }]);
  });

  it("is not available for an invalid schema", () => {
    expect(() => originsOf("type Boat { name: Strin }", allPlugins)).toThrow("Undefined type Strin.");
  });
});
