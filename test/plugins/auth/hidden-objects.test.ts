// Updates and deletes reach what their caller may read: a filter tells nothing of hidden objects.

import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";
import { line, token } from "./token.ts";

const schema = `
  type Vault @auth(query: { rule: "query { queryVault(filter: {open: true}) { name } }" }) {
    name: String! @id  n: Int @search  open: Boolean @search  note: String
  }
  type Chest @auth(query: { rule: "{$ROLE: {eq: \\"GUARD\\"}}" }, update: { rule: "{$ROLE: {eq: \\"CLERK\\"}}" }, delete: { rule: "{$ROLE: {eq: \\"CLERK\\"}}" }) {
    name: String! @id  n: Int @search
  }
  type Crate @auth(update: { rule: "{$ROLE: {eq: \\"CLERK\\"}}" }) { name: String! @id  n: Int @search }
  ${line}
`;
const clerk = token({ ROLE: "CLERK" });

async function start(options = {}) {
  const warnings: string[] = [];
  const api = await deploy("type Before { name: String }", { fieldRules: true, updateAfter: true, ...options });
  await api.stack.kernel.deploy(schema, { onWarning: (warning) => void warnings.push(warning) });
  const added = await api.ask(`mutation {
    addVault(input: [{ name: "shown", n: 10, open: true }, { name: "hidden", n: 70, open: false }]) { numUids }
    addChest(input: [{ name: "c", n: 70 }]) { numUids }
    addCrate(input: [{ name: "c", n: 70 }]) { numUids }
  }`);
  expect(added.errors).toBeUndefined();
  return { ...api, warnings };
}

const update = (type: string, filter: string) => `mutation { update${type}(input: { filter: ${filter}, set: { n: 1 } }) { numUids } }`;

describe("a type with a rule for reading", () => {
  it.each(["{ n: { gt: 50 } }", "{ n: { gt: 80 } }", '{ name: { eq: "hidden" } }', '{ not: { name: { eq: "shown" } } }'])(
    "updates and deletes none of its hidden objects by the filter %s",
    async (filter) => {
      const { ask } = await start();
      expect(await ask(update("Vault", filter))).toEqual({ data: { updateVault: { numUids: 0 } } });
      expect(await ask(`mutation { deleteVault(filter: ${filter}) { numUids msg } }`)).toEqual({
        data: { deleteVault: { numUids: 0, msg: "No nodes were deleted" } },
      });
    },
  );

  it("has the visible ones among all updated, and counts no other in touched_uids", async () => {
    const { stack } = await start();
    const { body } = await stack.kernel.execute({ query: update("Vault", "{}") });
    const { data, extensions } = JSON.parse(body);
    expect([data, extensions.touched_uids]).toEqual([{ updateVault: { numUids: 1 } }, 1]);
  });

  it("leaves a hidden object alone that an upsert names, without an error", async () => {
    const { ask, stack } = await start();
    const upsert = 'mutation { addVault(input: [{ name: "hidden", n: 5 }], upsert: true) { numUids vault { name } } }';
    expect(await ask(upsert)).toEqual({ data: { addVault: { numUids: 0, vault: [] } } });
    await stack.kernel.deploy(schema.replace("{open: true}", "{open: false}"));
    expect((await ask('{ getVault(name: "hidden") { n } }')).data).toEqual({ getVault: { n: 70 } });
  });

  it("counts also beside a rule for the write", async () => {
    const { ask } = await start();
    expect((await ask(update("Chest", "{}"), clerk)).data).toEqual({ updateChest: { numUids: 0 } });
    expect((await ask("mutation { deleteChest(filter: {}) { numUids } }", clerk)).data).toEqual({ deleteChest: { numUids: 0 } });
  });

  it("reaches hidden objects with writesHidden, by the rule of the write alone", async () => {
    const { ask, warnings } = await start({ writesHidden: true });
    expect((await ask(update("Vault", "{ n: { gt: 50 } }"))).data).toEqual({ updateVault: { numUids: 1 } });
    expect((await ask("mutation { deleteChest(filter: {}) { numUids } }", clerk)).data).toEqual({ deleteChest: { numUids: 1 } });
    expect((await ask("mutation { deleteChest(filter: {}) { numUids } }")).data).toEqual({ deleteChest: { numUids: 0 } });
    expect(warnings.join()).toContain("all objects, also those that they may not read");
  });

  it("is warned of at a deploy where update or delete has no rule, and no other type is", async () => {
    const { warnings } = await start();
    expect(warnings).toEqual([
      'Type Vault: @auth has a rule for "query" and none for "update" and none for "delete": everybody may update and delete the objects that they may read. Write such a rule, for example {rule: "{$ROLE: {eq: \\"ADMIN\\"}}"}.',
    ]);
  });
});

describe("a type without a rule for reading", () => {
  it("is updated by the rule of the write alone", async () => {
    const { ask } = await start();
    expect((await ask(update("Crate", "{ n: { gt: 50 } }"), clerk)).data).toEqual({ updateCrate: { numUids: 1 } });
    expect((await ask(update("Crate", "{}"))).data).toEqual({ updateCrate: { numUids: 0 } });
  });
});
