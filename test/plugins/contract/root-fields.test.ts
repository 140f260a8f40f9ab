// Fields of the client's own `Query` and `Mutation`: each belongs to the plugin that claims it.

import { describe, expect, it } from "vitest";
import { originsOf } from "../../../adapters/cli/ground/api-origins.ts";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { AnswerValue, DirectivePlugin, RootField } from "../../../core/plugin.ts";
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

  it("gets a context whose functions work alone, and that has no getters of its own", async () => {
    const found: { own?: readonly string[]; answer?: unknown } = {};
    const run: RootField["run"] = async (context) => {
      // V8 keeps getters of an object itself in old memory, and with them all that the request holds.
      found.own = Object.entries(Object.getOwnPropertyDescriptors(context)).flatMap(([name, { get }]) => (get ? [name] : []));
      expect([context, context.arguments].map((each) => Object.isFrozen(each))).toEqual([true, true]);
      const { execute, visible, outsideRules, mayRead, selection, sent, signal } = context;
      const { data } = await execute({ query: "{ queryBoat { name } }" });
      const seen = await Promise.all([visible(), outsideRules()]);
      const boats = await Promise.all(seen.map((each) => each.find({ types: ["Boat"], fields: ["Boat.name"] })));
      found.answer = {
        data,
        boats: boats.map(({ columns }) => columns),
        may: mayRead("Boat.name"),
        key: selection.key,
        sent,
        aborted: signal.aborted,
      };
      return { json: "done" };
    };
    const plain: RootField = { operation: "query", signature: "look(at: String): String", run };
    const api = await deploy(`${boat}  type Query { look(at: String): String }`, [answering([plain])]);
    try {
      await api.run('mutation { addBoat(input: [{ name: "Alma" }]) { numUids } }');
      expect(await api.run('{ first: look(at: "noon") }')).toEqual({ first: "done" });
      const data = { queryBoat: [{ name: "Alma" }] };
      expect(found).toEqual({
        own: [],
        answer: { data, boats: [[["Alma"]], [["Alma"]]], may: true, key: "first", sent: { at: "noon" }, aborted: false },
      });
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

describe("JSON of a plugin's root field", () => {
  /** Answers the field `tide` of any shape, and defines what `definitions` says. */
  function tides(definitions: string, signature: string, json: AnswerValue, operation: RootField["operation"] = "query"): DirectivePlugin {
    return {
      name: "tides",
      definitions: "",
      model: () => ({ api: () => ({ definitions, roots: [{ operation, signature, run: () => ({ json }) }] }) }),
    };
  }
  const high = { height: 2.5, port: { name: "Kent" }, left: "out" };
  const types = "type Tide { height: Float  port: Port }  type Port { name: String }";

  it.each([
    ["that the plugin adds", boat, "tide: Tide", high],
    ["that the schema declares", `${boat}  type Query { tide: Tide }`, "tide: Tide", high],
    ["that the schema declares as a list", `${boat}  type Query { tide: [Tide!]! }`, "tide: Tide", [high]],
  ])("has types of the plugin, without a directive on them, in a field %s", async (_what, schema, signature, json) => {
    const api = await deploy(schema, [tides(types, signature, json)]);
    const shown = { height: 2.5, port: { name: "Kent" } };
    try {
      expect(await api.run("{ tide { height port { name } } }")).toEqual({ tide: Array.isArray(json) ? [shown] : shown });
      // They are not stored: nothing is generated for them.
      expect(await api.run("{ __schema { queryType { fields { name } } } }")).not.toMatchObject({
        __schema: { queryType: { fields: expect.arrayContaining([{ name: "queryTide" }]) } },
      });
    } finally {
      await api.close();
    }
  });

  it("has them in a mutation, in arguments, and as a scalar that takes anything", async () => {
    const declared = `${boat}  type Mutation { tide(at: At!): Any }`;
    const api = await deploy(declared, [tides("input At { hour: Int }  scalar Any", "tide(at: At!): Any", { deep: [1, { a: null }] }, "mutation")]);
    try {
      expect(await api.run("mutation { tide(at: { hour: 3 }) }")).toEqual({ tide: { deep: [1, { a: null }] } });
      expect((await api.send("mutation { tide(at: { our: 3 }) }")).errors).toHaveLength(1);
    } finally {
      await api.close();
    }
  });

  it("is refused when nobody defines its type, or when it stands in the wrong place", () => {
    const stage = "while validating GraphQL schema:";
    const query = (field: string) => `${boat}  type Query { ${field} }`;
    expect(refusals(query("tide: Tide"), tides("", "tide: Tide", null))).toEqual([`${stage} Undefined type Tide.`]);
    expect(refusals(query("tide: Tide"), tides("input Tide { a: Int }", "tide: Tide", null))).toEqual([
      `${stage} Query.tide is of type Tide, which is an input.`,
    ]);
    expect(refusals(query("tide(at: Tide): Int"), tides("type Tide { a: Int }", "tide(at: Tide): Int", null))).toEqual([
      `${stage} The argument at of Query.tide is of type Tide, which is no input.`,
    ]);
    expect(refusals(query("tide: Tide"), tides(types, "other: Tide", null))).toEqual([unclaimed("Query tide")]);
    expect(refusals("type Query { tide: Tide }", tides(types, "other: Tide", null))).toEqual([unclaimed("Query tide")]);
    expect(refusals(`type Boat { name: Strin }  type Query { tide: Tide }`, tides(types, "tide: Tide", null))).toEqual([
      "Undefined type Strin.",
      "Undefined type Tide.",
    ]);
  });
});
