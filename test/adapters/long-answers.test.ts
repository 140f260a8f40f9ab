// Long answers over real connections: sent as the client takes them, and bounded over all connections.

import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { LimitOptions } from "../../core/index.ts";
import type { Listening } from "../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const count = 3_000;
/** About 20 MB, more than the buffers of a connection hold. */
const long = `{ queryMill { ${Array.from({ length: 200 }, (_, i) => `a${i}: name`).join(" ")} } }`;

let stack: TemporaryKernel | undefined;
let listening: Listening | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const each of sockets.splice(0)) each.destroy();
  await listening?.close(0);
  await stack?.remove();
  stack = undefined;
  listening = undefined;
});

const transports = { ws: wsTransport(), yoga: yogaTransport() };

describe.each(Object.keys(transports) as (keyof typeof transports)[])("with %s", (name) => {
  async function served(limits: LimitOptions = {}) {
    stack = await temporaryKernel({ limits });
    const { kernel } = stack;
    await kernel.deploy("type Mill { name: String! @id }");
    const input = Array.from({ length: count }, (_, i) => ({ name: `the mill with the number ${i}` }));
    await kernel.execute({ query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", variables: { input } });
    listening = await transports[name].listen(kernel, { host: "127.0.0.1", port: 0 });
    return { kernel, url: new URL(listening.url) };
  }

  /** Asks for the long answer and takes none of it. */
  function unread({ hostname, port }: URL): Socket {
    const body = JSON.stringify({ query: long });
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    sockets.push(socket);
    return socket;
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await pause(1);
  }

  it("a client that takes its time gets the whole answer, and the server then holds nothing of it", async () => {
    const { kernel, url } = await served();
    const expected = (await kernel.execute({ query: long })).body;
    const socket = unread(url);
    await until(() => (kernel.gauges.read().unsentBytes ?? 0) > 1_000_000);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk)).resume();
    await new Promise((resolve) => socket.on("end", resolve));
    const received = Buffer.concat(chunks).toString();
    expect(received.slice(received.indexOf("\r\n\r\n") + 4) === expected).toBe(true);
    expect(received).toContain(`content-length: ${Buffer.byteLength(expected)}`);
    await until(() => kernel.gauges.read().unsentBytes === 0);
  });

  it("compresses it piece by piece", async () => {
    const { kernel, url } = await served();
    const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
    const response = await fetch(`${url.origin}/graphql`, { method: "POST", headers, body: JSON.stringify({ query: long }) });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect((await response.text()) === (await kernel.execute({ query: long })).body).toBe(true);
    const raw = await kernel.http({ method: "POST", url: "/graphql", headers, body: Buffer.from(JSON.stringify({ query: long })) });
    expect(gunzipSync(raw.body as Uint8Array).toString() === (await kernel.execute({ query: long })).body).toBe(true);
  });

  it("cuts the client that has taken nothing for the longest time when all together leave too much", async () => {
    const { kernel, url } = await served({ maxUnsentBytes: 50_000_000, maxLongRequests: 8 });
    const unsent = () => kernel.gauges.read().unsentBytes ?? 0;
    const closed: number[] = [];
    for (let i = 0; i < 3; i++) {
      const before = unsent();
      unread(url).on("close", () => closed.push(i));
      if (i < 2) await until(() => unsent() > before + 1_000_000);
    }
    sockets[0]?.resume();
    await until(() => closed.length > 0);
    expect(closed).toEqual([0]);
    expect(unsent()).toBeLessThanOrEqual(50_000_000);
  });

  it("cuts a client that takes nothing for `limits.stallMs`, over HTTP and over a WebSocket", async () => {
    const { kernel, url } = await served({ stallMs: 300 });
    const unsent = () => kernel.gauges.read().unsentBytes ?? 0;
    unread(url);
    await until(() => unsent() > 1_000_000);
    await until(() => unsent() === 0);
    const socket = new WebSocket(`${url.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(JSON.stringify({ type: "connection_init" }));
    await new Promise((resolve) => socket.once("message", resolve));
    socket.pause();
    socket.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query: long } }));
    await until(() => unsent() > 1_000_000);
    await until(() => unsent() === 0);
    socket.terminate();
  });
});
