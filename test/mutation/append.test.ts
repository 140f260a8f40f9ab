// What a plugin commits together with a mutation: nodes of hidden types, made of what the mutation is about.

import { afterEach, describe, expect, it } from "vitest";
import { type DirectivePlugin, formatUid, type Hooks, QuernError, type WrittenContext } from "../../core/plugin.ts";
import { type Api, deploy } from "./api.ts";

const schema = `
  type Depot { name: String! @id  opened: DateTime  big: Int64  tags: [String]  tools: [Tool] @hasInverse(field: depot) }
  type Tool { tag: String! @id  depot: Depot }
`;

let api: Api | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const layout: NonNullable<Hooks["layout"]> = () => ({
  types: [{ name: "log.Entry", fields: ["log.Entry.text"] }],
  fields: [{ name: "log.Entry.text", kind: "string", list: false }],
});

async function withHooks(hooks: Hooks): Promise<Api> {
  const plugin: DirectivePlugin = { name: "log", definitions: "", model: () => ({ layout, ...hooks }) };
  api = await deploy(schema, [plugin]);
  return api;
}

const entry =
  (text: string): NonNullable<Hooks["append"]> =>
  async ({ uids }) => {
    const [uid = 0] = await uids(1);
    return [{ kind: "create", uid, type: "log.Entry", fields: { "log.Entry.text": text } }];
  };

async function entries({ kernel }: Api): Promise<readonly unknown[]> {
  const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
  const { columns } = await snapshot.find({ types: ["log.Entry"], fields: ["log.Entry.text"] });
  snapshot.close();
  return columns[0] ?? [];
}

/** The contexts of the hook. */
async function watched() {
  const seen: WrittenContext[] = [];
  const ready = await withHooks({
    append: (context) => {
      seen.push(context);
      return undefined;
    },
  });
  return { seen, api: ready, last: () => seen.at(-1) };
}

const uidsOf = (context: WrittenContext | undefined) => context?.roots.map(({ uid }) => formatUid(uid));

describe("append", () => {
  it("commits its nodes with the mutation", async () => {
    const ready = await withHooks({ append: entry("added") });
    await ready.run(`mutation { addDepot(input: [{ name: "a" }]) { numUids } }`);
    expect(await entries(ready)).toEqual(["added"]);
  });

  it("commits nothing when the mutation is refused, by another plugin's check too", async () => {
    const refuse = () => {
      throw new QuernError("OPERATION_FAILED", "closed");
    };
    const ready = await withHooks({ append: entry("added"), check: refuse });
    await ready.refused(`mutation { addDepot(input: [{ name: "a" }]) { numUids } }`);
    expect(await entries(ready)).toEqual([]);
  });

  it("refuses the mutation when it throws, and nothing is stored", async () => {
    const refuse = () => {
      throw new QuernError("LIMIT_REACHED", "the log is full");
    };
    const ready = await withHooks({ append: refuse });
    expect(await ready.refused(`mutation { addDepot(input: [{ name: "a" }]) { numUids } }`)).toEqual([expect.stringContaining("the log is full")]);
    expect(await ready.run("{ queryDepot { name } }")).toEqual({ queryDepot: [] });
  });

  it("gets the nodes that an add is about, found ones included, in the order of the input, and not those below them", async () => {
    const { api: ready, last } = await watched();
    await ready.run(`mutation { addDepot(input: [{ name: "b" }]) { numUids } }`);
    const [before] = uidsOf(last()) ?? [];
    await ready.run(`mutation { addDepot(input: [{ name: "c", tools: [{ tag: "t" }] }, { name: "b", tags: ["x"] }], upsert: true) { numUids } }`);
    expect(last()?.roots.map(({ type }) => type)).toEqual(["Depot", "Depot"]);
    expect(uidsOf(last())?.[1]).toBe(before);
    expect(last()?.mutation).toMatchObject({ field: "addDepot", kind: "add" });
  });

  it("gets the nodes that an update or a delete matches, changed or not; none when it matches none", async () => {
    const { api: ready, last, seen } = await watched();
    await ready.run(`mutation { addDepot(input: [{ name: "a" }, { name: "b" }]) { numUids } }`);
    await ready.run(`mutation { updateDepot(input: { filter: {}, set: { tags: ["x"] } }) { numUids } }`);
    const both = uidsOf(last());
    await ready.run(`mutation { updateDepot(input: { filter: {}, set: { tags: ["x"] } }) { numUids } }`);
    expect(uidsOf(last())).toEqual(both);
    await ready.run(`mutation { deleteDepot(filter: {}) { numUids } }`);
    expect(uidsOf(last())).toEqual(both);
    const count = seen.length;
    await ready.run(`mutation { deleteDepot(filter: {}) { numUids } }`);
    expect(seen.slice(count).flatMap(({ roots }) => roots)).toEqual([]);
  });

  it("gets the arguments as the client wrote them", async () => {
    const { api: ready, last } = await watched();
    await ready.run(`mutation { addDepot(input: { name: "a", opened: "2031-04-09", big: 9007199254740993, tags: "x" }) { numUids } }`);
    expect(last()?.mutation.sent).toEqual({ input: [{ name: "a", opened: "2031-04-09", big: 9007199254740993n, tags: ["x"] }] });
    await ready.run(`mutation($in: [AddDepotInput!]!) { addDepot(input: $in) { numUids } }`, {
      in: [{ name: "b", big: "12", tags: "solo", opened: null }],
    });
    expect(last()?.mutation.sent).toEqual({ input: [{ name: "b", big: "12", tags: ["solo"], opened: null }] });
    await ready.run(`mutation($n: String!, $o: DateTime, $t: [String] = "d") { addDepot(input: [{ name: $n, opened: $o, tags: $t }]) { numUids } }`, {
      n: "c",
    });
    expect(last()?.mutation.sent).toEqual({ input: [{ name: "c", tags: ["d"] }] });
  });

  it("is an internal error when it does anything but create nodes of hidden types", async () => {
    const ready = await withHooks({
      append: async ({ uids }) => [{ kind: "create", uid: (await uids(1))[0] ?? 0, type: "Depot", fields: { "Depot.name": "sly" } }],
    });
    const { errors } = await ready.send(`mutation { addDepot(input: [{ name: "a" }]) { numUids } }`);
    expect(errors).toHaveLength(1);
    expect(await ready.run("{ queryDepot { name } }")).toEqual({ queryDepot: [] });
  });
});
