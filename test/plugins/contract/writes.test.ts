// Writes of a plugin for a client: `KernelAccess.write`, with the hooks and limits of a mutation, and whom `KernelAccess.caller` names.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type DirectivePlugin, type KernelAccess, kernelAccess, type WriteTransaction } from "../../../core/plugin.ts";
import { type TemporaryConfig, temporaryKernel } from "../../support/kernel.ts";

/** Who sends the header x-user is known by it. */
const usersPlugin: DirectivePlugin = {
  name: "users",
  definitions: "",
  model: () => ({
    request: ({ headers }) => ({ user: headers["x-user"] ?? null }),
    caller: ({ facts }) => (typeof facts.user === "string" ? facts.user : undefined),
  }),
};

async function open(schema: string, config: TemporaryConfig = {}) {
  const stack = await temporaryKernel({ plugins: [...standardPlugins(), usersPlugin], ...config });
  onTestFinished(() => stack.remove());
  await stack.kernel.deploy(schema);
  const access: KernelAccess = kernelAccess(stack.kernel, "letters");
  const write = <T>(work: (tx: WriteTransaction) => Promise<T>) => access.write({ headers: {}, language: "letters" }, work);
  const titles = async () =>
    JSON.parse((await stack.kernel.execute({ query: "{ queryNote(order: { asc: title }) { title open } }", as: "system" })).body).data.queryNote;
  return { access, write, titles };
}

const schema = `type Note @auth(add: { rule: "{$ROLE: {eq: \\"A\\"}}" }, query: { rule: "{$ROLE: {eq: \\"A\\"}}" }) {
  title: String! @id @length(max: 5)  open: Boolean @default(add: { value: "true" })
}`;

const add = async (tx: WriteTransaction, title: string) => {
  const [uid = 0] = await tx.uids(1);
  await tx.write([{ kind: "create", uid, type: "Note", fields: { "Note.title": title } }]);
  return { uid, type: "Note" };
};

describe("KernelAccess.write", () => {
  it("writes what passes the hooks of all plugins, reads its own writes, and fills in no defaults", async () => {
    const { write, titles } = await open(schema);
    const { result } = await write(async (tx) => {
      await add(tx, "a");
      return (await tx.find({ types: ["Note"], fields: [] })).uids.length;
    });
    expect(result).toBe(1);
    await expect(write((tx) => add(tx, "too long"))).rejects.toThrow(/too long|5/);
    await expect(write((tx) => add(tx, "a"))).rejects.toMatchObject({ code: "KEY_TAKEN" });
    expect(await titles()).toEqual([{ title: "a", open: null }]);
  });

  it("leaves it to the plugin to ask the rules, which judge what is written so far", async () => {
    const { write } = await open(schema);
    const { result } = await write(async (tx) => {
      const note = await add(tx, "a");
      const permits = await tx.permits("add", [note]);
      const visible = await (await tx.visible()).find({ types: ["Note"], fields: [] });
      return {
        permitted: permits(note.uid),
        visible: visible.uids.length,
        everything: (await tx.snapshot.find({ types: ["Note"], fields: [] })).uids.length,
      };
    });
    expect(result).toEqual({ permitted: false, visible: 0, everything: 1 });
  });

  it("undoes everything when its work throws, or exceeds the limits of a mutation", async () => {
    const { write, titles } = await open(schema, { limits: { maxChanges: 1 } });
    const failing = write(async (tx) => {
      await add(tx, "a");
      throw new TypeError("no");
    });
    await expect(failing).rejects.toThrow("no");
    const many = write(async (tx) => [await add(tx, "a"), await add(tx, "b")]);
    await expect(many).rejects.toMatchObject({ code: "LIMIT_REACHED" });
    expect(await titles()).toEqual([]);
  });
});

describe("KernelAccess.identify", () => {
  it("has the name by which a plugin knows the client, or none", async () => {
    const { access } = await open(schema);
    expect((await access.identify({ "x-user": "ann" })).name).toBe("ann");
    expect((await access.identify({})).name).toBeUndefined();
  });
});
