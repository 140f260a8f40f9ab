// More requests than the server takes on: some run, some wait in their order, the rest are refused with Retry-After; what watches the server
// answers all the time.

import { Agent, request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { prometheusMetrics } from "../../adapters/prometheus/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import { type GraphQLAnswer, type Limits, parseJson } from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import type { Listening } from "../../core/transport.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";

/** Holds every request until it is opened, and notes who came in. */
class Gate {
  readonly entered: string[] = [];
  #open: () => void = () => {};
  #opened = new Promise<void>((resolve) => (this.#open = resolve));

  open(): void {
    this.#open();
  }

  shut(): void {
    this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  readonly plugin: DirectivePlugin = {
    name: "gate",
    definitions: "",
    model: () => ({
      request: async ({ headers }) => {
        if (headers["x-pass"] === "1") return {};
        this.entered.push(headers["x-number"] ?? "");
        await this.#opened;
        return {};
      },
    }),
  };
}

let stack: TemporaryKernel | undefined;
let listening: Listening | undefined;
afterEach(async () => {
  await listening?.close(0);
  listening = undefined;
  await stack?.remove();
  stack = undefined;
});

async function gated(limits: Partial<Limits>) {
  const gate = new Gate();
  const running = await compatibleKernel({ limits, plugins: [...standardPlugins(), gate.plugin], metrics: prometheusMetrics({ process: false }) });
  stack = running;
  await running.kernel.deploy("type Mill { name: String! @id }");
  const { kernel } = running;
  const ask = (query: string, number = "", onGone?: (listener: () => void) => void): Promise<GraphQLAnswer> =>
    Promise.resolve(kernel.execute({ query, headers: { "x-number": number }, ...(onGone && { onGone }) }));
  return { gate, kernel, ask };
}

const read = "{ queryMill { name } }";
const turns = async (count = 5) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};
const messageOf = (answer: GraphQLAnswer) => (parseJson(answer.body) as { errors?: { message: string }[] }).errors?.[0]?.message;

describe("requests that wait", () => {
  it("run first in, first out, as soon as a slot is free", async () => {
    const { gate, kernel, ask } = await gated({ maxConcurrentRequests: 2, maxWaitingRequests: 10 });
    const answers = Promise.all(["a", "b", "c", "d", "e"].map((number) => ask(read, number)));
    await turns();
    expect(gate.entered).toEqual(["a", "b"]);
    expect(kernel.gauges.read()).toMatchObject({ requestsRunning: 2, requestsWaiting: 3 });
    gate.open();
    expect((await answers).map((each) => each.body)).toEqual(Array(5).fill('{"data":{"queryMill":[]}}'));
    expect(gate.entered).toEqual(["a", "b", "c", "d", "e"]);
    expect(kernel.gauges.read()).toMatchObject({ requestsRunning: 0, requestsWaiting: 0 });
  });

  it("are bounded: one more is refused at once, with a code and Retry-After", async () => {
    const { gate, ask } = await gated({ maxConcurrentRequests: 1, maxWaitingRequests: 1 });
    const served = [ask(read, "runs"), ask(read, "waits")];
    const refused = await ask(read, "refused");
    expect(refused).toMatchObject({ requestErrors: true, retryAfterSeconds: 1 });
    expect(parseJson(refused.body)).toEqual({
      errors: [
        {
          message:
            "As many requests run as may (1, limits.maxConcurrentRequests), and as many wait (1, limits.maxWaitingRequests). Try again in a moment.",
          extensions: { code: "OVERLOADED" },
        },
      ],
    });
    gate.open();
    expect((await Promise.all(served)).every((each) => !each.requestErrors)).toBe(true);
    expect(gate.entered).toEqual(["runs", "waits"]);
  });

  it("wait no longer than their time limit", async () => {
    const { gate, kernel, ask } = await gated({ maxConcurrentRequests: 1, maxWaitingRequests: 5, maxTimeMs: 60 });
    const running = ask(read, "runs");
    expect(messageOf(await ask(read, "waits"))).toContain("waited longer than 60 ms (limits.maxTimeMs)");
    expect(kernel.gauges.read().requestsWaiting).toBe(0);
    gate.open();
    await running;
  });

  it("leave the queue when their client disconnects", async () => {
    const { gate, kernel, ask } = await gated({ maxConcurrentRequests: 1, maxWaitingRequests: 1 });
    const running = ask(read, "runs");
    let leave = () => {};
    const gone = ask(read, "gone", (listener) => {
      leave = listener;
    });
    expect(kernel.gauges.read().requestsWaiting).toBe(1);
    leave();
    expect(messageOf(await gone)).toBe("The client has gone.");
    const next = ask(read, "next");
    gate.open();
    await Promise.all([running, next]);
    expect(gate.entered).toEqual(["runs", "next"]);
  });

  it("are answered before the kernel closes", async () => {
    const { gate, kernel, ask } = await gated({ maxConcurrentRequests: 1, maxWaitingRequests: 5 });
    const answers = Promise.all([ask(read, "runs"), ask(read, "waits")]);
    const closed = kernel.close();
    await turns();
    gate.open();
    await closed;
    expect((await answers).map((each) => each.body)).toEqual(Array(2).fill('{"data":{"queryMill":[]}}'));
    await kernel.open();
  });
});

it("refuses mutations beyond limits.maxQueuedWrites and still answers queries", async () => {
  const { gate, ask, kernel } = await gated({ maxQueuedWrites: 2 });
  const add = (name: string) => ask(`mutation { addMill(input: [{ name: "${name}" }]) { numUids } }`);
  const written = [add("a"), add("b")];
  const refused = await add("c");
  expect(refused.retryAfterSeconds).toBe(1);
  expect(messageOf(refused)).toBe("As many mutations as may (2, limits.maxQueuedWrites) wait for the writer. Try again in a moment.");
  expect((await kernel.execute({ query: read, headers: { "x-pass": "1" } })).body).toBe('{"data":{"queryMill":[]}}');
  gate.open();
  await Promise.all(written);
  expect((await add("c")).body).toContain('"numUids":1');
  expect((await ask("{ aggregateMill { count } }")).body).toContain('"count":3');
});

const transports = { ws: wsTransport(), yoga: yogaTransport() };

describe.each(Object.keys(transports) as (keyof typeof transports)[])("500 clients at once, over sockets, with %s", (name) => {
  interface Reply {
    readonly status: number;
    readonly retryAfter: string | undefined;
    readonly body: string;
  }

  function send(url: string, path: string, agent: Agent, body?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        `${url}${path}`,
        { agent, method: body === undefined ? "GET" : "POST", headers: { "content-type": "application/json" } },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], body: text }));
        },
      );
      sent.on("error", reject).end(body);
    });
  }

  it("are all answered: served within the limits, refused beyond them", async () => {
    const { gate, kernel } = await gated({ maxConcurrentRequests: 8, maxWaitingRequests: 32 });
    listening = await transports[name].listen(kernel, { host: "127.0.0.1", port: 0 });
    const { url } = listening;
    const agent = new Agent({ keepAlive: true, maxSockets: 600 });
    const body = JSON.stringify({ query: read });
    const before = process.memoryUsage().heapUsed;
    let refusedSoFar = 0;
    const replies = Array.from({ length: 500 }, async () => {
      const reply = await send(url, "/graphql", agent, body);
      if (reply.status === 503) refusedSoFar++;
      return reply;
    });
    while (refusedSoFar < 460) await new Promise((resolve) => setTimeout(resolve, 5));

    // 8 run, 32 wait, and the server is there for those who look after it.
    expect((await send(url, "/health", agent)).status).toBe(200);
    const metrics = await send(url, "/metrics", agent);
    expect(metrics.status).toBe(200);
    expect(metrics.body).toContain("quern_requests_running 8\n");
    expect(metrics.body).toContain("quern_requests_waiting 32\n");
    expect(metrics.body).toContain('quern_operations_total{kind="unknown",outcome="overloaded"} 460\n');
    expect((await send(url, "/admin", agent, JSON.stringify({ query: "{ health { status } }" }))).body).toContain("healthy");
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 2 ** 20);

    gate.open();
    const all = await Promise.all(replies);
    const served = all.filter((each) => each.status === 200);
    expect(served.map((each) => each.body)).toEqual(Array(40).fill('{"data":{"queryMill":[]}}'));
    const refused = all.filter((each) => each.status === 503);
    expect(refused).toHaveLength(460);
    expect(new Set(refused.map((each) => each.retryAfter))).toEqual(new Set(["1"]));
    expect((await send(url, "/graphql", agent, body)).status).toBe(200);
    agent.destroy();
  });

  it("are all served in the end when they retry", async () => {
    const { gate, kernel } = await gated({ maxConcurrentRequests: 8, maxWaitingRequests: 32 });
    gate.open();
    listening = await transports[name].listen(kernel, { host: "127.0.0.1", port: 0 });
    const { url } = listening;
    const agent = new Agent({ keepAlive: true, maxSockets: 600 });
    const body = JSON.stringify({ query: read });
    const persistent = async (): Promise<number> => {
      for (let tries = 1; ; tries++) {
        const { status } = await send(url, "/graphql", agent, body);
        if (status === 200) return tries;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const tries = await Promise.all(Array.from({ length: 500 }, persistent));
    expect(tries).toHaveLength(500);
    agent.destroy();
  });
});
