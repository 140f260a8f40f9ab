// What plugins store whatever schema is deployed: before the first one, through deploys, after erasures.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { createKernel } from "../../../core/index.ts";
import type { DirectivePlugin, KernelAccess, LayoutAdditions } from "../../../core/plugin.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { newPlace } from "../../support/storage.ts";

const stores: LayoutAdditions = {
  types: [{ name: "accounts.Session", fields: ["accounts.Session.token"] }],
  fields: [{ name: "accounts.Session.token", kind: "string", list: false }],
  keys: [{ name: "accounts.Session(token)", fields: ["accounts.Session.token"], types: ["accounts.Session"] }],
};

class Accounts {
  access: KernelAccess | undefined;

  plugin(stored: LayoutAdditions = stores): DirectivePlugin {
    return {
      name: "accounts",
      definitions: "",
      stores: stored,
      model: () => undefined,
      server: (kernel) => {
        this.access = kernel;
        return {};
      },
    };
  }

  async add(token: string): Promise<void> {
    await this.access?.transact(async (transaction) => {
      const [uid = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "create", uid, type: "accounts.Session", fields: { "accounts.Session.token": token } }]);
    });
  }

  async tokens(): Promise<unknown> {
    const snapshot = this.access?.snapshot();
    try {
      return (await snapshot?.find({ types: ["accounts.Session"], fields: ["accounts.Session.token"] }))?.columns[0];
    } finally {
      snapshot?.close();
    }
  }
}

async function open(): Promise<{ readonly accounts: Accounts; readonly stack: TemporaryKernel }> {
  const accounts = new Accounts();
  const stack = await temporaryKernel({ plugins: [...standardPlugins(), accounts.plugin()] });
  return { accounts, stack };
}

describe("hidden types that a plugin stores whatever schema is deployed", () => {
  it("are written and read before the first deploy, with their keys, and nothing is served", async () => {
    const { accounts, stack } = await open();
    onTestFinished(() => stack.remove());
    await accounts.add("a");
    await accounts.add("b");
    await expect(accounts.add("a")).rejects.toMatchObject({ code: "KEY_TAKEN" });
    expect(await accounts.tokens()).toEqual(["a", "b"]);
    expect(accounts.access?.served).toBeUndefined();
    expect(stack.kernel.deployment).toBeUndefined();
    expect(JSON.parse((await stack.kernel.execute({ query: "{ queryNote { id } }" })).body).errors[0].message).toContain("No schema is deployed");
    expect(await stack.kernel.pastDeploys()).toEqual([]);
  });

  it("keep their data through the first deploy and later ones, whether schemas use the plugin or not, and through restarts", async () => {
    const { accounts, stack } = await open();
    let running = stack;
    onTestFinished(() => running.remove());
    await accounts.add("before");
    running = await running.restart();
    expect(await accounts.tokens()).toEqual(["before"]);
    await running.kernel.deploy("type Note { id: ID!  text: String }");
    await accounts.add("after");
    await running.kernel.deploy("type Note { id: ID!  text: String @search(by: [hash]) }");
    running = await running.restart();
    expect(await accounts.tokens()).toEqual(["before", "after"]);
    await expect(accounts.add("before")).rejects.toMatchObject({ code: "KEY_TAKEN" });
    expect(JSON.parse((await running.kernel.execute({ query: 'mutation { addNote(input: [{ text: "x" }]) { numUids } }' })).body).data).toEqual({
      addNote: { numUids: 1 },
    });
    expect((await running.kernel.storage.verify()).faults).toEqual([]);
  });

  it("are there again after everything was erased", async () => {
    const { accounts, stack } = await open();
    onTestFinished(() => stack.remove());
    await stack.kernel.deploy("type Note { id: ID!  text: String }");
    await accounts.add("a");
    await stack.kernel.erase({ kind: "all" });
    expect(await accounts.tokens()).toEqual([]);
    await accounts.add("a");
    expect(await accounts.tokens()).toEqual(["a"]);
    await stack.kernel.deploy("type Note { id: ID!  text: String }");
    expect(await accounts.tokens()).toEqual(["a"]);
  });

  it("may change with the plugin, and are kept by a server without it", async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const accounts = new Accounts();
    const opened = async (plugins: readonly DirectivePlugin[], work: () => Promise<void>) => {
      const kernel = createKernel({ storage: place.storage(), plugins: [identityPlugin(), ...plugins], log: { level: "silent" } });
      const [plugin] = plugins;
      // As an HTTP surface calls it.
      const { kernelAccess } = await import("../../../core/plugin.ts");
      plugin?.server?.(kernelAccess(kernel, "accounts"));
      await kernel.open({ replaceLayout: true });
      try {
        await work();
      } finally {
        await kernel.close();
      }
    };
    await opened([accounts.plugin()], () => accounts.add("a"));
    await opened([], async () => undefined);
    const more: LayoutAdditions = {
      ...stores,
      types: [{ name: "accounts.Session", fields: ["accounts.Session.token", "accounts.Session.ip"] }],
      fields: [...(stores.fields ?? []), { name: "accounts.Session.ip", kind: "string", list: false }],
    };
    await opened([accounts.plugin(more)], async () => {
      await accounts.add("b");
      expect(await accounts.tokens()).toEqual(["a", "b"]);
    });
  });

  it("cost nothing where no plugin has them: nothing is laid out before the first deploy", async () => {
    const stack = await temporaryKernel();
    onTestFinished(() => stack.remove());
    expect(await stack.kernel.storage.deployed()).toBeUndefined();
    expect(stack.kernel.stored).toBeUndefined();
    await stack.kernel.deploy("type Note { id: ID!  text: String }");
    expect(stack.kernel.stored).toBe(stack.kernel.deployment);
  });

  it("over a field that is not stored are refused at the start, and name the plugin", async () => {
    const wrong: LayoutAdditions = {
      types: [{ name: "accounts.Session", fields: [] }],
      keys: [{ name: "k", fields: ["accounts.nothing"], types: ["accounts.Session"] }],
    };
    const failed = temporaryKernel({ plugins: [new Accounts().plugin(wrong)] });
    await expect(failed).rejects.toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining('Plugin "accounts"') });
  });
});
