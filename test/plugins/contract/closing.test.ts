// The kernel opens and closes whatever its plugins do: the store is never left open.

import { describe, expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel, type LogEntry } from "../../../core/index.ts";
import type { DirectivePlugin, Hooks } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import { newPlace } from "../../support/storage.ts";

const plugin = (name: string, hooks: Hooks): DirectivePlugin => ({ name, definitions: "", model: () => hooks });
const throwing = (message: string) => () => {
  throw new Error(message);
};
const schema = "type Boat { id: ID!  name: String }";

async function place() {
  const found = await newPlace();
  const open: Kernel[] = [];
  const entries: LogEntry[] = [];
  onTestFinished(async () => {
    for (const kernel of open) await kernel.close().catch(() => undefined);
    await found.remove();
  });
  const kernel = (plugins: readonly DirectivePlugin[] = [], around = (storage: Storage) => storage) => {
    const made = createKernel({
      storage: around(found.storage()),
      plugins,
      log: { level: "error", to: { write: (entry) => void entries.push(entry) } },
    });
    open.push(made);
    return made;
  };
  return { kernel, entries };
}

const counted = async (kernel: Kernel) => JSON.parse((await kernel.execute({ query: "{ aggregateBoat { count } }" })).body).data;

describe("closing", () => {
  it("closes the store and every plugin although one throws, and then reports that one", async () => {
    const { kernel, entries } = await place();
    const closed: string[] = [];
    const first = kernel([
      plugin("one", { close: throwing("one is stuck") }),
      plugin("two", { close: async () => void closed.push("two") }),
      plugin("three", { close: async () => Promise.reject(new Error("three is stuck")) }),
    ]);
    await first.open();
    await first.deploy(schema);
    await expect(first.close()).rejects.toMatchObject({
      code: "INTERNAL",
      message: 'The store is closed, but not every plugin closed. Plugin "one", hook close: one is stuck; Plugin "three", hook close: three is stuck',
    });
    expect(closed).toEqual(["two"]);
    expect(entries.map(({ message, facts }) => [message, facts.plugin])).toEqual([
      ['Plugin "one", hook close: one is stuck', "one"],
      ['Plugin "three", hook close: three is stuck', "three"],
    ]);
    const second = kernel();
    await second.open();
    expect(await counted(second)).toEqual({ aggregateBoat: { count: 0 } });
  });

  it("a replaced schema does not fail the deploy", async () => {
    const { kernel, entries } = await place();
    const running = kernel([plugin("one", { close: throwing("stuck") })]);
    await running.open();
    await running.deploy(schema);
    await running.deploy(`${schema} type Box { size: Int }`);
    expect(running.deployment?.document).toContain("Box");
    await running.erase({ kind: "all" });
    expect(entries.map(({ facts }) => facts.plugin)).toEqual(["one", "one"]);
  });

  it("twice, or before opening, has no effect", async () => {
    const { kernel } = await place();
    let times = 0;
    const running = kernel([plugin("one", { close: () => void times++ })]);
    await running.close();
    await running.open();
    await running.deploy(schema);
    await Promise.all([running.close(), running.close()]);
    await running.close();
    expect(times).toBe(1);
    await running.open();
    expect(await counted(running)).toEqual({ aggregateBoat: { count: 0 } });
  });

  it("waits for a running opening, and opening waits for a running closing", async () => {
    const { kernel } = await place();
    const running = kernel();
    const opening = running.open();
    await running.close();
    await opening;
    const other = kernel();
    await other.open();
    const closing = other.close();
    await other.open();
    await closing;
    expect(other.deployment).toBeUndefined();
    await other.deploy(schema);
    expect(await counted(other)).toEqual({ aggregateBoat: { count: 0 } });
  });
});

describe("opening", () => {
  it("twice opens once", async () => {
    const { kernel } = await place();
    const running = kernel();
    await Promise.all([running.open(), running.open()]);
    await running.open();
    await running.deploy(schema);
    expect(await counted(running)).toEqual({ aggregateBoat: { count: 0 } });
  });

  it("that fails after the store was opened closes the store and the plugins", async () => {
    const { kernel } = await place();
    const before = kernel([{ name: "mark", definitions: "directive @mark on OBJECT", model: () => undefined }]);
    await before.open();
    await before.deploy("type Boat @mark { id: ID!  name: String }");
    await before.close();
    await expect(kernel().open()).rejects.toMatchObject({ code: "PLUGIN_MISSING" });
    const closed: string[] = [];
    const broken = kernel([
      { name: "mark", definitions: "directive @mark on OBJECT", model: () => ({ close: () => void closed.push("mark") }) },
      plugin("two", { open: throwing("no network") }),
    ]);
    await expect(broken.open()).rejects.toThrow("no network");
    expect(closed).toEqual(["mark"]);
    const whole = kernel([{ name: "mark", definitions: "directive @mark on OBJECT", model: () => undefined }]);
    await whole.open();
    expect(await counted(whole)).toEqual({ aggregateBoat: { count: 0 } });
  });
});
