// Work of a plugin beside requests: when it starts and ends, what it may read and write, and which server does it.

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createKernel, type Kernel, type LogEntry } from "../../core/index.ts";
import type { BackgroundContext, BackgroundTask, DirectivePlugin, Hooks } from "../../core/plugin.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { eventually } from "../support/eventually.ts";
import { newPlace, type Place, storageName } from "../support/storage.ts";

const schema = "type Note { text: String! @id }";
const layout: NonNullable<Hooks["layout"]> = () => ({
  types: [{ name: "box.Entry", fields: ["box.Entry.text"] }],
  fields: [{ name: "box.Entry.text", kind: "string", list: false }],
});

const opened: { readonly kernel: Kernel; readonly place: Place }[] = [];
afterEach(async () => {
  for (const { kernel } of opened) await kernel.close();
  for (const place of new Set(opened.splice(0).map(({ place }) => place))) await place.remove();
});

const boxPlugin = (task: BackgroundTask, hooks: Hooks = {}): DirectivePlugin => ({
  name: "box",
  definitions: "",
  model: () => ({ layout, background: [task], ...hooks }),
});

async function start(plugin: DirectivePlugin, place?: Place, entries: LogEntry[] = []): Promise<{ readonly kernel: Kernel; readonly place: Place }> {
  const room = place ?? (await newPlace());
  const kernel = createKernel({
    storage: room.storage(),
    plugins: [identityPlugin(), plugin],
    log: { to: { write: (entry) => void entries.push(entry) } },
  });
  await kernel.open();
  const server = { kernel, place: room };
  opened.push(server);
  return server;
}

/** A task that waits for its end, and says what happens. */
function waiting(runs: BackgroundTask["runs"] = "everywhere", leaseMs = 300) {
  const contexts: BackgroundContext[] = [];
  let running = 0;
  const task: BackgroundTask = {
    name: "waiting",
    runs,
    leaseMs,
    async run(context) {
      contexts.push(context);
      running++;
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      running--;
    },
  };
  return { task, contexts, running: () => running };
}

describe("a background task", () => {
  it("starts when its schema is served, and ends before the next one starts", async () => {
    const { task, contexts, running } = waiting();
    const { kernel } = await start(boxPlugin(task));
    expect(contexts).toHaveLength(0);
    await kernel.deploy(schema);
    await eventually(() => expect(running()).toBe(1));
    await kernel.deploy(`${schema} type Other { text: String }`);
    await eventually(() => expect(contexts).toHaveLength(2));
    expect(running()).toBe(1);
    expect(contexts[0]?.signal.aborted).toBe(true);
    await kernel.close();
    expect(running()).toBe(0);
  });

  it("starts with a server whose schema was deployed before, and not with one that only looks at the store", async () => {
    const first = await start(boxPlugin(waiting().task));
    await first.kernel.deploy(schema);
    await first.kernel.close();
    const looking = waiting();
    const looker = createKernel({ storage: first.place.storage(), plugins: [identityPlugin(), boxPlugin(looking.task)], log: { level: "silent" } });
    await looker.open({ background: false });
    await looker.close();
    expect(looking.contexts).toHaveLength(0);
    const serving = waiting();
    await start(boxPlugin(serving.task), first.place);
    await eventually(() => expect(serving.running()).toBe(1));
  });

  it("does not start for a schema that is only validated or compared", async () => {
    const { task, contexts } = waiting();
    const { kernel } = await start(boxPlugin(task));
    expect(await kernel.validate(schema)).toEqual([]);
    await kernel.compare(schema);
    await pause(20);
    expect(contexts).toHaveLength(0);
  });

  it("is called again after an error, which is logged with the names of plugin and task", async () => {
    const entries: LogEntry[] = [];
    let calls = 0;
    const run = () => {
      if (++calls === 1) throw new TypeError("out of luck");
    };
    const { kernel } = await start(boxPlugin({ name: "moody", runs: "everywhere", run }), undefined, entries);
    await kernel.deploy(schema);
    await vi.waitFor(() => expect(calls).toBe(2), { timeout: 60_000 });
    expect(entries.filter(({ event }) => event === "fault").map(({ message, facts }) => [message, facts.plugin, facts.task])).toEqual([
      ['Plugin "box", hook background task moody: out of luck', "box", "moody"],
    ]);
  });

  it("reads, writes nodes of hidden types, hears of commits and executes requests", async () => {
    const { task, contexts } = waiting();
    const { kernel } = await start(boxPlugin(task));
    await kernel.deploy(schema);
    await eventually(() => expect(contexts).toHaveLength(1));
    const [context] = contexts;
    if (!context) throw new TypeError("no task runs");
    const types: string[] = [];
    context.changes((event) => void (event.kind === "detailed" && types.push(...event.nodes.map(({ type }) => type))));
    await context.transact(async (transaction) => {
      const [uid = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "create", uid, type: "box.Entry", fields: { "box.Entry.text": "a" } }]);
    });
    expect(await context.execute({ query: 'mutation { addNote(input: [{ text: "n" }]) { numUids } }' })).toEqual({
      data: { addNote: { numUids: 1 } },
      errors: [],
    });
    expect((await context.execute({ query: "{ queryNothing { text } }" })).errors).toHaveLength(1);
    const snapshot = context.snapshot();
    const { columns } = await snapshot.find({ types: ["box.Entry"], fields: ["box.Entry.text"] });
    snapshot.close();
    expect(columns).toEqual([["a"]]);
    await eventually(() => expect(types).toEqual(["box.Entry", "Note"]));
    context.gauge("boxEntries", () => 7);
    expect(kernel.gauges.read().boxEntries).toBe(7);
    await kernel.deploy(`${schema} type Other { text: String }`);
    await eventually(() => expect(kernel.gauges.read().boxEntries).toBeUndefined());
  });

  it("cannot write nodes of the schema, which would evade the hooks of other plugins", async () => {
    const { task, contexts } = waiting();
    const { kernel } = await start(boxPlugin(task));
    await kernel.deploy(schema);
    await eventually(() => expect(contexts).toHaveLength(1));
    const write = contexts[0]?.transact(async (transaction) => {
      const [uid = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "create", uid, type: "Note", fields: { "Note.text": "sly" } }]);
    });
    await expect(write).rejects.toThrow('Plugin "box", hook background task waiting: it writes a node of Note, which is no hidden type.');
  });

  it("executes a request as a caller with headers, or as the system without anybody's restrictions", async () => {
    const { task, contexts } = waiting();
    const hooks: Hooks = {
      request: ({ headers }) => ({ user: headers["x-user"] ?? "" }),
      narrow: (_type, _purpose, { facts }) => (facts.user === "ada" ? undefined : "deny"),
    };
    const { kernel } = await start(boxPlugin(task, hooks));
    await kernel.deploy(schema);
    await eventually(() => expect(contexts).toHaveLength(1));
    const [context] = contexts;
    const query = "{ queryNote { text } }";
    await context?.execute({ query: 'mutation { addNote(input: [{ text: "n" }]) { numUids } }', as: "system" });
    expect((await context?.execute({ query }))?.data).toEqual({ queryNote: [] });
    expect((await context?.execute({ query, headers: { "x-user": "ada" } }))?.data).toEqual({ queryNote: [{ text: "n" }] });
    expect((await context?.execute({ query, as: "system" }))?.data).toEqual({ queryNote: [{ text: "n" }] });
  });
});

describe("a nested request of a root field", () => {
  it("as the system is not restricted; as the caller it is", async () => {
    const plugin: DirectivePlugin = {
      name: "asks",
      definitions: "",
      model: () => ({
        narrow: () => "deny",
        narrows: ["query"],
        api: () => ({
          roots: [
            {
              operation: "query",
              signature: "count(all: Boolean!): Int!",
              run: async ({ arguments: { all }, execute }) => {
                const { data } = await execute({ query: "{ queryNote { text } }", as: all ? "system" : "caller" });
                return { json: Array.isArray(data?.queryNote) ? data.queryNote.length : -1 };
              },
            },
          ],
        }),
      }),
    };
    const { kernel } = await start(plugin);
    await kernel.deploy(schema);
    await kernel.execute({ query: 'mutation { addNote(input: [{ text: "n" }]) { numUids } }' });
    const { body } = await kernel.execute({ query: "{ mine: count(all: false) all: count(all: true) }" });
    expect(JSON.parse(body).data).toEqual({ mine: 0, all: 1 });
  });
});

/** A machine that is busy renews it in time. */
const busyLeaseMs = 3_000;

/** How often the lease was renewed. */
async function beatOf(kernel: Kernel): Promise<number> {
  const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
  try {
    const lease = await snapshot.meta("lease:box/waiting");
    return Number(typeof lease === "object" && lease !== null ? Reflect.get(lease, "beat") : undefined);
  } finally {
    snapshot.close();
  }
}

describe.runIf(storageName === "mongodb")("a task that runs once, with two servers on one database", () => {
  it("runs on one of them, and on the other when that one closes", async () => {
    const one = waiting("once", busyLeaseMs);
    const first = await start(boxPlugin(one.task));
    await first.kernel.deploy(schema);
    await eventually(() => expect(one.running()).toBe(1));
    const other = waiting("once", busyLeaseMs);
    await start(boxPlugin(other.task), first.place);
    // Three renewals take the time of a lease.
    const seen = await beatOf(first.kernel);
    await vi.waitFor(async () => expect(await beatOf(first.kernel)).toBeGreaterThan(seen + 4), { timeout: 60_000 });
    expect([one.running(), other.running()]).toEqual([1, 0]);
    await first.kernel.close();
    await vi.waitFor(() => expect([one.running(), other.running()]).toEqual([0, 1]), { timeout: 60_000 });
  });

  it("takes over from a server that shows no sign of life, whose writes are then refused", async () => {
    const one = waiting("once");
    const first = await start(boxPlugin(one.task));
    await first.kernel.deploy(schema);
    await eventually(() => expect(one.running()).toBe(1));
    // As a server that was stopped and goes on: the entry says that another one has the lease.
    const { version } = first.kernel.deployment ?? { version: 0 };
    await first.kernel.storage.transact((transaction) => transaction.setMeta("lease:box/waiting", { owner: "somebody else", beat: 0 }), { version });
    await expect(one.contexts[0]?.transact(() => undefined)).rejects.toMatchObject({ code: "CANCELLED" });
    await vi.waitFor(() => expect(one.contexts[0]?.signal.aborted).toBe(true), { timeout: 60_000 });
    // Nobody renews that lease: it is taken over.
    await vi.waitFor(() => expect(one.contexts.length).toBe(2), { timeout: 60_000 });
  });
});
