// What a plugin's root fields, computed fields and write hooks may do besides answering.

import { afterEach, describe, expect, it } from "vitest";
import { checkKernelConfig } from "../../../core/config/check-config.ts";
import { type DirectivePlugin, type Hooks, type ModelContext, not, type RootContext } from "../../../core/plugin.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";

const schema = `
  type Task { name: String! @id  done: Boolean @search  owner: Owner }
  type Owner { name: String! @id  tasks: [Task] @hasInverse(field: owner)  load: Int }
  type Query { open: [Task]  loop: Int  wish: String }
  type Mutation { finish(name: String!): Task  finishBoth(a: String!, b: String!): String }
`;

let running: TemporaryKernel | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

type Run = (context: RootContext) => Promise<unknown>;

function tasks(runs: Readonly<Record<string, Run>>, more: (context: ModelContext) => Hooks = () => ({})): DirectivePlugin {
  const root = (operation: "query" | "mutation", signature: string, type: ReturnType<ModelContext["model"]["nodeTypes"]["get"]>) => ({
    operation,
    signature,
    ...(type && { type }),
    run: async (context: RootContext) =>
      (await (runs[/\w+/.exec(signature)?.[0] ?? ""] ?? (async () => ({ json: null })))(context)) as { json: null },
  });
  return {
    name: "tasks",
    definitions: "",
    contract: 1,
    model(context) {
      const task = context.model.nodeTypes.get("Task");
      const roots = [
        root("query", "open: [Task]", task),
        root("query", "loop: Int", undefined),
        root("query", "wish: String", undefined),
        root("mutation", "finish(name: String!): Task", task),
        root("mutation", "finishBoth(a: String!, b: String!): String", undefined),
      ];
      const { api, ...hooks } = more(context);
      return { ...hooks, api: () => ({ ...api?.(), roots }) };
    },
  };
}

async function start(plugin: DirectivePlugin) {
  running = await compatibleKernel({ plugins: [identityPlugin(), searchPlugin(), plugin] });
  await running.kernel.deploy(schema);
  const ask = async (query: string, headers = {}) => {
    const { data, errors } = JSON.parse((await (running?.kernel.execute({ query, headers }) ?? { body: "{}" })).body);
    return errors ? { data, errors: errors.map((each: { message: string }) => each.message) } : { data };
  };
  await ask('mutation { addTask(input: [{ name: "a", done: false, owner: { name: "o" } }, { name: "b", done: false }]) { numUids } }');
  return ask;
}

const finish = "mutation F($n: String!) { updateTask(input: { filter: { name: { eq: $n } }, set: { done: true } }) { numUids task { name } } }";

const finishing: Run = async ({ arguments: { name }, execute, snapshot }) => {
  const { errors } = await execute({ query: finish, variables: { n: name } });
  if (errors.length > 0) return { json: null };
  const { uids } = await snapshot.find({
    types: ["Task"],
    where: { kind: "compare", field: "Task.name", op: "eq", operands: [String(name)] },
    fields: [],
  });
  return { nodes: uids };
};

describe("a root field of Mutation", () => {
  it("executes a generated mutation with its hooks and its change record, and returns its result", async () => {
    const seen: string[] = [];
    const ask = await start(
      tasks({ finish: finishing }, () => ({
        values: ({ role }) => void seen.push(`values ${role}`),
        check: ({ mutation }) => void seen.push(`check ${mutation.field} ${JSON.stringify(mutation.arguments)}`),
        commit: () => void seen.push("commit"),
      })),
    );
    seen.length = 0;
    expect(await ask('mutation { finish(name: "a") { name done owner { name } } }')).toEqual({
      data: { finish: { name: "a", done: true, owner: { name: "o" } } },
    });
    expect(seen).toEqual(["values set", 'check updateTask {"input":{"filter":{"name":{"eq":"a"}},"set":{"done":true}}}', "commit"]);
  });

  it("is restricted by the rules of its caller", async () => {
    const ask = await start(
      tasks({ finish: finishing }, () => ({
        narrow: (type, purpose, { headers }) =>
          purpose === "update" && headers.user !== "ada" ? not({ kind: "has", field: `${type.stored}.name` }) : undefined,
      })),
    );
    expect(await ask('mutation { finish(name: "a") { done } }')).toEqual({ data: { finish: { done: false } } });
    expect(await ask('mutation { finish(name: "a") { done } }', { user: "ada" })).toEqual({ data: { finish: { done: true } } });
  });

  it("reads its own earlier writes in later requests", async () => {
    const both: Run = async ({ arguments: { a, b }, execute }) => {
      for (const n of [a, b]) await execute({ query: finish, variables: { n } });
      const { data } = await execute({ query: "{ aggregateTask(filter: { done: true }) { count } }" });
      return { json: JSON.stringify(data) };
    };
    const ask = await start(tasks({ finishBoth: both }));
    expect(await ask('mutation { finishBoth(a: "a", b: "b") }')).toEqual({ data: { finishBoth: '{"aggregateTask":{"count":2}}' } });
  });

  it("gets the errors of a refused mutation as a client does, and nothing is written", async () => {
    const both: Run = async ({ execute }) => {
      const { data, errors } = await execute({ query: 'mutation { addTask(input: [{ name: "a" }]) { numUids } }' });
      const invalid = await execute({ query: "{ nothing }" });
      return { json: [JSON.stringify(data), errors[0]?.message, invalid.data, invalid.errors[0]?.message].join(" | ") };
    };
    const ask = await start(tasks({ finishBoth: both }));
    const { data } = await ask('mutation { finishBoth(a: "a", b: "b") }');
    expect(data.finishBoth).toMatch(/^\{"addTask":null\} \| .*already exists.* \| {2}\| Cannot query field "nothing"/u);
  });
});

describe("a root field of Query", () => {
  it("reads what its caller may see, and cannot write", async () => {
    const wish: Run = async ({ execute }) => {
      const seen = await execute({ query: "{ queryTask(order: { asc: name }, first: 1) { name } }" });
      const written = await execute({ query: finish, variables: { n: "a" } });
      return { json: `${JSON.stringify(seen.data)} ${written.errors[0]?.message}` };
    };
    const ask = await start(
      tasks({ wish }, () => ({
        narrow: ({ name }, purpose) =>
          name === "Task" && purpose === "query" ? { kind: "compare", field: "Task.name", op: "eq", operands: ["b"] } : undefined,
      })),
    );
    expect(await ask("{ wish }")).toEqual({ data: { wish: '{"queryTask":[{"name":"b"}]} A field that only reads cannot run a mutation.' } });
  });

  it("ends although it queries itself", async () => {
    const loop: Run = async ({ execute }) => ({ json: Number((await execute({ query: "{ loop }" })).data?.loop ?? 0) });
    const ask = await start(tasks({ loop }));
    const { data, errors = [] } = await ask("{ loop }");
    expect([data, errors]).toEqual([{ loop: 0 }, []]);
  });
});

describe("a computed field", () => {
  it("reads the snapshot of its answer", async () => {
    const ask = await start(
      tasks({}, ({ model, record }) => {
        const field = model.nodeTypes.get("Owner")?.fields.get("load");
        if (!field) return {};
        record.computed(field);
        return {
          api: () => ({
            computed: [
              {
                field,
                needs: [],
                compute: async (parents, _args, _request, { snapshot }) => {
                  const { starts } = await snapshot.follow({ from: parents.map(({ uid }) => uid), end: "Owner.tasks", types: ["Task"], fields: [] });
                  return parents.map((_, i) => (starts[i + 1] ?? 0) - (starts[i] ?? 0));
                },
              },
            ],
          }),
        };
      }),
    );
    expect(await ask("{ queryOwner { load } }")).toEqual({ data: { queryOwner: [{ load: 1 }] } });
  });
});

describe("a write hook", () => {
  it("stores metadata in the transaction, and holds nodes", async () => {
    const ask = await start(
      tasks({}, () => ({
        async check({ transaction, changes }) {
          await transaction.hold(changes.flatMap((each) => (each.kind === "create" ? [{ uid: each.uid, type: each.type }] : [])));
          await transaction.setMeta("tasks.commits", Number((await transaction.meta("tasks.commits")) ?? 0) + 1);
        },
      })),
    );
    await ask('mutation { addTask(input: [{ name: "c" }]) { numUids } }');
    await ask('mutation { addTask(input: [{ name: "c" }]) { numUids } }');
    const kernel = running?.kernel;
    const snapshot = kernel?.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
    expect(await snapshot?.meta("tasks.commits")).toBe(2);
    snapshot?.close();
  });
});

describe("the version of the contract", () => {
  it("fails the start when a plugin was written for another one", () => {
    const storage = { open() {}, close() {}, snapshot() {}, transact() {}, migrate() {} };
    const old = { name: "old", definitions: "", contract: 0, model: () => undefined };
    expect(checkKernelConfig({ storage, plugins: [old] }).map(({ message }) => message)).toEqual([
      'Plugin "old" was written for version 0 of the plugin contract, and this Quern has version 1; install matching versions.',
    ]);
    expect(checkKernelConfig({ storage, plugins: [{ ...old, contract: 1, afterr: [] }] }).map(({ message }) => message)).toEqual([
      'Plugin "old" has a member "afterr"; did you mean "after"?',
    ]);
  });
});
