// What a stranger's plugin may do to a mutation: narrow it, change and refuse its values and its changes, and see the commit.

import { afterEach, describe, expect, it } from "vitest";
import { type Change, type ChangeRecord, type DirectivePlugin, type Hooks, type Predicate, QuernError } from "../../core/plugin.ts";
import { type Api, deploy } from "./api.ts";

const schema = `
  type Depot { name: String! @id  open: Boolean @search  tools: [Tool] @hasInverse(field: depot) }
  type Tool { tag: String! @id  price: Int @search  depot: Depot  log: String }
`;

let api: Api | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function withHooks(hooks: Hooks): Promise<Api> {
  const plugin: DirectivePlugin = { name: "stranger", definitions: "", model: () => hooks };
  api = await deploy(schema, [plugin]);
  return api;
}

const isOpen: Predicate = { kind: "compare", field: "Depot.open", op: "eq", operands: [true] };
const depots = `mutation { addDepot(input: [{name: "a", open: true, tools: [{tag: "t1"}]}, {name: "b", open: false}]) { numUids } }`;

describe("rules about nodes", () => {
  it("refuses an add, without a reason, when one new node fails its type's rule, and stores nothing", async () => {
    const { send, run } = await withHooks({ narrow: (type, purpose) => (purpose === "add" && type.name === "Depot" ? isOpen : undefined) });
    expect(await send(depots)).toMatchObject({ data: { addDepot: null } });
    expect((await send(depots)).errors).toBeUndefined();
    expect(await run(`{ queryDepot { name } queryTool { tag } }`)).toEqual({ queryDepot: [], queryTool: [] });
    expect(await run(`mutation { addDepot(input: [{name: "a", open: true}]) { numUids } }`)).toEqual({ addDepot: { numUids: 1 } });
    expect((await send(`mutation { addTool(input: [{tag: "t", depot: {name: "new"}}]) { numUids } }`)).data).toEqual({ addTool: null });
  });

  it("update and delete change only the nodes that their rules permit", async () => {
    const { run } = await withHooks({
      narrow: (type, purpose) => ((purpose === "update" || purpose === "delete") && type.name === "Depot" ? isOpen : undefined),
    });
    await run(depots);
    expect(await run(`mutation { updateDepot(input: {filter: {}, set: {open: false}}) { depot { name } numUids } }`)).toEqual({
      updateDepot: { depot: [{ name: "a" }], numUids: 1 },
    });
    expect(await run(`mutation { deleteDepot(filter: {}) { msg numUids } }`)).toEqual({ deleteDepot: { msg: "No nodes were deleted", numUids: 0 } });
  });

  it("an upsert skips a node that it may not change, without an error", async () => {
    const { run } = await withHooks({ narrow: (type, purpose) => (purpose === "update" && type.name === "Depot" ? isOpen : undefined) });
    await run(depots);
    expect(
      await run(
        `mutation { addDepot(input: [{name: "a", open: false}, {name: "b", open: true, tools: [{tag: "t2"}]}], upsert: true) { depot { name } numUids } }`,
      ),
    ).toEqual({
      addDepot: { depot: [{ name: "a" }], numUids: 0 },
    });
    expect(await run(`{ getTool(tag: "t2") { tag } }`)).toEqual({ getTool: null });
  });

  it("a displaced owner must pass the update rule, or the mutation is rolled back", async () => {
    const { send, run } = await withHooks({
      narrow: (type, purpose) => (purpose === "displaced" && type.name === "Depot" ? { kind: "not", of: isOpen } : undefined),
    });
    await run(depots);
    expect((await send(`mutation { updateDepot(input: {filter: {name: {eq: "b"}}, set: {tools: [{tag: "t1"}]}}) { numUids } }`)).data).toEqual({
      updateDepot: null,
    });
    expect(await run(`{ getTool(tag: "t1") { depot { name } } }`)).toEqual({ getTool: { depot: { name: "a" } } });
    expect(await run(`mutation { updateDepot(input: {filter: {name: {eq: "a"}}, remove: {tools: [{tag: "t1"}]}}) { numUids } }`)).toEqual({
      updateDepot: { numUids: 1 },
    });
  });

  it("a node that may not be referenced counts as missing", async () => {
    const { refused, run } = await withHooks({ narrow: (type, purpose) => (purpose === "reference" && type.name === "Depot" ? isOpen : undefined) });
    await run(depots);
    expect(await refused(`mutation { addTool(input: [{tag: "t3", depot: {name: "b"}}]) { numUids } }`)).toHaveLength(1);
    expect(await run(`mutation { addTool(input: [{tag: "t3", depot: {name: "a"}}]) { numUids } }`)).toEqual({ addTool: { numUids: 1 } });
  });

  it("does not disclose that a key exists when the type has rules for queries", async () => {
    const { send, run } = await withHooks({ narrow: (type, purpose) => (purpose === "query" && type.name === "Depot" ? isOpen : undefined) });
    await run(depots);
    expect(await send(`mutation { addDepot(input: [{name: "b"}]) { numUids } }`)).toMatchObject({ data: { addDepot: null } });
    expect((await send(`mutation { addDepot(input: [{name: "b"}]) { numUids } }`)).errors).toBeUndefined();
    expect(await run(`mutation { addDepot(input: [{name: "c", open: false}]) { depot { name } numUids } }`)).toEqual({
      addDepot: { depot: [], numUids: 1 },
    });
  });
});

describe("values and changes", () => {
  it("values hooks change, add and refuse values, also asynchronously, and run once for a reference", async () => {
    const { run, refused } = await withHooks({
      async values({ type, values }) {
        await Promise.resolve();
        if (type.name !== "Tool") return undefined;
        const price = values.get("price");
        if (price === 13) return { refuse: new QuernError("VALUE_INVALID", "13 is no price") };
        return {
          ...(typeof price === "number" ? { values: new Map([["price", price * 2]]) } : {}),
          whenCreated: new Map([["log", "made"]]),
          whenUpdated: new Map([["log", "changed"]]),
        };
      },
    });
    expect(await run(`mutation { addDepot(input: [{name: "a", tools: [{tag: "t1", price: 4}]}]) { depot { tools { price log } } } }`)).toEqual({
      addDepot: { depot: [{ tools: [{ price: 8, log: "made" }] }] },
    });
    expect(await run(`mutation { updateTool(input: {filter: {}, set: {price: 5}}) { tool { price log } } }`)).toEqual({
      updateTool: { tool: [{ price: 10, log: "changed" }] },
    });
    expect(await refused(`mutation { addTool(input: [{tag: "t2", price: 13}]) { numUids } }`)).toEqual([
      "mutation addTool failed because Dgraph execution failed because 13 is no price",
    ]);
    expect(await run(`mutation { addDepot(input: [{name: "b", tools: [{tag: "t1", price: 13}]}]) { numUids } }`)).toEqual({
      addDepot: { numUids: 1 },
    });
  });

  it("changes hooks replace changes before the write; check hooks see them after it", async () => {
    const { run, refused } = await withHooks({
      changes: ({ changes }) =>
        changes.map(
          (change): Change =>
            change.kind === "remove" && change.type === "Tool"
              ? { kind: "set", uid: change.uid, type: "Tool", fields: { "Tool.log": "deleted" } }
              : change,
        ),
      async check({ changes, transaction, mutation }) {
        const made = changes.flatMap((change) => (change.kind === "create" && change.type === "Tool" ? [change.uid] : []));
        const found = await transaction.load({ uids: made, types: ["Tool"], fields: ["Tool.price"] });
        if (found.columns[0]?.some((price) => Number(price) > 100)) throw new QuernError("OPERATION_FAILED", `${mutation.field} spends too much`);
      },
    });
    await run(`mutation { addTool(input: [{tag: "t1", price: 100}]) { numUids } }`);
    expect(await refused(`mutation { addTool(input: [{tag: "t2", price: 101}]) { numUids } }`)).toEqual([
      "mutation addTool failed because Dgraph execution failed because addTool spends too much",
    ]);
    expect(await run(`mutation { deleteTool(filter: {}) { numUids } }`)).toEqual({ deleteTool: { numUids: 1 } });
    expect(await run(`{ queryTool { tag log } }`)).toEqual({ queryTool: [{ tag: "t1", log: "deleted" }] });
  });

  it("commit hooks run once the commit is durable, and not without a commit", async () => {
    const seen: ChangeRecord[] = [];
    const { run } = await withHooks({ commit: (record) => void seen.push(record) });
    await run(
      `mutation { addTool(input: [{tag: "t1"}]) { numUids } u: updateTool(input: {filter: {tag: {eq: "none"}}, set: {price: 1}}) { numUids } }`,
    );
    expect(seen.map((record) => (record.kind === "detailed" ? record.nodes.map((node) => [node.type, node.what]) : []))).toEqual([
      [["Tool", "created"]],
    ]);
  });

  it("operand hooks apply when a reference is looked up", async () => {
    const { run } = await withHooks({ operand: (field, value) => (field.name === "tag" && typeof value === "string" ? value.toLowerCase() : value) });
    await run(`mutation { addTool(input: [{tag: "t1"}]) { numUids } }`);
    expect(await run(`mutation { addDepot(input: [{name: "a", tools: [{tag: "T1"}]}]) { depot { tools { tag } } numUids } }`)).toEqual({
      addDepot: { depot: [{ tools: [{ tag: "t1" }] }], numUids: 1 },
    });
  });
});
