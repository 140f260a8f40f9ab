// Transactions of root fields: what a plugin asks for in one is committed together, or not at all.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type DirectivePlugin, QuernError, type RootContext, type RootTransaction } from "../../../core/plugin.ts";
import { eventually } from "../../support/eventually.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../support/kernel.ts";
import { storageName } from "../../support/storage.ts";
import { line, token } from "../auth/token.ts";

const shop = `
  type Item { sku: String! @id  stock: Int! @increment @range(min: 0) @search  orders: [Order] @hasInverse(field: item) }
  type Order { id: ID!  note: String @length(max: 9)  item: Item! }
  type Mutation { run(arg: String): String @run }
  type Query { look: String @run }`;

type Run = (context: RootContext) => Promise<string>;

/** Its root fields do what a test says. */
const runPlugin = (run: Run): DirectivePlugin => ({
  name: "run",
  definitions: "directive @run on FIELD_DEFINITION",
  model: () => ({
    api: () => ({
      roots: [
        { operation: "mutation", signature: "run(arg: String): String", run: async (context) => ({ json: await run(context) }) },
        { operation: "query", signature: "look: String", run: async (context) => ({ json: await run(context) }) },
      ],
    }),
  }),
});

interface Shop {
  readonly stack: TemporaryKernel;
  /** What the root field does from now on. */
  does(run: Run): void;
  ask(
    query: string,
    token?: string,
  ): Promise<{
    readonly data?: unknown;
    readonly errors?: readonly { readonly message: string; readonly path?: unknown; readonly extensions?: unknown }[];
  }>;
}

async function open(stock: number, schema = shop, config: TemporaryConfig = {}): Promise<Shop> {
  let doing: Run = async () => "nothing";
  const stack = await compatibleKernel({
    plugins: [...standardPlugins(), runPlugin((context) => doing(context)), ...(config.plugins ?? [])],
    ...without(config),
  });
  onTestFinished(() => stack.remove());
  await stack.kernel.deploy(schema);
  const ask: Shop["ask"] = async (query, sent) => {
    const { data, errors } = JSON.parse((await stack.kernel.execute({ query, headers: sent === undefined ? {} : { "x-harbour": sent } })).body);
    return { ...(data !== undefined && { data }), ...(errors !== undefined && { errors }) };
  };
  await ask(`mutation { addItem(input: [{ sku: "lamp", stock: ${stock} }]) { numUids } }`);
  return { stack, does: (run) => (doing = run), ask };
}

const without = ({ plugins: _, ...config }: TemporaryConfig) => config;

const stockOf = 'query { getItem(sku: "lamp") { stock orders { note } } }';
const takeOne = 'mutation { updateItem(input: { filter: { sku: { eq: "lamp" } }, increment: { stock: -1 } }) { numUids item { stock } } }';
const addOrder = (note = "one") => `mutation { addOrder(input: [{ note: "${note}", item: { sku: "lamp" } }]) { order { item { stock } } } }`;
const run = "mutation { run }";
const left = (stock: number, notes: readonly string[]) => ({ data: { getItem: { stock, orders: notes.map((note) => ({ note })) } } });

describe("a transaction of a root field", () => {
  it("reads what it has written, in queries, payloads and reads of its own, and commits all of it at once", async () => {
    const { does, ask, stack } = await open(3);
    const seen: unknown[] = [];
    does(async ({ transaction }) => {
      const result = await transaction(async (tx) => {
        seen.push((await tx.execute({ query: takeOne })).data);
        seen.push((await tx.execute({ query: stockOf })).data);
        seen.push((await tx.execute({ query: addOrder() })).data);
        seen.push((await tx.execute({ query: "{ a: aggregateOrder { count } b: queryItem { orders { note } } }" })).data);
        seen.push((await tx.find({ types: ["Order"], fields: ["Order.note"] })).columns);
        const outside = await stack.kernel.execute({ query: stockOf });
        seen.push(JSON.parse(outside.body).data);
        return "done";
      });
      return result;
    });
    expect(await ask(run)).toEqual({ data: { run: "done" } });
    expect(seen).toEqual([
      { updateItem: { numUids: 1, item: [{ stock: 2 }] } },
      { getItem: { stock: 2, orders: [] } },
      { addOrder: { order: [{ item: { stock: 2 } }] } },
      { a: { count: 1 }, b: [{ orders: [{ note: "one" }] }] },
      [["one"]],
      { getItem: { stock: 3, orders: [] } },
    ]);
    expect(await ask(stockOf)).toEqual(left(2, ["one"]));
  });

  it("of three checkouts of the last item makes one order", async () => {
    const { does, ask } = await open(1);
    does(({ transaction }) =>
      transaction(async (tx) => {
        const { data } = await tx.execute({ query: stockOf });
        if (stockIn(data) < 1) throw new QuernError("REQUEST_REFUSED", "sold out");
        await tx.execute({ query: takeOne });
        await tx.execute({ query: addOrder() });
        return "ordered";
      }),
    );
    const answers = await Promise.all([ask(run), ask(run), ask(run)]);
    const soldOut = { data: { run: null }, errors: [expect.objectContaining({ message: "sold out", path: ["run"] })] };
    expect(answers.filter(({ errors }) => errors === undefined)).toEqual([{ data: { run: "ordered" } }]);
    expect(answers.filter(({ errors }) => errors !== undefined)).toEqual([soldOut, soldOut]);
    expect(await ask(stockOf)).toEqual(left(0, ["one"]));
  });

  it("of three checkouts makes one order by @affects too, and tells the client the code", async () => {
    const { does, ask } = await open(1);
    const take =
      'mutation { updateItem(input: { filter: { sku: { eq: "lamp" }, stock: { ge: 1 } }, increment: { stock: -1 } }) @affects(atLeast: 1) { numUids } }';
    const codes: unknown[] = [];
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: take }).catch((thrown) => {
          codes.push(thrown.code);
          throw thrown;
        });
        await tx.execute({ query: addOrder() });
        return "ordered";
      }),
    );
    const answers = await Promise.all([ask(run), ask(run), ask(run)]);
    const refused = answers.filter(({ errors }) => errors !== undefined);
    expect(refused).toHaveLength(2);
    for (const { errors } of refused) expect(errors).toEqual([expect.objectContaining({ path: ["run"], extensions: { code: "COUNT_MISMATCH" } })]);
    // On MongoDB the losers of a race run again.
    expect(codes.filter((code) => code !== "CONFLICT")).toEqual(["COUNT_MISMATCH", "COUNT_MISMATCH"]);
    expect(await ask(stockOf)).toEqual(left(0, ["one"]));
  });

  it("commits nothing after a refused mutation, even if the plugin catches its error", async () => {
    const { does, ask } = await open(1);
    const caught: unknown[] = [];
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: takeOne });
        await tx.execute({ query: addOrder("much too long") }).catch((thrown) => caught.push(thrown.code));
        await tx.execute({ query: stockOf }).catch((thrown) => caught.push(thrown.code));
        return "done";
      }),
    );
    const { data, errors } = await ask(run);
    expect(data).toEqual({ run: null });
    expect(errors).toEqual([{ message: expect.stringContaining("Order.note breaks @length(max: 9)"), path: ["run"] }]);
    expect(caught).toEqual(["VALUE_INVALID", "VALUE_INVALID"]);
    expect(await ask(stockOf)).toEqual(left(1, []));
  });

  it("commits nothing when the callback throws, and shows its QuernError", async () => {
    const { does, ask } = await open(1);
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: takeOne });
        throw new QuernError("REQUEST_REFUSED", "no lamps on Sundays");
      }),
    );
    expect((await ask(run)).errors).toEqual([expect.objectContaining({ message: "no lamps on Sundays" })]);
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: takeOne });
        throw new Error("secret 123");
      }),
    );
    const { errors } = await ask(run);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.message).not.toContain("secret");
    expect(await ask(stockOf)).toEqual(left(1, []));
  });

  it("runs again after a lost race, with what the winner has written", async () => {
    const { does, ask, stack } = await open(5);
    let runs = 0;
    does(({ transaction }) =>
      transaction(async (tx) => {
        const before = stockIn((await tx.execute({ query: stockOf })).data);
        // On LevelDB another writer would wait for this one.
        if (runs++ === 0 && storageName === "mongodb") await stack.kernel.execute({ query: takeOne });
        await tx.execute({ query: `mutation { updateItem(input: { filter: { sku: { eq: "lamp" } }, set: { stock: ${before - 1} } }) { numUids } }` });
        return `${runs}`;
      }),
    );
    const [expectedRuns, expectedStock] = storageName === "mongodb" ? ["2", 3] : ["1", 4];
    expect(await ask(run)).toEqual({ data: { run: expectedRuns } });
    expect(await ask(stockOf)).toEqual(left(expectedStock, []));
  });

  it("obeys the rules of the caller, in reads and writes, or those of nobody as the system", async () => {
    const rule = '"query($USER: String!) { queryNote(filter: { owner: { eq: $USER } }) { id } }"';
    const notes = `${line}
      type Note @auth(query: { rule: ${rule} }, add: { rule: ${rule} }) { id: ID!  owner: String! @search(by: [hash]) }
      type Mutation { run(arg: String): String @run }
      type Query { look: String @run }`;
    const { does, ask, stack } = await open(0, notes);
    await stack.kernel.execute({ query: 'mutation { addNote(input: [{ owner: "bob" }]) { numUids } }', as: "system" });
    const add = (owner: string) => `mutation { addNote(input: [{ owner: "${owner}" }]) { note { owner } } }`;
    const seen: unknown[] = [];
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: add("ada") });
        seen.push((await tx.execute({ query: "{ queryNote { owner } }" })).data);
        seen.push((await tx.execute({ query: "{ queryNote(order: { asc: owner }) { owner } }", as: "system" })).data);
        await tx.execute({ query: add("cid"), as: "system" });
        return "done";
      }),
    );
    expect(await ask(run, token({ USER: "ada" }))).toEqual({ data: { run: "done" } });
    expect(seen).toEqual([{ queryNote: [{ owner: "ada" }] }, { queryNote: [{ owner: "ada" }, { owner: "bob" }] }]);
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: add("eve") });
        return "done";
      }),
    );
    const refused = await ask(run, token({ USER: "ada" }));
    expect(refused.data).toEqual({ run: null });
    const all = JSON.parse((await stack.kernel.execute({ query: "{ aggregateNote { count } }", as: "system" })).body);
    expect(all.data).toEqual({ aggregateNote: { count: 3 } });
  });

  it("has one commit and one change record, which live queries see at once", async () => {
    const { does, ask, stack } = await open(5);
    const records: string[] = [];
    onTestFinished(stack.kernel.storage.changes(({ kind }) => void records.push(kind)));
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: takeOne });
        await tx.execute({ query: addOrder() });
        await tx.setMeta("shop.orders", 1);
        return "done";
      }),
    );
    await ask(run);
    await eventually(() => expect(records).toEqual(["detailed"]));
  });

  it("calls the hooks of mutations for each, and the commit hook once", async () => {
    const calls: string[] = [];
    const noting = (call: string) => {
      calls.push(call);
      return undefined;
    };
    const watching: DirectivePlugin = {
      name: "watching",
      definitions: "",
      model: () => ({
        values: ({ type }) => noting(`values ${type.name}`),
        changes: ({ mutation }) => noting(`changes ${mutation.field}`),
        check: ({ mutation }) => noting(`check ${mutation.field}`),
        append: ({ mutation }) => noting(`append ${mutation.field}`),
        commit: () => noting("commit"),
      }),
    };
    const { does, ask } = await open(5, shop, { plugins: [watching] });
    calls.length = 0;
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: takeOne });
        await tx.execute({ query: addOrder() });
        return "done";
      }),
    );
    await ask(run);
    expect(calls).toEqual([
      "changes updateItem",
      "check updateItem",
      "append updateItem",
      "values Order",
      "values Item",
      "changes addOrder",
      "check addOrder",
      "append addOrder",
      "commit",
    ]);
  });

  it("is bounded in changes, those of all its mutations together", async () => {
    const { does, ask } = await open(5, shop, { limits: { maxChanges: 2 } });
    does(({ transaction }) =>
      transaction(async (tx) => {
        for (const note of ["a", "b", "c"]) await tx.execute({ query: addOrder(note) });
        return "done";
      }),
    );
    expect((await ask(run)).errors?.[0]?.message).toContain("limits.maxChanges");
    expect(await ask(stockOf)).toEqual(left(5, []));
  });

  it("is bounded in time: a callback that never ends keeps no other write waiting, and can do nothing later", async () => {
    const { does, ask } = await open(5, shop, { limits: { maxTransactionMs: 100 } });
    let late: RootTransaction | undefined;
    does(({ transaction }) =>
      transaction((tx) => {
        late = tx;
        return new Promise<string>(() => {});
      }),
    );
    const stuck = ask(run);
    const waiting = ask(takeOne);
    expect((await stuck).errors?.[0]?.message).toContain("more than 100 ms (limits.maxTransactionMs)");
    expect((await waiting).errors).toBeUndefined();
    await expect(async () => await late?.find({ types: ["Order"], fields: [] })).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(late?.execute({ query: takeOne })).rejects.toBeInstanceOf(QuernError);
    expect(await ask(stockOf)).toEqual(left(4, []));
  });

  it("waits for what the callback did not await, and counts its errors", async () => {
    const { does, ask } = await open(5);
    does(({ transaction }) =>
      transaction(async (tx) => {
        void tx.execute({ query: takeOne });
        return "done";
      }),
    );
    expect(await ask(run)).toEqual({ data: { run: "done" } });
    does(({ transaction }) =>
      transaction(async (tx) => {
        void tx.execute({ query: takeOne });
        void tx.execute({ query: addOrder("much too long") });
        return "done";
      }),
    );
    expect((await ask(run)).data).toEqual({ run: null });
    expect(await ask(stockOf)).toEqual(left(4, []));
  });

  it.each<[string, Run, string]>([
    [
      "execute of the root field",
      ({ transaction, execute }) => transaction(async () => (await execute({ query: takeOne })).errors[0]?.message ?? ""),
      run,
    ],
    ["a transaction within", ({ transaction }) => transaction(() => transaction(() => "").catch(({ message }) => message)), run],
  ])("refuses a write that would wait for it: %s", async (_, does, document) => {
    const shop = await open(5);
    shop.does(does);
    expect((await shop.ask(document)).data).toEqual({ run: expect.stringContaining("A transaction of this root field is open") });
  });

  it("is for fields of Mutation, and runs generated mutations alone", async () => {
    const { does, ask } = await open(5);
    does(({ transaction }) => transaction(() => "done"));
    expect((await ask("{ look }")).errors?.[0]?.message).toBe("A field that only reads cannot run a mutation.");
    does(({ arguments: { arg }, transaction }) =>
      arg === "inner"
        ? Promise.resolve("inner")
        : transaction(async (tx) => String((await tx.execute({ query: 'mutation { run(arg: "inner") }' })).data.run)),
    );
    expect((await ask(run)).errors?.[0]?.message).toContain("run cannot be part of a transaction");
    does(({ transaction }) => transaction(async (tx) => String((await tx.execute({ query: "{ nothing }" })).data)));
    expect((await ask(run)).errors?.[0]?.message).toContain('Cannot query field "nothing"');
  });

  it("logs one that spends long outside the store, and not a quick one", async () => {
    const entries: string[] = [];
    const { does, ask } = await open(5, shop, { log: { level: "warn", to: { write: ({ message }) => void entries.push(message) } } });
    does(({ transaction }) =>
      transaction(async (tx) => {
        await tx.execute({ query: takeOne });
        return "done";
      }),
    );
    await ask(run);
    does(({ transaction }) =>
      transaction(async (tx) => {
        for (const until = performance.now() + 150; performance.now() < until; );
        await tx.execute({ query: takeOne });
        return "done";
      }),
    );
    const before = entries.length;
    await ask(run);
    const slow = entries.slice(before).filter((entry) => entry.includes("ms outside the store"));
    expect(slow).toHaveLength(1);
  });
});

function stockIn(data: Readonly<Record<string, unknown>>): number {
  const { getItem } = data as { readonly getItem: { readonly stock: number } };
  return getItem.stock;
}
