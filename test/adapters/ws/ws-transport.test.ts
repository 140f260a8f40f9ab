// The transport by itself: bodies, connections, clients that misbehave, and the end.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type Agent, Agent as HttpAgent, request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type WsOptions, wsTransport } from "../../../adapters/ws/index.ts";
import type { HttpRequest, HttpResponse, KernelEndpoint, Listening, MaybePromise } from "../../../core/transport.ts";

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close(0)));
});

/** A server whose answers are `answer`'s. */
async function serve(
  answer: (request: HttpRequest) => MaybePromise<HttpResponse>,
  options: WsOptions = {},
  maxBodyBytes = 1_000,
): Promise<Listening> {
  const endpoint: KernelEndpoint = {
    http: answer,
    upgrade: (request) => answer({ ...request, body: new Uint8Array(0) }),
    maxBodyBytes,
    bodyTooLarge: () => ({ status: 413, headers: { "x-why": "size" }, body: "too large" }),
  };
  const listening = await wsTransport(options).listen(endpoint, { host: "127.0.0.1", port: 0 });
  open.push(listening);
  return listening;
}

const echo = (request: HttpRequest): HttpResponse => ({
  status: 200,
  headers: { "content-type": "text/plain" },
  body: `${request.method} ${request.url} ${Buffer.from(request.body).toString()}`,
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function ask(
  url: string,
  options: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Record<string, string | string[]>;
    readonly agent?: Agent;
    readonly body?: string | readonly string[];
  } = {},
): Promise<Reply> {
  const { method = "POST", path = "/graphql", headers = {}, agent, body = [] } = options;
  return new Promise((resolve, reject) => {
    const sent = request(new URL(url), { method, path, headers, ...(agent ? { agent } : {}) }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject);
    for (const chunk of typeof body === "string" ? [body] : body) sent.write(chunk);
    sent.end();
  });
}

/** A connection that sends `text` as it is, and what came back when the server has closed it. */
function raw(url: string, text: string): { readonly socket: Socket; readonly received: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(text);
  const received = new Promise<string>((resolve) => {
    let all = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      all += chunk;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(all));
  });
  return { socket, received };
}

/** The server's end of the next connection. */
function nextAccepted(): Promise<Socket> {
  return new Promise((resolve) => {
    const take = (message: unknown) => {
      unsubscribe("net.server.socket", take);
      resolve((message as { readonly socket: Socket }).socket);
    };
    subscribe("net.server.socket", take);
  });
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

describe("an exchange", () => {
  it("passes method, target, body, headers and answer unchanged", async () => {
    const seen: HttpRequest[] = [];
    const { url } = await serve((each) => {
      seen.push(each);
      return { status: 201, headers: { "x-one": "1", "content-type": "text/plain" }, body: "Grüße 👋" };
    });
    const reply = await ask(url, { path: "/graphql?query=%7B&x", headers: { "X-Two": ["a", "b"], Accept: "text/html" }, body: "hällo" });
    expect(reply).toMatchObject({
      status: 201,
      text: "Grüße 👋",
      headers: { "x-one": "1", "content-type": "text/plain", "content-length": String(Buffer.byteLength("Grüße 👋")) },
    });
    expect(seen[0]).toMatchObject({
      method: "POST",
      url: "/graphql?query=%7B&x",
      headers: { "x-two": "a, b", accept: "text/html" },
      remoteAddress: "127.0.0.1",
    });
    expect(Buffer.from(seen[0]?.body ?? []).toString()).toBe("hällo");
  });

  it("joins repeated headers, including those that node:http keeps apart", async () => {
    const seen: HttpRequest[] = [];
    const { url } = await serve((each) => {
      seen.push(each);
      return echo(each);
    });
    await ask(url, { headers: { "X-Token": ["a", "b"], "Set-Cookie": ["c=1", "d=2"], Authorization: ["e", "f"] } });
    expect(seen[0]?.headers).toMatchObject({ "x-token": "a, b", "set-cookie": "c=1, d=2", authorization: "e, f" });
  });

  it("concatenates chunks of a body, and accepts requests without a body", async () => {
    const { url } = await serve(echo);
    expect((await ask(url, { body: ["one ", "two ", "three"] })).text).toBe("POST /graphql one two three");
    expect((await ask(url, { body: ["one ", "two"], headers: { "transfer-encoding": "chunked" } })).text).toBe("POST /graphql one two");
    expect((await ask(url)).text).toBe("POST /graphql ");
    expect((await ask(url, { method: "GET", path: "/health" })).text).toBe("GET /health ");
    expect((await ask(url, { headers: { "content-length": "0" } })).text).toBe("POST /graphql ");
  });

  it("sends binary and empty bodies, and no body for HEAD", async () => {
    const { url } = await serve(({ url }) => ({ status: 200, headers: {}, body: url === "/bytes" ? new Uint8Array([104, 105]) : "" }));
    expect(await ask(url, { method: "GET", path: "/bytes" })).toMatchObject({ text: "hi", headers: { "content-length": "2" } });
    expect(await ask(url, { method: "GET", path: "/none" })).toMatchObject({ text: "", headers: { "content-length": "0" } });
    expect(await ask(url, { method: "HEAD", path: "/bytes" })).toMatchObject({ text: "", headers: { "content-length": "2" } });
  });

  it("keeps connections alive and supports pipelining", async () => {
    const { url } = await serve(echo);
    const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    const replies = [await ask(url, { agent, body: "1" }), await ask(url, { agent, body: "2" })];
    expect(replies.map(({ headers }) => headers.connection)).toEqual(["keep-alive", "keep-alive"]);
    agent.destroy();
    const { received } = raw(url, get("/a") + get("/b") + get("/c", "Connection: close\r\n"));
    expect((await received).match(/GET \/[abc]/g)).toEqual(["GET /a", "GET /b", "GET /c"]);
  });

  it("answers many clients while one of them waits", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await serve(async (each) => {
      if (each.url === "/slow") await gate;
      return echo(each);
    });
    const slow = ask(url, { path: "/slow" });
    expect((await ask(url, { path: "/quick" })).status).toBe(200);
    release();
    expect((await slow).status).toBe(200);
  });
});

describe("a body", () => {
  it("of the allowed size passes, a longer one is answered without being read, announced or not", async () => {
    let asked = 0;
    const { url } = await serve((each) => {
      asked += 1;
      return echo(each);
    });
    expect((await ask(url, { body: "x".repeat(1_000) })).status).toBe(200);
    for (const headers of [{ "content-length": "1001" }, { "transfer-encoding": "chunked" }]) {
      expect(await ask(url, { headers, body: "x".repeat(1_001) })).toMatchObject({
        status: 413,
        text: "too large",
        headers: { "x-why": "size", connection: "close" },
      });
    }
    expect(asked).toBe(1);
  });

  it("that is far too long is not buffered, and its sender can read the answer", async () => {
    const { url } = await serve(echo);
    const { socket, received } = raw(url, "POST /graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    for (let sent = 0; sent < 200 && socket.writable; sent += 1) socket.write(chunk);
    socket.end("0\r\n\r\n");
    expect(await received).toMatch(/^HTTP\/1\.1 413 [\s\S]*too large$/);
  });

  it("gets no 100-continue when Content-Length exceeds the limit", async () => {
    const { url } = await serve(echo);
    const tooMuch = raw(url, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n");
    tooMuch.socket.on("data", () => tooMuch.socket.end());
    expect(await tooMuch.received).toMatch(/^HTTP\/1\.1 413 /);
    const fine = raw(url, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    fine.socket.once("data", () => fine.socket.write("ok"));
    expect(await fine.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*POST \/ ok$/);
  });

  it("that is aborted leaks nothing", async () => {
    let asked = 0;
    const listening = await serve((each) => {
      asked += 1;
      return echo(each);
    });
    const { socket, received } = raw(listening.url, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.destroy();
    await received;
    expect((await ask(listening.url)).status).toBe(200);
    expect(asked).toBe(1);
  });
});

describe("a client that disconnects", () => {
  it("calls onGone once, and not after a complete answer", async () => {
    const gone: string[] = [];
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let answer = (_response: HttpResponse) => {};
    const told = new Promise<void>((resolve) => {
      void serve((each) => {
        each.onGone?.(() => {
          gone.push(each.url);
          resolve();
        });
        if (each.url === "/stays") return echo(each);
        asked();
        return new Promise<HttpResponse>((done) => {
          answer = done;
        });
      }).then(async ({ url }) => {
        await ask(url, { path: "/stays" });
        const { socket } = raw(url, get("/goes"));
        await isAsked;
        socket.destroy();
      });
    });
    await told;
    expect(gone).toEqual(["/goes"]);
    answer({ status: 200, headers: {}, body: "to nobody" });
  });
});

describe("bytes that are not HTTP", () => {
  it.each([
    ["noise", "\u0000\u0001\u0002\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a version nobody knows", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a header without a colon", "GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", /^HTTP\/1\.1 400 /],
    ["a length and chunks", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a length that is none", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["broken chunks", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", /^HTTP\/1\.1 400 /],
    ["no host", "GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["headers without end", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(70_000)}`, /^HTTP\/1\.1 431 /],
    ["a target without end", `GET /${"y".repeat(70_000)}`, /^HTTP\/1\.1 431 /],
  ])("%s: refused, and others are served", async (_what, bytes, answer) => {
    let asked = 0;
    const { url } = await serve((each) => {
      asked += 1;
      return echo(each);
    });
    const reply = await raw(url, bytes).received;
    expect(reply).toMatch(answer);
    expect(reply).not.toMatch(/\bat .*:\d+:\d+|\.ts\b|node:/);
    expect(asked).toBe(0);
    expect((await ask(url)).status).toBe(200);
  });

  it("accepts a query of 60 kB in the URL", async () => {
    const { url } = await serve(echo);
    expect((await ask(url, { method: "GET", path: `/graphql?query=${"y".repeat(60_000)}` })).status).toBe(200);
  });
});

describe("slow clients", () => {
  it("that do not finish their headers are cut off", async () => {
    const { url } = await serve(echo, { headersTimeoutMs: 300 });
    expect(await raw(url, "GET / HTTP/1.1\r\nHost: x\r\n").received).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("that do not finish their body are cut off", async () => {
    const { url } = await serve(echo, { headersTimeoutMs: 200, requestTimeoutMs: 300 });
    expect(await raw(url, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf").received).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it("that read nothing of a long answer are cut off", async () => {
    const { url } = await serve(() => ({ status: 200, headers: {}, body: "x".repeat(50_000_000) }), { stalledClientMs: 300 });
    const otherEnd = nextAccepted();
    const { socket, received } = raw(url, get("/"));
    socket.pause();
    await once(await otherEnd, "close");
    socket.resume();
    expect((await received).length).toBeLessThan(50_000_000);
  });

  it("that read many long answers on one connection leak nothing", async () => {
    const { url } = await serve(() => ({ status: 200, headers: {}, body: "x".repeat(5_000_000) }));
    const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    const accepted = nextAccepted();
    await ask(url, { agent });
    const before = (await accepted).listenerCount("timeout");
    for (let i = 0; i < 15; i++) await ask(url, { agent });
    expect((await accepted).listenerCount("timeout")).toBe(before);
    agent.destroy();
  });
});

describe("closing", () => {
  it("lets running requests finish, ends idle connections, and refuses new ones", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const listening = await serve(async (each) => {
      if (each.url === "/slow") {
        asked();
        await gate;
      }
      return echo(each);
    });
    const agent = new HttpAgent({ keepAlive: true });
    await ask(listening.url, { agent });
    const silent = raw(listening.url, "");
    const half = raw(listening.url, "GET / HTTP/1.1\r\nHos");
    const slow = ask(listening.url, { path: "/slow", agent });
    await isAsked;
    // Connections are accepted in order: these two are there when a later one is answered.
    await ask(listening.url);

    // Whatever waits for the end of the grace time waits longer than this test may last.
    const closed = listening.close(600_000);
    await Promise.all([silent.received, half.received]);
    await expect(ask(listening.url)).rejects.toThrow("ECONNREFUSED");
    release();
    expect(await slow).toMatchObject({ status: 200, headers: { connection: "close" } });
    await closed;
    agent.destroy();
  });

  it("drops a request that does not end after the grace time", async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const listening = await serve(() => {
      asked();
      return new Promise<HttpResponse>(() => undefined);
    });
    const lost = ask(listening.url).catch((error: Error) => error.message);
    await isAsked;
    await listening.close(200);
    expect(await lost).toMatch(/hang up|ECONNRESET/);
  });
});

describe("the address", () => {
  it("is reported as a URL for clients", async () => {
    expect((await serve(echo)).url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    const endpoint: KernelEndpoint = { http: echo, upgrade: echo as never, maxBodyBytes: 1, bodyTooLarge: echo as never };
    const everywhere = await wsTransport().listen(endpoint, { host: "0.0.0.0", port: 0 });
    open.push(everywhere);
    expect(everywhere.url).toMatch(/^http:\/\/localhost:\d+$/);
    expect((await ask(everywhere.url.replace("localhost", "127.0.0.1"))).status).toBe(200);
  });

  it("that is in use or unavailable is reported in one sentence", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const endpoint: KernelEndpoint = { http: echo, upgrade: echo as never, maxBodyBytes: 1, bodyTooLarge: echo as never };
    await expect(wsTransport().listen(endpoint, { host: "127.0.0.1", port })).rejects.toMatchObject({
      code: "ADDRESS_IN_USE",
      message: expect.stringContaining(`Port ${port} of 127.0.0.1 is in use`),
    });
    await expect(wsTransport().listen(endpoint, { host: "203.0.113.77", port: 0 })).rejects.toMatchObject({
      code: "ADDRESS_UNAVAILABLE",
      message: expect.stringContaining("203.0.113.77"),
    });
    await expect(wsTransport().listen(endpoint, { host: "no interface", port: 0 })).rejects.toMatchObject({ code: "ADDRESS_UNAVAILABLE" });
    other.close();
  });
});
