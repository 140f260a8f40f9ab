// DQL that functions and scripts ask: whose rights hold, and what is an error.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DirectivePlugin, Permissions } from "../../../core/plugin.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { type FunctionCall, type LambdaOptions, lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { deploy } from "./api.ts";

const schema = `
  type Hive @lambdaOnMutate(add: true) @auth(query: { rule: """query { queryHive(filter: { label: { eq: "open" } }) { label } }""" }) {
    label: String! @id
    honey: Int
  }
  type Query { ask: String @lambda }
  type Mutation { change: String @lambda }
`;

/** Nobody may read honey. */
const noHoney: Permissions = { mayRead: (name) => name !== "Hive.honey", checkWrites: () => undefined };
const rightsPlugin: DirectivePlugin = { name: "rights", definitions: "", model: () => ({ permissions: () => noHoney }) };

async function withHives(options: LambdaOptions, plugins: readonly DirectivePlugin[]) {
  const api = await deploy(schema, {}, { plugins: [identityPlugin(), authPlugin(), ...plugins, lambdaPlugin(options)] });
  await api.ask(`mutation { addHive(input: [{ label: "open", honey: 2 }, { label: "shut", honey: 7 }]) { numUids } }`);
  return api;
}

type Ask = (call: FunctionCall) => Promise<unknown>;
const asking = (ask: Ask): LambdaOptions => ({
  functions: {
    "Query.ask": async (call) => JSON.stringify(await ask(call)),
    "Mutation.change": async (call) => JSON.stringify(await ask(call)),
    "Hive.add": () => undefined,
  },
});

const labels = "{ hives(func: type(Hive), orderasc: Hive.label) { label: Hive.label honey: Hive.honey } }";
const all = [
  { label: "open", honey: 2 },
  { label: "shut", honey: 7 },
];

const asked = async (ask: Ask, plugins: readonly DirectivePlugin[]) => {
  const { data, errors } = await (await withHives(asking(ask), plugins)).ask("{ ask }");
  expect(errors).toBeUndefined();
  return JSON.parse(String(data?.ask));
};

const changed = async (ask: Ask, plugins: readonly DirectivePlugin[]) => {
  const { data, errors } = await (await withHives(asking(ask), plugins)).ask("mutation { change }");
  expect(errors).toBeUndefined();
  return JSON.parse(String(data?.change));
};

describe("quern.dql of a function", () => {
  it("answers with variables by name, as values or texts", async () => {
    const query =
      "query q($least: int, $label: string) { hives(func: ge(Hive.honey, $least)) @filter(eq(Hive.label, $label)) { label: Hive.label } }";
    const find: Ask = ({ quern }) =>
      quern.dql("query q($label: string) { hives(func: eq(Hive.label, $label)) { label: Hive.label } }", { $label: "shut" });
    expect(await asked(find, [dqlPlugin()])).toEqual({ data: { hives: [{ label: "shut" }] }, errors: [] });
    const wrong: Ask = async ({ quern }) => (await quern.dql(query, { least: [1], label: "shut" })).errors;
    expect(await asked(wrong, [dqlPlugin()])).toEqual([{ message: "couldn't convert argument least to string" }]);
  });

  it("obeys the caller's rules when dqlPlugin says so, and nobody's for an administrator", async () => {
    const both: Ask = async ({ quern }) => [(await quern.dql(labels)).data?.hives, (await quern.dql(labels, {}, { as: "admin" })).data?.hives];
    expect(await asked(both, [dqlPlugin({ rules: true })])).toEqual([[{ label: "open", honey: 2 }], all]);
    expect(await asked(both, [dqlPlugin()])).toEqual([all, all]);
  });

  it("obeys the caller's permissions on fields, also without rules", async () => {
    const both: Ask = async ({ quern }) => [(await quern.dql(labels)).data?.hives, (await quern.dql(labels, {}, { as: "admin" })).data?.hives];
    expect(await asked(both, [rightsPlugin, dqlPlugin()])).toEqual([[{ label: "open" }, { label: "shut" }], all]);
  });

  it("says where the text is wrong, and who answers DQL when nobody does", async () => {
    const wrong: Ask = async ({ quern }) => (await quern.dql("{ hives(func: typ(Hive)) { uid } }")).errors;
    expect(await asked(wrong, [dqlPlugin()])).toMatchObject([{ message: "line 1 column 15: Function name: typ is not valid." }]);
    const [{ message }] = await asked(wrong, []);
    expect(message).toBe("No installed plugin answers the query language dql. Languages of this server: graphql.");
  });

  it("answers handlers of events", async () => {
    const seen: unknown[] = [];
    const handle = async ({ quern }: FunctionCall) => void seen.push((await quern.dql("{ n(func: type(Hive)) { count(uid) } }")).data);
    await withHives({ functions: { "Query.ask": () => null, "Mutation.change": () => null, "Hive.add": handle } }, [dqlPlugin()]);
    await expect.poll(() => seen).toEqual([{ n: [{ count: 2 }] }]);
  });
});

describe("quern.dqlMutate of a function", () => {
  const add = '{ set { _:h <Hive.label> "mine" . _:h <dgraph.type> "Hive" . } }';

  it("writes for the caller, whose rules hold when dqlPlugin says so, and for an administrator", async () => {
    const harvest = (label: string) => `upsert {
      query { h as var(func: eq(Hive.label, "${label}")) }
      mutation @if(gt(len(h), 0)) { set { uid(h) <Hive.honey> "1" . } }
    }`;
    const both: Ask = async ({ quern }) => {
      const { data } = await quern.dql('{ h(func: eq(Hive.label, "shut")) { uid } }', {}, { as: "admin" });
      const [{ uid }] = (data?.h ?? [{}]) as [{ uid?: string }];
      const named = await quern.dqlMutate(`{ set { <${uid}> <Hive.honey> "2" . } }`);
      for (const label of ["open", "shut"]) await quern.dqlMutate(harvest(label));
      return [named.errors[0]?.message, (await quern.dql(labels, {}, { as: "admin" })).data?.hives];
    };
    const seen = { label: "open", honey: 1 };
    const ruled = await changed(both, [dqlPlugin({ rules: true })]);
    expect(ruled).toEqual(["authorization failed", [seen, { label: "shut", honey: 7 }]]);
    expect(await changed(both, [dqlPlugin()])).toEqual([null, [seen, { label: "shut", honey: 1 }]]);
  });

  it("is refused to a function of a field of Query, which only reads", async () => {
    const write: Ask = async ({ quern }) => (await quern.dqlMutate(add)).errors;
    expect(await asked(write, [dqlPlugin()])).toEqual([{ message: expect.stringContaining("only read") }]);
    expect(await changed(write, [dqlPlugin()])).toEqual([]);
  });

  it("raises no event of @lambdaOnMutate, as GraphQL does", async () => {
    const seen: unknown[] = [];
    const handle = ({ event }: FunctionCall) => void seen.push(event?.operation);
    const change = async ({ quern }: FunctionCall) => (await quern.dqlMutate(add)).data?.code;
    const functions = { "Query.ask": () => null, "Mutation.change": change, "Hive.add": handle };
    const api = await withHives({ functions }, [dqlPlugin()]);
    expect((await api.ask("mutation { change }")).data).toEqual({ change: "Success" });
    await api.ask(`mutation { addHive(input: [{ label: "last" }]) { numUids } }`);
    await expect.poll(() => seen).toEqual(["add", "add"]);
  });
});

describe("dql of a script", () => {
  it("asks and writes as an administrator, with variables by $name", async () => {
    const folder = await mkdtemp(join(tmpdir(), "script-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const script = join(folder, "lambda.js");
    await writeFile(
      script,
      `self.addGraphQLResolvers({ "Query.ask": () => null, "Mutation.change": async ({ dql }) => JSON.stringify([
         await dql.query("query q($label: string) { hives(func: eq(Hive.label, $label)) { honey: Hive.honey } }", { "$label": "shut" }),
         await dql.mutate('{ set { _:h <Hive.label> "new" . _:h <dgraph.type> "Hive" . } }'),
         await dql.mutate({ set: { "Hive.label": "newer", "dgraph.type": "Hive", uid: "_:h" } }),
         await dql.mutate("{ delete { * * * . } }"),
         await dql.query("{ hives(func: type(Hive)) { count(uid) } }"),
       ]) });
       self.addWebHookResolvers({ "Hive.add": () => {} });`,
    );
    const { data } = await (await withHives({ script }, [dqlPlugin({ rules: true })])).ask("mutation { change }");
    expect(JSON.parse(String(data?.change))).toEqual([
      { data: { hives: [{ honey: 7 }] } },
      { data: { code: "Success", message: "Done", queries: null, uids: { h: expect.stringMatching(/^0x/) } } },
      { data: { code: "Success", message: "Done", queries: null, uids: { h: expect.stringMatching(/^0x/) } } },
      { errors: [{ message: "Only valid wildcard delete patterns are 'S * *' and 'S P *'" }] },
      { data: { hives: [{ count: 4 }] } },
    ]);
  });
});
