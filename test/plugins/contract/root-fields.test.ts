// Fields of the client's own `Query` and `Mutation`: each belongs to the plugin that claims it.

import { describe, expect, it } from "vitest";
import { originsOf } from "../../../adapters/cli/ground/api-origins.ts";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin, RootField } from "../../../core/plugin.ts";
import { deploy } from "../../mutation/api.ts";
import { refusals } from "../../schema/api/harness.ts";

const definitions = "directive @answer(with: String) on FIELD_DEFINITION";

/** Claims the fields that carry its directive, and those of `more`. */
function answering(more: readonly RootField[] = [], name = "answer"): DirectivePlugin {
  return {
    name,
    definitions: name === "answer" ? definitions : "",
    model(context) {
      const uses = context.uses("answer", "unstored");
      const roots = uses.map(({ definition, field }): RootField => {
        const text = field.name.value;
        return { operation: definition.name.value === "Query" ? "query" : "mutation", signature: `${text}: String`, run: () => ({ json: text }) };
      });
      return { api: () => ({ roots: [...roots, ...more] }) };
    },
  };
}

const boat = "type Boat { id: ID!  name: String }";
const unclaimed = (field: string) =>
  `GraphQL Query and Mutation types are only allowed to have fields with @custom/@lambda directive. Other fields are built automatically for you. Found ${field} without @custom/@lambda.`;

describe("a field of the client's Query or Mutation", () => {
  it("is resolved by the plugin that claims it", async () => {
    const schema = `${boat}  type Query { tide(at: String): String! @answer  plain: Int }  type Mutation { moor: String @answer }`;
    const plain: RootField = { operation: "query", signature: "plain: Int", run: () => ({ json: 7 }) };
    const api = await deploy(schema, [answering([plain])]);
    try {
      expect(await api.run('{ tide(at: "noon") plain }')).toEqual({ tide: "tide", plain: 7 });
      expect(await api.run("mutation { moor }")).toEqual({ moor: "moor" });
    } finally {
      await api.close();
    }
  });

  it("may report errors beside its nodes: they come first, and those of a mutation keep later ones from running", async () => {
    const plugin: DirectivePlugin = {
      name: "answer",
      definitions,
      model: ({ model }) => {
        const type = model.nodeTypes.get("Boat");
        const run: RootField["run"] = ({ selection }) => ({ nodes: [], errors: [{ message: "No harbour answers.", path: [selection.key] }] });
        return (
          type && {
            api: () => ({
              roots: [
                { operation: "query", signature: "fleet: [Boat]", type, run },
                { operation: "mutation", signature: "moor: [Boat]", type, run },
              ],
            }),
          }
        );
      },
    };
    const api = await deploy(`${boat}  type Query { fleet: [Boat] @answer }  type Mutation { moor: [Boat] @answer }`, [plugin]);
    const error = (key: string) => ({ message: "No harbour answers.", path: [key] });
    try {
      expect(await api.send("{ all: fleet { name } }")).toMatchObject({ data: { all: [] }, errors: [error("all")] });
      const answer = await api.send('mutation { first: moor { name }  addBoat(input: [{ name: "Ark" }]) { numUids } }');
      expect(answer).toMatchObject({ data: { first: [] }, errors: [error("first"), { path: ["addBoat"] }] });
      expect(await api.run("{ queryBoat { name } }")).toEqual({ queryBoat: [] });
    } finally {
      await api.close();
    }
  });

  it("may return nodes, of which the selection is read", async () => {
    const plugin: DirectivePlugin = {
      name: "answer",
      definitions,
      model: ({ model }) => {
        const type = model.nodeTypes.get("Boat");
        const find: RootField["run"] = async ({ snapshot }) => ({
          nodes: [...(await snapshot.find({ types: ["Boat"], where: { kind: "all" }, fields: [] })).uids],
        });
        return type && { api: () => ({ roots: [{ operation: "query", signature: "fleet: [Boat]", type, run: find }] }) };
      },
    };
    const api = await deploy(`${boat}  type Query { fleet: [Boat!]! @answer }`, [plugin]);
    try {
      await api.run('mutation { addBoat(input: [{ name: "Ark" }]) { numUids } }');
      expect(await api.run("{ fleet { name } }")).toEqual({ fleet: [{ name: "Ark" }] });
    } finally {
      await api.close();
    }
  });

  it("is refused when no plugin claims it, with or without a plugin's directive", () => {
    const silent: DirectivePlugin = { name: "answer", definitions, model: () => undefined };
    expect(refusals(`${boat}  type Query { tide: String @answer }`, silent)).toEqual([unclaimed("Query tide")]);
    expect(refusals(`${boat}  type Query { tide: String @answer  depth: Int }`, answering())).toEqual([unclaimed("Query depth")]);
    expect(refusals(`${boat}  type Query { depth: Int @deprecated }`, answering())).toEqual([unclaimed("Query depth")]);
  });

  it("is not claimed by a mutation with its name", () => {
    const depth: RootField = { operation: "mutation", signature: "depth: Int", run: () => ({ json: 1 }) };
    expect(refusals(`${boat}  type Query { depth: Int }`, answering([depth]))).toEqual([unclaimed("Query depth")]);
  });

  it("is refused when two plugins claim it, or when the plugin returns nodes of another type", () => {
    const tide: RootField = { operation: "query", signature: "tide: String", run: () => ({ json: "high" }) };
    const schema = `${boat}  type Query { tide: String @answer }`;
    expect(refusals(schema, answering(), answering([tide], "other"))).toEqual([
      'PLUGIN_CLASH Plugin "other" adds the query tide, which plugin "answer" does already; remove one of them from plugins.',
    ]);
    const nodes: DirectivePlugin = {
      name: "answer",
      definitions,
      model: ({ model }) => {
        const type = model.nodeTypes.get("Boat");
        return type && { api: () => ({ roots: [{ operation: "query", signature: "tide: Boat", type, run: () => ({ nodes: [] }) }] }) };
      },
    };
    expect(refusals(schema, nodes)).toEqual(['Plugin "answer" answers Query.tide with nodes of type Boat, but the schema declares it as String.']);
  });

  it("is served as the client declares it, also when the plugin's signature has a description", () => {
    const depth: RootField = { operation: "query", signature: '"fathoms below" depth: Int', run: () => ({ json: 1 }) };
    const origins = originsOf(`${boat}  type Query { depth: Int }`, [...standardPlugins(), answering([depth])]);
    expect(origins.find(({ name }) => name === "type Query")?.parts.find(({ name }) => name === "depth")).toMatchObject({ from: "schema" });
  });
});
