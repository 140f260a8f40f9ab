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
  functions: { "Query.ask": async (call) => JSON.stringify(await ask(call)), "Hive.add": () => undefined },
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
    await withHives({ functions: { "Query.ask": () => null, "Hive.add": handle } }, [dqlPlugin()]);
    await expect.poll(() => seen).toEqual([{ n: [{ count: 2 }] }]);
  });
});

describe("dql of a script", () => {
  it("asks as an administrator, with variables by $name; it cannot write", async () => {
    const folder = await mkdtemp(join(tmpdir(), "script-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const script = join(folder, "lambda.js");
    await writeFile(
      script,
      `self.addGraphQLResolvers({ "Query.ask": async ({ dql }) => JSON.stringify([
         await dql.query("query q($label: string) { hives(func: eq(Hive.label, $label)) { honey: Hive.honey } }", { "$label": "shut" }),
         await dql.mutate("{ delete { * * * . } }"),
       ]) });
       self.addWebHookResolvers({ "Hive.add": () => {} });`,
    );
    const { data } = await (await withHives({ script }, [dqlPlugin({ rules: true })])).ask("{ ask }");
    expect(JSON.parse(String(data?.ask))).toEqual([
      { data: { hives: [{ honey: 7 }] } },
      { errors: [{ message: "DQL is read-only here: write with GraphQL mutations." }] },
    ]);
  });
});
