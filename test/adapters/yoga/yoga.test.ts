// What Yoga adds to the kernel: its plugins around every request, and a place inside other servers.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Plugin } from "graphql-yoga";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type YogaHandlerOptions, yogaHandler, yogaTransport } from "../../../adapters/yoga/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let stack: TemporaryKernel;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  stack = await temporaryKernel({ limits: { maxBodyBytes: 1_000 } });
  await stack.kernel.deploy("type Mill { name: String! @id  power: Int64 }");
});
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  await stack.remove();
});

const json = { "content-type": "application/json" };
const typename = { method: "POST", headers: json, body: '{"query":"{ __typename }"}' };

describe("plugins of Yoga", () => {
  async function listening(...plugins: Plugin[]): Promise<Listening> {
    const server = await yogaTransport({ plugins }).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    ends.push(() => server.close(0));
    return server;
  }

  it("see each request before the kernel and each answer after it, in order", async () => {
    const seen: string[] = [];
    const watching = (name: string): Plugin => ({
      onRequest: ({ request, url }) => void seen.push(`${name} ${request.method} ${url.pathname}`),
      onResponse: ({ response }) => void seen.push(`${name} ${response.status}`),
    });
    const { url } = await listening(watching("a"), watching("b"));
    await fetch(`${url}/graphql`, typename);
    await fetch(`${url}/nothing`);
    expect(seen).toEqual(["a POST /graphql", "b POST /graphql", "a 200", "b 200", "a GET /nothing", "b GET /nothing", "a 404", "b 404"]);
  });

  it("may change headers of requests and answers", async () => {
    const { url } = await listening({
      onRequest: ({ request }) => request.headers.set("accept", "application/graphql-response+json"),
      onResponse: ({ response }) => response.headers.set("x-mill", "stone"),
    });
    const response = await fetch(`${url}/graphql`, { ...typename, body: '{"query":"{ nothing }"}' });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/graphql-response+json");
    expect(response.headers.get("x-mill")).toBe("stone");
    expect(await response.json()).toMatchObject({ errors: [{}] });
  });

  it("may answer instead of the kernel", async () => {
    const { url } = await listening({
      onRequest({ url: { pathname }, fetchAPI, endResponse }) {
        if (pathname === "/ready") endResponse(new fetchAPI.Response("yes", { status: 202, headers: { "content-type": "text/plain" } }));
      },
    });
    const response = await fetch(`${url}/ready`);
    expect([response.status, await response.text()]).toEqual([202, "yes"]);
    expect(await (await fetch(`${url}/graphql`, typename)).json()).toEqual({ data: { __typename: "Query" } });
  });

  it("that throw fail the request; only the log has the reason", async () => {
    const log = vi.spyOn(stack.kernel.log, "fault");
    const { url } = await listening({
      onRequest({ url: { pathname } }) {
        if (pathname === "/admin") throw new Error("the mill burns");
      },
    });
    const response = await fetch(`${url}/admin`);
    expect([response.status, await response.text()]).toEqual([500, "Internal error\n"]);
    expect(log.mock.calls.join()).toContain("the mill burns");
    log.mockRestore();
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

describe("a mounted handler", () => {
  async function mounted(options: YogaHandlerOptions = {}, prefix = ""): Promise<string> {
    const handler = yogaHandler(stack.kernel, options);
    const server: Server = createServer((request, response) => {
      if (request.url?.startsWith(prefix)) return void handler(request, response);
      response.end("the server around it");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("answers below basePath like the kernel", async () => {
    const url = await mounted({ basePath: "/api" }, "/api/");
    await fetch(`${url}/api/graphql`, {
      ...typename,
      body: '{"query":"mutation { addMill(input: [{name: \\"a\\", power: 9007199254740993}]) { numUids } }"}',
    });
    const response = await fetch(`${url}/api/graphql?query={queryMill{name,power}}`);
    expect(await response.text()).toContain('{"data":{"queryMill":[{"name":"a","power":9007199254740993}]}');
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    expect(await (await fetch(`${url}/health`)).text()).toBe("the server around it");
    expect((await fetch(`${url}/api/nothing`)).status).toBe(404);
  });

  it("refuses a body that is too long, also when chunked", async () => {
    const url = await mounted();
    const body = JSON.stringify({ query: `{ __typename } #${"x".repeat(1_000)}` });
    expect(await (await fetch(`${url}/graphql`, { ...typename, body })).text()).toContain("larger than 1000 bytes");
    const pieces = new ReadableStream({
      start(controller) {
        for (const half of [body.slice(0, 500), body.slice(500)]) controller.enqueue(new TextEncoder().encode(half));
        controller.close();
      },
    });
    const init = { ...typename, body: pieces, duplex: "half" };
    expect(await (await fetch(`${url}/graphql`, init as RequestInit)).text()).toContain("larger than 1000 bytes");
  });

  it("serves Fetch requests, none of which count as from this machine", async () => {
    const handler = yogaHandler(stack.kernel);
    const response = await handler.fetch("http://mill.example/graphql", typename);
    expect(await response.text()).toBe('{"data":{"__typename":"Query"}}');
    const deploy = await handler.fetch("http://mill.example/admin/schema", { method: "POST", body: "type Other { a: String }" });
    expect(await deploy.text()).toContain("ErrorUnauthorized");
    const local = await mounted();
    expect(await (await fetch(`${local}/admin/schema`, { method: "POST", body: "type Other { a: String }" })).text()).toContain("Success");
  });
});

describe("event streams", () => {
  const events = { ...json, accept: "text/event-stream" };
  const live = { method: "POST", headers: events, body: '{"query":"subscription { queryBoat { name } }"}' };
  const clients = () => stack.kernel.gauges.read().liveClients;
  const first = 'data: {"data":{"queryBoat":[]}';

  beforeEach(async () => {
    await stack.kernel.deploy("type Boat @withSubscription { name: String! @id }");
  });

  async function add(name: string): Promise<void> {
    await stack.kernel.execute({ query: `mutation { addBoat(input: [{name: "${name}"}]) { numUids } }` });
  }

  /** Reads until `part` has come. */
  async function until(reader: ReadableStreamDefaultReader<Uint8Array>, part: string): Promise<string> {
    let text = "";
    while (!text.includes(part)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`It ended before ${part} came: ${text}`);
      text += Buffer.from(value).toString();
    }
    return text;
  }

  async function readerOf(response: Response): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    if (response.body === null) throw new Error("There is no body.");
    return response.body.getReader();
  }

  it("pass plugins that change their headers or replace the stream", async () => {
    const seen: string[] = [];
    const plugin: Plugin = {
      onResponse({ response, setResponse, fetchAPI }) {
        seen.push(String(response.status));
        response.headers.set("x-boat", "yes");
        if (seen.length === 2) setResponse(new fetchAPI.Response(response.body, { headers: { "content-type": "text/event-stream" } }));
      },
    };
    const server = await yogaTransport({ plugins: [plugin] }).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    ends.push(() => server.close(0));
    for (const boat of ["yes", null]) {
      const response = await fetch(`${server.url}/graphql`, live);
      expect(response.headers.get("x-boat")).toBe(boat);
      const reader = await readerOf(response);
      await until(reader, "event: next");
      await add(`Ketch ${boat}`);
      await until(reader, `Ketch ${boat}`);
      await reader.cancel();
      await expect.poll(clients).toBe(0);
    }
  });

  it("that a plugin replaces never start", async () => {
    const plugin: Plugin = { onResponse: ({ setResponse, fetchAPI }) => setResponse(new fetchAPI.Response("no boats today", { status: 418 })) };
    const server = await yogaTransport({ plugins: [plugin] }).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    ends.push(() => server.close(0));
    const response = await fetch(`${server.url}/graphql`, live);
    expect([response.status, await response.text(), clients()]).toEqual([418, "no boats today", 0]);
  });

  it("are served by a mounted handler and end with the client or the kernel", async () => {
    const handler = yogaHandler(stack.kernel);
    const server = createServer((request, response) => void handler(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
    const leaving = new AbortController();
    const left = await readerOf(await fetch(url, { ...live, signal: leaving.signal }));
    const stays = await readerOf(await fetch(url, live));
    for (const each of [left, stays]) await until(each, first);
    await add("Yawl");
    for (const each of [left, stays]) await until(each, "Yawl");
    leaving.abort();
    await expect.poll(clients).toBe(1);
    stack.kernel.setDraining(true);
    // No `complete`: the client connects again.
    expect(await stays.read()).toMatchObject({ done: true });
    expect(clients()).toBe(0);
  });

  it("are served by Fetch with backpressure", async () => {
    const handler = yogaHandler(stack.kernel);
    const reader = await readerOf(await handler.fetch("http://boat.example/graphql", live));
    await until(reader, first);
    for (let i = 10; i < 30; i++) {
      await add(`Boat ${i} ${"x".repeat(20_000)}`);
      await expect.poll(() => stack.kernel.gauges.read().liveRunsDue ?? 0, { timeout: 60_000, interval: 5 }).toBe(0);
    }
    // Some fill the buffers on the way; of all others only the last is left.
    const text = await until(reader, "Boat 29");
    expect(text.match(/event: next/g)?.length).toBeLessThan(10);
    await reader.cancel();
    expect(clients()).toBe(0);
  });
});
