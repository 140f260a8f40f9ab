// What the kernel does of a subscription, whichever engine runs live queries.

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createKernel } from "../../core/index.ts";
import type { DirectivePlugin, LiveClient, LiveEngine, LiveHost, LiveOperation } from "../../core/plugin.ts";
import { prepareDeployment } from "../../core/prepare-deployment.ts";
import { generatePlugin } from "../../plugins/generate/index.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";
import { Client, liveApi } from "../support/live-clients.ts";
import { newPlace } from "../support/storage.ts";

const schema = "type Boat @generate(subscription: true) { name: String! }";
const boats = "subscription { queryBoat { name } }";
const add = (name: string) => `mutation { addBoat(input: [{ name: "${name}" }]) { numUids } }`;
const fleet = (...names: readonly string[]) => ({ queryBoat: names.map((name) => ({ name })) });

/** The engine that the contract shows. */
function simpleEngine({ changes }: LiveHost): LiveEngine {
  const reruns = new Map<LiveClient, () => void>();
  let runs = 0;
  let stop = () => {};
  const all = () => {
    for (const rerun of reruns.values()) rerun();
  };
  const leave = (client: LiveClient) => {
    reruns.delete(client);
    if (reruns.size === 0) stop();
  };
  return {
    join(client, { run, caller }) {
      if (reruns.size === 0) stop = changes(all);
      let ran = Promise.resolve();
      let last: string | undefined;
      const rerun = async () => {
        runs++;
        const { data, errors, body } = await run({ caller, record: (snapshot) => snapshot });
        if (data === undefined) client.fail(errors);
        else if (data !== last) client.deliver({ body: body({}) });
        last = data;
      };
      const next = () => {
        ran = ran.then(rerun);
      };
      reruns.set(client, next);
      next();
      return () => leave(client);
    },
    invalidateAll: all,
    release: () => [...reruns.keys()].forEach(leave),
    report: () => ({ total: reruns.size, queries: [] }),
    get figures() {
      return { queries: reruns.size, due: 0, runs, runsInVain: 0, results: 0 };
    },
  };
}

/** Does nothing by itself: the spec acts for it. */
class IdleEngine implements LiveEngine {
  readonly joined: { readonly client: LiveClient; readonly operation: LiveOperation; hasLeft: boolean }[] = [];
  readonly calls: string[] = [];
  readonly figures = { queries: 0, due: 0, runs: 0, runsInVain: 0, results: 0 };

  join(client: LiveClient, operation: LiveOperation): () => void {
    const member = { client, operation, hasLeft: false };
    this.joined.push(member);
    return () => {
      member.hasLeft = true;
    };
  }

  invalidateAll(): void {
    this.calls.push("invalidateAll");
  }

  release(): void {
    this.calls.push("release");
  }

  report() {
    return { total: 0, queries: [] };
  }

  /** The client that joined as the `n`th, once it has. */
  async client(n: number): Promise<LiveClient> {
    return await vi.waitFor(() => {
      const found = this.joined[n];
      if (found === undefined) throw new Error(`${this.joined.length} clients have joined`);
      return found.client;
    });
  }
}

function withEngine(liveEngine: (host: LiveHost) => LiveEngine, name = "engine"): DirectivePlugin {
  return { name, definitions: "", model: () => undefined, liveEngine };
}

async function serving(engine: (host: LiveHost) => LiveEngine, ...more: readonly DirectivePlugin[]) {
  const api = await liveApi(schema, { plugins: [generatePlugin(), withEngine(engine), ...more] });
  onTestFinished(async () => await api.remove());
  return api;
}

const bodyOf = (data: unknown) => JSON.stringify({ data, extensions: {} });

describe("an engine that runs every query after every commit", () => {
  it("gives each client its first result, and another one after a commit that changes it", async () => {
    const api = await serving(simpleEngine);
    const [one, other] = [api.begin(boats), api.begin(`subscription { queryBoat(filter: { not: { has: name } }) { name } }`)];
    await vi.waitFor(() => expect([one.last, other.last]).toEqual([fleet(), fleet()]));
    await api.query(add("Ada"));
    await vi.waitFor(() => expect(one.data).toEqual([fleet(), fleet("Ada")]));
    expect(other.data).toEqual([fleet()]);
    expect(api.kernel.gauges.read()).toMatchObject({ liveQueries: 2, liveSubscriptions: 2 });
  });

  it("runs operations again under each deployed schema; one that it does not allow ends", async () => {
    const api = await serving(simpleEngine);
    const client = api.begin(boats);
    await vi.waitFor(() => expect(client.last).toEqual(fleet()));
    await api.kernel.deploy("type Boat @generate(subscription: true) { name: String!  berth: Int }");
    await api.query(add("Ada"));
    await vi.waitFor(() => expect(client.last).toEqual(fleet("Ada")));
    await api.kernel.deploy("type Boat { name: String! }");
    await vi.waitFor(() => expect(client.ending).toMatchObject({ kind: "redeployed" }));
  });
});

describe("the kernel", () => {
  it("keeps the newest result for a slow client, and drops it when the client has the newest data", async () => {
    const engine = new IdleEngine();
    const api = await serving(() => engine);
    const slow = api.begin(boats);
    const client = await engine.client(0);
    client.deliver({ body: bodyOf(1) });
    slow.isReady = false;
    for (const data of [2, 3]) client.deliver({ body: bodyOf(data) });
    slow.isReady = true;
    slow.subscription?.drained();
    expect(slow.data).toEqual([1, 3]);
    slow.isReady = false;
    client.deliver({ body: bodyOf(4) });
    client.upToDate();
    slow.isReady = true;
    slow.subscription?.drained();
    expect(slow.data).toEqual([1, 3]);
  });

  it("drops what an engine sends to a client of an earlier schema, and calls nothing of it any more", async () => {
    const engine = new IdleEngine();
    const api = await serving(() => engine);
    const watching = api.begin(boats);
    const early = await engine.client(0);
    early.deliver({ body: bodyOf(1) });
    await api.kernel.deploy("type Boat @generate(subscription: true) { name: String!  berth: Int }");
    const late = await engine.client(1);
    early.deliver({ body: bodyOf("hidden since") });
    early.fail([{ message: "late" }]);
    late.deliver({ body: bodyOf(2) });
    expect([watching.data, watching.ending]).toEqual([[1, 2], undefined]);
    expect(engine.joined.map(({ operation }) => operation.schema.document.includes("berth"))).toEqual([false, true]);
    watching.subscription?.stop();
    expect(engine.joined.map(({ hasLeft }) => hasLeft)).toEqual([false, true]);
    late.deliver({ body: bodyOf(3) });
    expect(watching.data).toEqual([1, 2]);
  });

  it("ends a client at the expiry of its token, whatever the engine does, and tells the engine once", async () => {
    const engine = new IdleEngine();
    let expiresAt = Number.POSITIVE_INFINITY;
    const token: DirectivePlugin = { name: "token", definitions: "", model: () => ({ expiresAt: () => expiresAt }) };
    const api = await serving(() => engine, token);
    const lasting = api.begin(boats);
    const lastingClient = await engine.client(0);
    expiresAt = Date.now() + 60;
    const ending = api.begin(boats);
    const endingClient = await engine.client(1);
    await vi.waitFor(() => expect(ending.ending).toMatchObject({ kind: "expired", limit: "token" }));
    for (const client of [lastingClient, endingClient]) client.deliver({ body: bodyOf(1) });
    expect([lasting.data, ending.data]).toEqual([[1], []]);
    expect(engine.joined.map(({ hasLeft }) => hasLeft)).toEqual([false, true]);
  });

  it("refuses a client by errors before its first result, and fails it by errors after it", async () => {
    const engine = new IdleEngine();
    const api = await serving(() => engine);
    const [early, late] = [api.begin(boats), api.begin(boats)];
    const [one, other] = [await engine.client(0), await engine.client(1)];
    other.deliver({ body: bodyOf(1) });
    const errors = [{ message: "broken" }];
    one.fail(errors);
    other.fail(errors);
    expect([early.ending, late.ending]).toEqual([
      { kind: "refused", errors },
      { kind: "failed", errors },
    ]);
    expect(engine.joined.map(({ hasLeft }) => hasLeft)).toEqual([true, true]);
  });

  it("has the engine run everything again after data were erased, and release its clients when the kernel drains and closes", async () => {
    const engine = new IdleEngine();
    const api = await serving(() => engine);
    const client = api.begin(boats);
    (await engine.client(0)).deliver({ body: bodyOf(1) });
    engine.calls.length = 0;
    await api.kernel.erase({ kind: "data" });
    expect(engine.calls).toEqual(["invalidateAll"]);
    api.kernel.setDraining(true);
    expect(client.ending).toEqual({ kind: "interrupted", by: "draining" });
    expect(engine.calls).toEqual(["invalidateAll", "release"]);
    expect(engine.joined.map(({ hasLeft }) => hasLeft)).toEqual([false]);
    await api.kernel.close();
    expect(engine.calls).toEqual(["invalidateAll", "release", "release"]);
  });

  it("closes although its engine fails, and refuses the client whose query the engine does not take on", async () => {
    const engine = new IdleEngine();
    engine.join = () => {
      throw new Error("full");
    };
    engine.release = () => {
      throw new Error("stuck");
    };
    const api = await serving(() => engine);
    const client = api.begin(boats);
    await vi.waitFor(() => expect(client.ending).toMatchObject({ kind: "refused" }));
    await expect(api.kernel.close()).resolves.toBeUndefined();
  });
});

describe("the engines of a configuration", () => {
  it("are refused when two plugins have one", async () => {
    const place = await newPlace();
    onTestFinished(async () => await place.remove());
    const plugins = [subscriptionPlugin(), withEngine(simpleEngine)];
    expect(() => createKernel({ storage: place.storage(), plugins })).toThrow(
      expect.objectContaining({
        code: "PLUGIN_CLASH",
        message: 'Plugins "subscription" and "engine" both run live queries; remove one of them from plugins.',
      }),
    );
  });

  it("are missed by a schema with live queries, which is refused; the same types without them are not", () => {
    expect(() => prepareDeployment(schema, [generatePlugin()])).toThrow(
      expect.objectContaining({
        code: "PLUGIN_MISSING",
        message: 'The schema has live queries, and no installed plugin runs them, as the plugin "subscription" does.',
        hint: 'Add it to plugins in the configuration: import it from "quern/plugins/subscription".',
      }),
    );
    expect(prepareDeployment("type Boat @generate(subscription: false) { name: String! }", [generatePlugin()]).api.subscriptions.size).toBe(0);
  });

  it("may be none: a subscription is refused as on a schema without live queries, queries and mutations run once", async () => {
    const api = await liveApi("type Boat { name: String! }", { plugins: [] });
    onTestFinished(async () => await api.remove());
    const message = "Not resolving subscription because schema doesn't have any fields defined for subscription operation.";
    expect((await api.watch(boats)).ending).toEqual({ kind: "refused", errors: [{ message }] });
    const bodies: string[] = [];
    const once = Object.assign(new Client(), { next: (body: string) => void bodies.push(body) });
    api.begin(add("Ada"), {}, once);
    await vi.waitFor(() => expect(once.ending).toEqual({ kind: "complete" }));
    expect(bodies).toEqual([expect.stringContaining('"numUids":1')]);
    expect(api.kernel.liveReport(10)).toEqual({ total: 0, queries: [] });
    expect(api.kernel.gauges.read()).toMatchObject({ liveQueries: 0, liveRunsDue: 0, liveRunsTotal: 0, liveRunsInVainTotal: 0, liveResultsTotal: 0 });
  });
});
