// Many operations at once on one WebSocket: they begin a few at a time, and wait while their client takes nothing.

import { setImmediate as iteration } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { LimitOptions } from "../../../../core/index.ts";
import type { DirectivePlugin } from "../../../../core/plugin.ts";
import type { Listening } from "../../../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";

let stack: TemporaryKernel | undefined;
let listening: Listening | undefined;
const sockets: WebSocket[] = [];
afterEach(async () => {
  for (const each of sockets.splice(0)) each.terminate();
  await listening?.close(0);
  await stack?.remove();
});

/** Holds requests until it is opened, and counts those that are inside. */
class Gate {
  inside = 0;
  most = 0;
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  open(): void {
    this.#open();
  }

  readonly plugin: DirectivePlugin = {
    name: "gate",
    definitions: "",
    model: () => ({
      request: async ({ headers }) => {
        if (headers.gated === undefined) return {};
        this.most = Math.max(this.most, ++this.inside);
        await this.#opened;
        this.inside--;
        return {};
      },
    }),
  };
}

const transports = { ws: wsTransport(), yoga: yogaTransport() };

describe.each(Object.keys(transports) as (keyof typeof transports)[])("on a WebSocket of %s", (name) => {
  async function served(limits: LimitOptions, gate = new Gate()) {
    stack = await temporaryKernel({ limits, plugins: [...standardPlugins(), gate.plugin] });
    await stack.kernel.deploy("type Mill @withSubscription { name: String! @id }");
    const input = Array.from({ length: 3_000 }, (_, i) => ({ name: `the mill with the number ${i}` }));
    await stack.kernel.execute({ query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", variables: { input } });
    listening = await transports[name].listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    return { kernel: stack.kernel, url: `${listening.url.replace("http", "ws")}/graphql` };
  }

  async function opened(url: string, parameters: object = {}): Promise<WebSocket> {
    const socket = new WebSocket(url, "graphql-transport-ws", { perMessageDeflate: false });
    sockets.push(socket);
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(JSON.stringify({ type: "connection_init", payload: parameters }));
    await new Promise((resolve) => socket.once("message", resolve));
    return socket;
  }

  const subscribe = (socket: WebSocket, id: string, query: string) => socket.send(JSON.stringify({ type: "subscribe", id, payload: { query } }));
  const whole = "{ queryMill { name a: name b: name } }";

  it("at most `limits.maxStartingPerSocket` operations begin, and the others follow; another socket does not wait for them", async () => {
    const gate = new Gate();
    const { url } = await served({ maxStartingPerSocket: 3 }, gate);
    const busy = await opened(url, { gated: "1" });
    const ended: string[] = [];
    busy.on("message", (data) => {
      const { type, id } = JSON.parse(String(data));
      if (type === "complete") ended.push(id);
    });
    for (let i = 0; i < 20; i++) subscribe(busy, String(i), `{ queryMill(first: 1, offset: ${i}) { name } }`);
    while (gate.inside < 3) await iteration();
    const other = await opened(url);
    subscribe(other, "1", "{ queryMill(first: 1) { name } }");
    const answer = await new Promise((resolve) => other.once("message", (data) => resolve(JSON.parse(String(data)).type)));
    expect([answer, gate.inside, ended]).toEqual(["next", 3, []]);
    gate.open();
    while (ended.length < 20) await iteration();
    expect(gate.most).toBe(3);
    expect(ended.sort()).toEqual(Array.from({ length: 20 }, (_, i) => String(i)).sort());
  });

  it("none begins while its client takes nothing, so that what waits stays bounded; a stopped one never begins", async () => {
    const { kernel, url } = await served({});
    const socket = await opened(url);
    const got: string[] = [];
    socket.on("message", (data) => {
      const { type, id } = JSON.parse(String(data));
      if (type === "complete") got.push(id);
    });
    socket.pause();
    const bytes = Buffer.byteLength((await kernel.execute({ query: whole })).body);
    for (let i = 0; i < 300; i++) subscribe(socket, String(i), whole);
    socket.send(JSON.stringify({ type: "complete", id: "299" }));
    let most = 0;
    for (let quiet = 0, before = -1; quiet < 300; quiet++) {
      const { unsentBytes = 0 } = kernel.gauges.read();
      most = Math.max(most, unsentBytes);
      if (unsentBytes !== before || unsentBytes === 0) quiet = 0;
      before = unsentBytes;
      await iteration();
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(8 * bytes);
    socket.resume();
    while (got.length < 299) await iteration();
    expect(new Set(got).size).toBe(299);
    expect(got).not.toContain("299");
  });

  it("live queries that wait for their data hold no place", async () => {
    const { kernel, url } = await served({ maxStartingPerSocket: 2 });
    const socket = await opened(url);
    const first = new Set<string>();
    socket.on("message", (data) => first.add(JSON.parse(String(data)).id));
    for (let i = 0; i < 10; i++) subscribe(socket, String(i), `subscription { queryMill(first: 1, offset: ${i}) { name } }`);
    while (first.size < 10) await iteration();
    expect(kernel.gauges.read().liveSubscriptions).toBe(10);
  });
});
