// Commits that come at bad moments: while a query runs on older data, and before their neighbours are told.

import { expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { createKernel, type Kernel } from "../../../../core/index.ts";
import type { ChangeRecord, Gap, Snapshot } from "../../../../core/plugin.ts";
import type { Storage } from "../../../../core/storage.ts";
import { Client, settledOn } from "../../../support/live-clients.ts";
import { newStorage } from "../../../support/storage.ts";

/** A storage whose reads and records wait until they are let through. */
class Held {
  readonly storage: Storage;
  /** Reads of views opened while it is set wait for it. */
  gate: Promise<void> | undefined;
  readonly untold: (() => void)[] = [];
  holdsRecords = false;

  constructor(inner: Storage) {
    this.storage = new Proxy(inner, {
      get: (target, name) => {
        if (name === "changes")
          return (listener: (event: ChangeRecord | Gap) => void) => target.changes((event) => this.#tell(() => listener(event)));
        if (name === "snapshot") return (options: Parameters<Storage["snapshot"]>[0]) => this.#held(target.snapshot(options));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  #tell(tell: () => void): void {
    if (this.holdsRecords) this.untold.push(tell);
    else tell();
  }

  #held(snapshot: Snapshot): Snapshot {
    const { gate } = this;
    if (!gate) return snapshot;
    const after = <T>(read: () => T): Promise<Awaited<T>> => gate.then(read) as Promise<Awaited<T>>;
    return {
      at: snapshot.at,
      find: (request) => after(() => snapshot.find(request)),
      follow: (request) => after(() => snapshot.follow(request)),
      load: (request) => after(() => snapshot.load(request)),
      aggregate: (request) => after(() => snapshot.aggregate(request)),
      meta: (name) => snapshot.meta(name),
      close: () => snapshot.close(),
    };
  }
}

async function open(): Promise<{ readonly held: Held; readonly kernel: Kernel; readonly change: (mutation: string) => Promise<void> }> {
  const held = new Held(await newStorage());
  const kernel = createKernel({ storage: held.storage, plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  onTestFinished(() => kernel.close());
  await kernel.deploy("type Boat @withSubscription { name: String! @id  deck: Int @search  mast: Int @search  note: String }");
  const change = async (fields: string) => {
    const { body } = await kernel.execute({ query: `mutation { addBoat(input: [{name: "Ada", ${fields}}], upsert: true) { numUids } }` });
    expect(body).not.toContain("errors");
  };
  return { held, kernel, change };
}

it("runs again for a commit during the first run", async () => {
  const { held, kernel, change } = await open();
  await change("deck: 1");
  let release = (): void => undefined;
  held.gate = new Promise((resolve) => {
    release = resolve;
  });
  const client = new Client();
  kernel.subscribe({ query: "subscription { queryBoat { deck } }" }, client);
  // The view is taken in the next turns; what comes then is not in it.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  held.gate = undefined;
  await change("deck: 2");
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  release();
  await settledOn(kernel);
  expect(client.data).toEqual([{ queryBoat: [{ deck: 1 }] }, { queryBoat: [{ deck: 2 }] }]);
});

it("detects a removal by two commits when the snapshot reflects both before the second record arrives", async () => {
  const { held, kernel, change } = await open();
  await change("deck: 1, mast: 1");
  const client = new Client();
  kernel.subscribe({ query: "subscription { aggregateBoat(filter: {deck: {eq: 1}, mast: {eq: 1}}) { count } }" }, client);
  await settledOn(kernel);
  expect(client.last).toEqual({ aggregateBoat: { count: 1 } });
  held.holdsRecords = true;
  await change("deck: 2");
  await change("mast: 2");
  expect(held.untold).toHaveLength(2);
  for (const tell of held.untold) {
    tell();
    await settledOn(kernel);
  }
  expect(client.last).toEqual({ aggregateBoat: { count: 0 } });
});
