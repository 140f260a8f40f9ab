// Peers that are slow, deaf, or half gone, and WebSockets on a server that is not ours.

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { webSockets } from "../../../adapters/node-http/index.ts";
import { type WsOptions, wsTransport } from "../../../adapters/ws/index.ts";
import { handshake, type RawSocket } from "../../conformance/transport/raw-socket.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { names } from "../server/socket/boats.ts";

const longBytes = 16_000_000;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(
  options: WsOptions = {},
  limits: TemporaryConfig["limits"] = {},
): Promise<{ readonly url: string; readonly stack: TemporaryKernel }> {
  const stack = await temporaryKernel({ limits: { maxValueCharacters: longBytes, ...limits } });
  ends.push(() => stack.remove());
  await stack.kernel.deploy("type Boat @withSubscription { name: String! @id  log: String }");
  const listening = await wsTransport(options).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  ends.push(() => listening.close(0));
  return { url: listening.url, stack };
}

const clients = ({ kernel }: TemporaryKernel) => kernel.gauges.read().liveClients;
const modern = { "sec-websocket-protocol": "graphql-transport-ws" };

async function initialised(url: string): Promise<RawSocket> {
  const client = await handshake(url, { headers: modern });
  client.send('{"type":"connection_init"}');
  expect(await client.text()).toBe('{"type":"connection_ack"}');
  return client;
}

/** A boat whose log alone fills every buffer between here and there. */
async function longBoat({ kernel }: TemporaryKernel): Promise<void> {
  const query = 'mutation ($log: String!) { addBoat(input: [{name: "Ark", log: $log}]) { numUids } }';
  await kernel.execute({ query, variables: { log: "x".repeat(longBytes) } });
}

describe("a client that reads nothing", () => {
  it("of a WebSocket message is dropped; a slow reader is not", async () => {
    const { url, stack } = await serve({ stalledClientMs: 1_000 });
    await longBoat(stack);
    const ask = JSON.stringify({ type: "subscribe", id: "1", payload: { query: "subscription { queryBoat { name log } }" } });
    const deaf = await initialised(url);
    const slow = await initialised(url);
    for (const each of [deaf, slow]) each.socket.pause();
    for (const each of [deaf, slow]) each.send(ask);
    let taken = 0;
    slow.socket.removeAllListeners("data").on("data", (chunk: Buffer) => {
      taken += chunk.byteLength;
    });
    const sips = setInterval(() => {
      slow.socket.resume();
      setImmediate(() => slow.socket.pause());
    }, 50);
    await expect.poll(() => clients(stack)).toBe(1);
    expect(slow.over).toBe(false);
    clearInterval(sips);
    slow.socket.resume();
    await expect.poll(() => taken).toBeGreaterThan(longBytes);
    for (const each of [deaf, slow]) each.drop();
  });

  it("of an event stream is dropped; an idle one is not", async () => {
    const { url, stack } = await serve({ stalledClientMs: 300 });
    await longBoat(stack);
    const open = async (query: string) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      const body = JSON.stringify({ query });
      socket.on("error", () => undefined);
      socket.write(
        `POST /graphql HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      await once(socket, "readable");
      return socket;
    };
    const deaf = await open("subscription { queryBoat { name log } }");
    const content = await open(names);
    content.resume();
    await expect.poll(() => clients(stack)).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(clients(stack)).toBe(1);
    for (const each of [deaf, content]) each.destroy();
  });
});

describe("a dead peer", () => {
  it("is dropped when it answers no ping", async () => {
    const { url, stack } = await serve({}, { socketPingMs: 500 });
    // The raw client answers no ping; the connection itself stays open.
    const silent = await initialised(url);
    expect(clients(stack)).toBe(1);
    await silent.ended();
    await expect.poll(() => clients(stack)).toBe(0);
  });

  it("is dropped when it never sends connection_init", async () => {
    const { url, stack } = await serve({}, { socketInitMs: 100 });
    const mute = await handshake(url, { headers: modern });
    expect(await mute.closeCode()).toBe(4408);
    mute.drop();
    await expect.poll(() => clients(stack)).toBe(0);
  });
});

describe("a client that sends requests and reads no answers", () => {
  it("is paused until it reads them, so that buffers stay bounded", async () => {
    const { url } = await serve();
    const client = await handshake(url, { headers: { "sec-websocket-protocol": "graphql-ws" } });
    client.socket.pause();
    const type = "x".repeat(20_000);
    for (let i = 0; i < 1_500; i++) client.send(JSON.stringify({ type }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Thirty megabytes: what the system keeps is a few, the rest waits at the client.
    expect(client.socket.writableLength).toBeGreaterThan(10_000_000);
    client.socket.resume();
    for (let i = 0; i < 1_500; i++) expect((await client.text()).length).toBeGreaterThan(20_000);
    client.drop();
  });
});

describe("webSockets() on a server of the application", () => {
  it("serves below basePath and closes with the kernel", async () => {
    const stack = await temporaryKernel();
    await stack.kernel.deploy("type Boat { name: String! @id }");
    const server = createServer((_request, response) => response.end("the server around it"));
    webSockets(stack.kernel, { basePath: "/api" }).attach(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = await handshake(url, { target: "/api/graphql", headers: modern });
    client.send('{"type":"connection_init"}');
    expect(await client.text()).toBe('{"type":"connection_ack"}');
    const elsewhere = await handshake(url, { target: "/api/other" });
    expect(elsewhere.status).toBe(404);
    await stack.remove();
    expect(await client.closeCode()).toBe(1012);
    client.drop();
    const late = await handshake(url, { target: "/api/graphql", headers: modern });
    expect(late.status).toBe(503);
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
  });
});
