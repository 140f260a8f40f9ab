// Why a live query ended, as its line in the log tells it: on both transports, over every protocol.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { Listening, LogEntry } from "../../core/index.ts";
import { boats, names } from "../adapters/server/socket/boats.ts";
import { handshake, type RawSocket } from "../conformance/transport/raw-socket.ts";
import type { TemporaryKernel } from "../support/kernel.ts";

const dialects = {
  legacy: { protocol: "graphql-ws", begin: "start", stop: { type: "stop", id: "1" } },
  modern: { protocol: "graphql-transport-ws", begin: "subscribe", stop: { type: "complete", id: "1" } },
} as const;

describe.each(Object.entries({ ws: wsTransport, yoga: yogaTransport }))("on %s", (_transport, transport) => {
  let stack: TemporaryKernel;
  let server: Listening;
  let entries: LogEntry[];
  beforeEach(() => listening(0));

  async function listening(socketPingMs: number): Promise<void> {
    entries = [];
    stack = await boats({
      log: { level: "info", requests: "info", to: { write: (entry) => void entries.push(entry) } },
      limits: { liveKeepAliveMs: 0, socketPingMs },
    });
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  }

  const closed = async () => {
    await server.close(1_000);
    await stack.remove();
  };
  afterEach(closed);

  /** Of every live query that is over, once `count` are. */
  async function ends(count = 1): Promise<readonly unknown[]> {
    const told = () => entries.filter(({ event }) => event === "subscription").map(({ facts }) => facts.ended);
    await vi.waitFor(() => expect(told()).toHaveLength(count), { timeout: 60_000, interval: 10 });
    return told();
  }

  /** A client that has had its first result. */
  async function subscribedIn({ protocol, begin }: { readonly protocol: string; readonly begin: string }): Promise<RawSocket> {
    const client = await handshake(server.url, { headers: { "sec-websocket-protocol": protocol } });
    client.send(JSON.stringify({ type: "connection_init" }));
    client.send(JSON.stringify({ type: begin, id: "1", payload: { query: names } }));
    expect(await client.text()).toContain("connection_ack");
    expect(await client.text()).toContain("Ketch");
    return client;
  }

  describe.each(Object.entries(dialects))("in the %s dialect", (_dialect, { stop, ...dialect }) => {
    const subscribed = () => subscribedIn(dialect);

    it("`client`: it said that it wants no more; what becomes of its connection later is another matter", async () => {
      const client = await subscribed();
      client.send(JSON.stringify(stop));
      expect(await ends()).toEqual(["client"]);
      client.drop();
      (await subscribed()).drop();
      expect(await ends(2)).toEqual(["client", "gone"]);
    });

    it("`gone`: its connection was lost, or it closed it, or it no longer answers", async () => {
      (await subscribed()).drop();
      expect(await ends()).toEqual(["gone"]);
      const closing = await subscribed();
      closing.bytes(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
      expect(await ends(2)).toEqual(["gone", "gone"]);
      await closed();
      await listening(500);
      // It answers no ping.
      await subscribed();
      expect(await ends()).toEqual(["gone"]);
    });

    it("`shutdown`: the server stops; `redeployed`: a schema is served that does not allow it", async () => {
      await subscribed();
      await stack.kernel.deploy("type Boat @withSubscription { name: String! @id  berth: Int }");
      await stack.kernel.deploy("type Boat @withSubscription { title: String! @id }");
      expect(await ends()).toEqual(["redeployed"]);
      await stack.kernel.deploy("type Boat @withSubscription { name: String! @id }");
      await subscribed();
      await server.close(1_000);
      expect(await ends(2)).toEqual(["redeployed", "shutdown"]);
    });
  });

  it("`closed`: the newer dialect ends the connection of a client that breaks the protocol", async () => {
    const client = await subscribedIn(dialects.modern);
    client.send(JSON.stringify({ type: "nonsense" }));
    expect(await client.closeCode()).toBe(4400);
    expect(await ends()).toEqual(["closed"]);
  });

  it("`client`: the older dialect says goodbye for all that it has asked", async () => {
    const client = await handshake(server.url, { headers: { "sec-websocket-protocol": "graphql-ws" } });
    for (const id of ["1", "2"]) client.send(JSON.stringify({ type: "start", id, payload: { query: names } }));
    for (let i = 0; i < 2; i++) expect(await client.text()).toContain("Ketch");
    client.send(JSON.stringify({ type: "connection_terminate" }));
    expect(await ends(2)).toEqual(["client", "client"]);
  });

  describe("as an event stream", () => {
    /** A client that has had its first result. */
    async function subscribed() {
      const leaving = new AbortController();
      const response = await fetch(`${server.url}/graphql`, {
        method: "POST",
        headers: { accept: "text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ query: names }),
        signal: leaving.signal,
      });
      const reader = (response.body ?? expect.unreachable()).getReader();
      for (let text = ""; !text.includes("Ketch"); ) text += Buffer.from((await reader.read()).value ?? []).toString();
      return leaving;
    }

    it("`gone` is all that is known of a client that leaves", async () => {
      (await subscribed()).abort();
      expect(await ends()).toEqual(["gone"]);
    });

    it("`shutdown`: the server goes", async () => {
      await subscribed();
      await server.close(1_000);
      expect(await ends()).toEqual(["shutdown"]);
    });
  });
});
