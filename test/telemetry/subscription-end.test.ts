// The log line of an ended subscription gives the reason: on both transports, over every protocol.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { LogEntry } from "../../core/index.ts";
import type { Listening } from "../../core/transport.ts";
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
    const endings = () => entries.filter(({ event }) => event === "subscription").map(({ facts }) => facts.ended);
    await vi.waitFor(() => expect(endings()).toHaveLength(count), { timeout: 60_000, interval: 10 });
    return endings();
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

    it("logs `client` if the client unsubscribes, independent of its connection", async () => {
      const client = await subscribed();
      client.send(JSON.stringify(stop));
      expect(await ends()).toEqual(["client"]);
      client.drop();
      (await subscribed()).drop();
      expect(await ends(2)).toEqual(["client", "gone"]);
    });

    it("logs `gone` if the connection is lost, closed by the client, or no longer responds", async () => {
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

    it("logs `shutdown` if the server stops, and `redeployed` if a new schema does not allow the operation", async () => {
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

  it("logs `closed` if a client of the newer dialect violates the protocol", async () => {
    const client = await subscribedIn(dialects.modern);
    client.send(JSON.stringify({ type: "nonsense" }));
    expect(await client.closeCode()).toBe(4400);
    expect(await ends()).toEqual(["closed"]);
  });

  it("logs `client` for all subscriptions if a client of the older dialect terminates its connection", async () => {
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

    it("logs `gone` if the client disconnects", async () => {
      (await subscribed()).abort();
      expect(await ends()).toEqual(["gone"]);
    });

    it("logs `shutdown` if the server stops", async () => {
      await subscribed();
      await server.close(1_000);
      expect(await ends()).toEqual(["shutdown"]);
    });
  });
});
