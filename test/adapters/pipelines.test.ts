// Many requests at once on one HTTP connection: they begin a few at a time, none while the client takes nothing, and end with it. Answers are in the order
// of the requests.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate as iteration } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { LimitOptions } from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { temporaryKernel } from "../support/kernel.ts";

/** Holds requests that name a gate in a header until it is opened, and notes their order. */
class Gates {
  readonly entered: string[] = [];
  readonly ended: string[] = [];
  readonly #open = new Map<string, () => void>();

  open(name: string): void {
    this.#open.get(name)?.();
  }

  openAll(): void {
    for (const open of this.#open.values()) open();
  }

  readonly plugin: DirectivePlugin = {
    name: "gates",
    definitions: "",
    model: () => ({
      request: async ({ headers: { gate } }) => {
        if (gate === undefined) return {};
        this.entered.push(gate);
        await new Promise<void>((resolve) => this.#open.set(gate, resolve));
        this.ended.push(gate);
        return {};
      },
    }),
  };
}

const transports = { ws: wsTransport(), yoga: yogaTransport() };
const few = "{ queryMill(first: 1) { name } }";
const whole = "{ queryMill { name a: name b: name } }";

/** One request as bytes. */
function post(query: string, headers: Readonly<Record<string, string>> = {}): string {
  const body = JSON.stringify({ query });
  const lines = Object.entries({ host: "localhost", "content-type": "application/json", "content-length": String(body.length), ...headers });
  return `POST /graphql HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

const gated = (name: string) => post(`{ g${name}: queryMill(first: 1) { name } }`, { gate: name });
const names = (count: number) => Array.from({ length: count }, (_, i) => String(i));

describe.each(Object.keys(transports) as (keyof typeof transports)[])("on one HTTP connection of %s", (name) => {
  async function served(limits: LimitOptions = {}) {
    const gates = new Gates();
    const stack = await temporaryKernel({ limits, plugins: [...standardPlugins(), gates.plugin] });
    onTestFinished(() => stack.remove());
    await stack.kernel.deploy("type Mill { name: String! @id }");
    const input = Array.from({ length: 3_000 }, (_, i) => ({ name: `the mill with the number ${i}` }));
    await stack.kernel.execute({ query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", variables: { input } });
    const listening = await transports[name].listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => listening.close(0));
    return { gates, kernel: stack.kernel, url: listening.url, close: (graceMs: number) => listening.close(graceMs) };
  }

  async function connected(url: string): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  }

  /** All that comes back, as it grows. */
  function received(socket: Socket): { text: string } {
    const all = { text: "" };
    socket.setEncoding("utf8").on("data", (chunk) => {
      all.text += chunk;
    });
    return all;
  }

  const gatesIn = (text: string) => [...text.matchAll(/"g(\d+)":/g)].map(([, gate]) => gate);

  it("at most `limits.maxStartingPerSocket` requests begin, and the others follow; another connection does not wait for them", async () => {
    const { gates, url } = await served({ maxStartingPerSocket: 3 });
    const busy = await connected(url);
    const answers = received(busy);
    busy.write(names(20).map(gated).join(""));
    while (gates.entered.length < 3) await iteration();
    const other = await connected(url);
    const answer = received(other);
    other.write(post(few));
    while (!answer.text.includes("queryMill")) await iteration();
    expect([gates.entered, answers.text]).toEqual([["0", "1", "2"], ""]);
    // The next one begins when the client has the first answer.
    gates.open("0");
    while (gates.entered.length < 4) await iteration();
    expect([gates.entered, gatesIn(answers.text)]).toEqual([names(4), ["0"]]);
    while (gates.ended.length < 20) {
      gates.openAll();
      await iteration();
    }
    while (gatesIn(answers.text).length < 20) await iteration();
    expect(gatesIn(answers.text)).toEqual(names(20));
  });

  it("an answer that is ready before an earlier one is sent after it", async () => {
    const { gates, url } = await served();
    const socket = await connected(url);
    const answers = received(socket);
    socket.write(names(3).map(gated).join(""));
    while (gates.entered.length < 3) await iteration();
    for (const gate of ["2", "1"]) {
      gates.open(gate);
      while (!gates.ended.includes(gate)) await iteration();
    }
    for (let i = 0; i < 20; i++) await iteration();
    expect(answers.text).toBe("");
    gates.open("0");
    while (gatesIn(answers.text).length < 3) await iteration();
    expect(gatesIn(answers.text)).toEqual(["0", "1", "2"]);
  });

  it("none begins while its client takes nothing, so that what waits stays bounded; all are answered when it reads", async () => {
    const { kernel, url } = await served();
    const bytes = Buffer.byteLength((await kernel.execute({ query: whole })).body);
    const socket = await connected(url);
    socket.pause();
    const count = 700;
    socket.write(post(whole).repeat(count));
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
    let answered = 0;
    let tail = "";
    socket.on("data", (chunk) => {
      const text = tail + chunk;
      answered += text.split("HTTP/1.1 200").length - 1;
      tail = text.slice(-11);
    });
    socket.resume();
    while (answered < count) await iteration();
    expect(answered).toBe(count);
    while (kernel.gauges.read().unsentBytes !== 0) await iteration();
  });

  it("what a client asked for ends when it has gone: what waits never begins, what has begun is cancelled, and no byte counts", async () => {
    const { gates, kernel, url } = await served({ maxConcurrentRequests: 1 });
    const codes: unknown[] = [];
    onTestFinished(kernel.observe({ ended: ({ code }) => void codes.push(code) }));
    const socket = await connected(url);
    socket.write(names(9).map(gated).join(""));
    // One is inside. The others that have begun wait for its place.
    while (gates.entered.length < 1 || kernel.gauges.read().requestsWaiting !== 3) await iteration();
    socket.destroy();
    while (kernel.gauges.read().requestsWaiting !== 0) await iteration();
    gates.open("0");
    while (kernel.gauges.read().requestsRunning !== 0) await iteration();
    for (let i = 0; i < 20; i++) await iteration();
    expect(gates.entered).toEqual(["0"]);
    expect(codes).toContain("CANCELLED");
  });

  it("answers that wait for one before them count as unsent, until their client has gone", async () => {
    const { gates, kernel, url } = await served();
    const socket = await connected(url);
    socket.write(gated("0") + post(whole));
    while (kernel.gauges.read().unsentBytes === 0) await iteration();
    expect(kernel.gauges.read().unsentBytes).toBeGreaterThan(100_000);
    socket.destroy();
    while (kernel.gauges.read().unsentBytes !== 0) await iteration();
    gates.openAll();
    while (kernel.gauges.read().requestsRunning !== 0) await iteration();
    expect(kernel.gauges.read().unsentBytes).toBe(0);
  });

  it("the end of a client that waits for its first answer shows, though it has sent more than is read", async () => {
    const { gates, kernel, url } = await served({ maxConcurrentRequests: 1 });
    const socket = await connected(url);
    socket.write(names(1_200).map(gated).join(""));
    while (gates.entered.length < 1 || kernel.gauges.read().requestsWaiting !== 3) await iteration();
    socket.destroy();
    while (kernel.gauges.read().requestsWaiting !== 0) await iteration();
    expect(gates.entered).toEqual(["0"]);
    gates.openAll();
  });

  it("a server that closes answers what has begun, and begins nothing more", async () => {
    const { gates, url, close } = await served({ maxStartingPerSocket: 2 });
    const socket = await connected(url);
    const answers = received(socket);
    socket.write(names(6).map(gated).join(""));
    while (gates.entered.length < 2) await iteration();
    const closed = close(600_000);
    gates.openAll();
    await once(socket, "close");
    await closed;
    expect([gates.entered, gatesIn(answers.text)]).toEqual([
      ["0", "1"],
      ["0", "1"],
    ]);
  });
});
