// Who may open a WebSocket, and what is spoken on it.

import { createHash } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TemporaryConfig, TemporaryKernel } from "../../../support/kernel.ts";
import { boats, names } from "./boats.ts";
import { connect, Line, open } from "./line.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

async function endpoint(config: TemporaryConfig = {}, lines = "") {
  stack = await boats(config, lines);
  return stack.kernel;
}

describe("the subprotocol", () => {
  it.each([
    ["graphql-ws", "graphql-ws"],
    ["subscription-transport-ws", "subscription-transport-ws"],
    ["subscriptions-transport-ws", "subscriptions-transport-ws"],
    ["graphql-transport-ws", "graphql-transport-ws"],
    ["graphql-transport-ws, graphql-ws", "graphql-transport-ws"],
    ["graphql-ws, graphql-transport-ws", "graphql-ws"],
    ["soap,graphql-transport-ws", "graphql-transport-ws"],
  ])("of an offer of %s is %s, the first known one of the client", async (protocols, chosen) => {
    const line = await open(await endpoint(), { protocols });
    expect(line.protocol).toBe(chosen);
    line.say({ type: "connection_init" });
    expect(await line.hear()).toEqual([{ type: "connection_ack" }]);
  });

  it("defaults to the older one, without a name in the answer", async () => {
    const line = await open(await endpoint());
    expect(line.protocol).toBeUndefined();
    line.say({ type: "start", id: "1", payload: { query: names } });
    expect(await line.hear()).toMatchObject([{ type: "data", id: "1" }]);
  });

  it.each(["soap", "GraphQL-WS", "graphql-ws2, mqtt"])(
    "of an offer of %s is none: the connection opens and is closed with 4406",
    async (protocols) => {
      const line = await open(await endpoint(), { protocols });
      expect(line.protocol).toBeUndefined();
      expect(line.ended).toEqual([4406, "Subprotocol not acceptable"]);
    },
  );
});

describe("the origin", () => {
  const lines = '# Service.Allow-Origin "https://sea.example"\n# Service.Allow-Origin "https://lake.example"\n';

  it("is checked when the schema lists some", async () => {
    const kernel = await endpoint({}, lines);
    for (const origin of ["https://sea.example", "https://lake.example", undefined]) {
      expect(await connect(kernel, { headers: { origin } })).toBeInstanceOf(Line);
    }
    for (const origin of ["https://evil.example", "https://sea.example:8443", "http://sea.example", "null", ""]) {
      expect(await connect(kernel, { headers: { origin } })).toMatchObject({ status: 403 });
    }
  });

  it("is not checked otherwise", async () => {
    expect(await connect(await endpoint(), { headers: { origin: "https://evil.example" } })).toBeInstanceOf(Line);
  });
});

describe("the path", () => {
  it("is /graphql; elsewhere the request is answered as plain HTTP", async () => {
    const kernel = await endpoint();
    expect(await connect(kernel, { url: "/graphql?x=1" })).toBeInstanceOf(Line);
    expect(await connect(kernel, { url: "/nothing" })).toMatchObject({ status: 404 });
    expect(await connect(kernel, { url: "/health" })).toMatchObject({ status: 200 });
    expect(await connect(kernel, { url: "/graphql/" })).toMatchObject({ status: 404 });
  });
});

describe("a server", () => {
  it("without a schema accepts connections and refuses each operation", async () => {
    const kernel = await endpoint();
    await kernel.erase({ kind: "all" });
    const line = await open(kernel, { protocols: "graphql-transport-ws" });
    line.say({ type: "connection_init" });
    line.say({ type: "subscribe", id: "1", payload: { query: names } });
    expect(await line.hear(2)).toMatchObject([
      { type: "connection_ack" },
      { type: "error", payload: [{ message: expect.stringContaining("Not resolving subscription") }] },
    ]);
  });

  it("that drains closes connections and refuses new ones until draining ends", async () => {
    const kernel = await endpoint();
    const line = await open(kernel);
    line.say({ type: "start", id: "1", payload: { query: names } });
    await line.hear();
    kernel.setDraining(true);
    expect([line.unheard, line.ended]).toEqual([[], [1012, "Service restart"]]);
    expect(await connect(kernel)).toMatchObject({ status: 503, body: expect.stringContaining("draining") });
    kernel.setDraining(false);
    expect(await connect(kernel)).toBeInstanceOf(Line);
  });

  it("refuses clients beyond the limit", async () => {
    const kernel = await endpoint({ limits: { maxLiveClients: 2 } });
    const first = await open(kernel);
    await open(kernel);
    expect(await connect(kernel)).toMatchObject({ status: 503, body: expect.stringContaining("limits.maxLiveClients") });
    first.leave();
    expect(await connect(kernel)).toBeInstanceOf(Line);
  });

  it("that closes ends connections gracefully and refuses new ones", async () => {
    const kernel = await endpoint();
    const line = await open(kernel, { protocols: "graphql-transport-ws" });
    line.say({ type: "connection_init" });
    line.say({ type: "subscribe", id: "1", payload: { query: names } });
    await line.hear(2);
    await stack?.remove();
    stack = undefined;
    expect([line.unheard, line.ended]).toEqual([[], [1012, "Service restart"]]);
    expect(await connect(kernel)).toMatchObject({ status: 503 });
  });
});

describe("without anonymous access", () => {
  const apiKeys = [{ name: "shop", kind: "client", hash: createHash("sha256").update("shop-key").digest("hex") }] as const;
  const closed = { apiKeys, anonymousAccess: false };
  const init = { type: "connection_init", payload: { "X-Auth-Token": "shop-key" } };

  it("a connection without a key is closed after the timeout, in both dialects", async () => {
    const kernel = await endpoint(closed);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const stranger = await open(kernel);
      const known = await open(kernel, { headers: { "x-auth-token": "shop-key" } });
      const late = await open(kernel);
      late.say(init);
      vi.advanceTimersByTime(10_000);
      expect([stranger.ended, known.ended, late.ended]).toEqual([[4408, "Connection initialisation timeout"], undefined, undefined]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("the key may be in the upgrade or in the parameters, in both dialects", async () => {
    const kernel = await endpoint(closed);
    for (const protocols of ["graphql-ws", "graphql-transport-ws"]) {
      const early = await open(kernel, { protocols, headers: { "x-auth-token": "shop-key" } });
      early.say({ type: "connection_init" });
      const late = await open(kernel, { protocols });
      late.say(init);
      expect([...(await early.hear()), ...(await late.hear())]).toEqual([{ type: "connection_ack" }, { type: "connection_ack" }]);
    }
  });

  it("a wrong one ends a connection of the newer dialect with 4403", async () => {
    const line = await open(await endpoint(closed), { protocols: "graphql-transport-ws", headers: { "x-auth-token": "shop-key" } });
    line.say({ type: "connection_init", payload: { "x-auth-token": "another" } });
    expect(line.ended).toEqual([4403, "Forbidden"]);
    expect(line.unheard).toEqual([]);
  });

  it("a missing one is reported and ends the connection in the older dialect", async () => {
    const kernel = await endpoint(closed);
    const line = await open(kernel);
    line.say({ type: "start", id: "1", payload: { query: names } });
    expect(await line.hear(2)).toEqual([
      { type: "error", id: "1", payload: { message: "Invalid X-Auth-Token" } },
      { type: "complete", id: "1" },
    ]);
    line.say({ type: "connection_init" });
    expect(await line.hear()).toEqual([{ type: "connection_error", payload: { message: "Invalid X-Auth-Token" } }]);
    expect(line.ended).toEqual([4403, "Forbidden"]);
  });
});
