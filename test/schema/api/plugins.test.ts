import { parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import type { ApiAdditions, NodeType } from "../../../core/plugin.ts";
import { apiOf, plugin, refusals, rootFields, shown } from "./harness.ts";

/** A plugin `@note` that adds what `additions` says. */
function adding(additions: (types: ReadonlyMap<string, NodeType>) => ApiAdditions, name = "note") {
  return plugin(name, ({ model }) => ({ api: () => additions(model.nodeTypes) }));
}

const run = () => ({ json: null });

describe("API additions of plugins", () => {
  it("place a root field among those of its type, or first if it has no type", () => {
    const api = apiOf(
      "type Boat { id: ID!  name: String }  type Box { id: ID!  size: Int }",
      adding((types) => {
        const box = types.get("Box");
        return {
          roots: [
            { operation: "query", signature: "largest(first: Int): Box", ...(box && { type: box }), run },
            { operation: "query", signature: `"the day" today: DateTime!`, run },
            { operation: "mutation", signature: "empty(id: ID!): Boolean", ...(box && { type: box }), run },
          ],
        };
      }),
    );
    expect([...api.queries.keys()]).toEqual(["today", "getBoat", "queryBoat", "aggregateBoat", "getBox", "largest", "queryBox", "aggregateBox"]);
    expect([...api.mutations.keys()].at(-1)).toBe("empty");
    expect(api.queries.get("largest")).toMatchObject({ kind: "plugin", root: { signature: "largest(first: Int): Box" } });
    expect(rootFields(api, "Query").slice(0, 2)).toEqual(['"""the day"""', "today: DateTime!"]);
    expect(validate(api.schema, parse("{ largest(first: 2) { size } today }"))).toEqual([]);
  });

  it("deprecate a generated root field", () => {
    const api = apiOf(
      "type Boat { id: ID!  name: String }",
      adding(() => ({ deprecated: { getBoat: 'ask "the" owner' } })),
    );
    expect(rootFields(api, "Query")[0]).toBe('getBoat(id: ID!): Boat @deprecated(reason: "ask \\"the\\" owner")');
    expect(rootFields(api, "Query")[1]).not.toContain("@deprecated");
  });

  it("make a computed field selectable, but not part of inputs, filters, orders and aggregates", () => {
    const shout = plugin("shout", ({ uses, record }) => {
      const fields = uses("shout").flatMap(({ field }) => field ?? []);
      for (const field of fields) record.computed(field);
      return {
        api: () => ({
          computed: fields.map(({ owner, name }) => ({
            field: computedField(owner, name),
            needs: ["Boat.name"],
            compute: (parents) => parents.map(() => null),
          })),
        }),
      };
    });
    const api = apiOf("type Boat { id: ID!  name: String  loud(times: Int): String! @shout }", shout);
    expect(shown(api, "Boat")).toBe("type Boat { id: ID! name: String loud(times: Int): String! }");
    expect(shown(api, "AddBoatInput")).toBe("input AddBoatInput { name: String }");
    expect(shown(api, "BoatHasFilter")).toBe("enum BoatHasFilter { name }");
    expect(shown(api, "BoatAggregateResult")).toBe("type BoatAggregateResult { count: Int nameMin: String nameMax: String }");
    const boat = api.outputs.get("Boat");
    expect(boat?.kind === "node" ? boat.fields.get("loud")?.kind : undefined).toBe("computed");
  });

  it("hide a field everywhere", () => {
    const hide = plugin("hide", ({ uses, record }) => {
      for (const { field } of uses("hide")) if (field) record.exposure(field, { output: false, has: false, order: false, aggregate: "none" });
      return undefined;
    });
    const api = apiOf("type Boat { id: ID!  name: String  note: String @hide }", hide);
    expect(shown(api, "Boat")).toBe("type Boat { id: ID! name: String }");
    expect(shown(api, "AddBoatInput")).toBe("input AddBoatInput { name: String note: String }");
    expect(shown(api, "BoatOrderable")).toBe("enum BoatOrderable { name }");
    const boat = api.outputs.get("Boat");
    expect(boat?.kind === "node" && boat.fields.has("note")).toBe(false);
  });

  it("define an input once, even if several plugins define it identically", () => {
    const definitions = "input Slug { eq: String  starts: String }";
    const api = apiOf(
      "type Boat { name: String }",
      adding(() => ({ definitions })),
      adding(() => ({ definitions }), "other"),
    );
    expect(shown(api, "Slug")).toBe("input Slug { eq: String starts: String }");
  });

  it("must not conflict with those of another plugin", () => {
    const schema = "type Boat { name: String @search }";
    const first = adding(() => ({ definitions: "input Slug { eq: String }" }));
    expect(
      refusals(
        schema,
        first,
        adding(() => ({ definitions: "input Slug { eq: Int }" }), "other"),
      ),
    ).toEqual(["PLUGIN_CLASH Two plugins, or a plugin and the kernel, define Slug in different ways."]);
    const filter = adding((types) => {
      const field = types.get("Boat")?.fields.get("name");
      return { filters: field?.role === "value" ? [{ field, input: "StringHashFilter", predicate: () => undefined }] : [] };
    });
    expect(refusals(schema, filter)).toEqual([
      'PLUGIN_CLASH Plugin "note" filters the field Boat.name, which plugin "search" does already; remove one of them from plugins.',
    ]);
  });

  it("must refer to existing fields and not reuse the name of a root field", () => {
    const schema = "type Boat { id: ID!  name: String }";
    const root = (signature: string) => adding(() => ({ roots: [{ operation: "query", signature, run }] }));
    expect(refusals(schema, root("largest: Ship"))).toEqual(["while validating GraphQL schema: Undefined type Ship."]);
    expect(refusals(schema, root("aggregateBoat: Int"))).toEqual([
      "while validating GraphQL schema: Field Query.aggregateBoat can only be defined once.",
    ]);
    expect(() => refusals(schema, root("one: Int two: Int"))).toThrow(TypeError);
  });
});

function computedField(owner: NodeType, name: string) {
  const field = owner.fields.get(name);
  if (!field) throw new Error(`${owner.name} has no field ${name}.`);
  return field;
}
