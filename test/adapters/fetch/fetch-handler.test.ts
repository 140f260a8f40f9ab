// `fetchHandler` called as hosts call it: a `Request` in, a `Response` out.

import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FetchHandler, type FetchHandlerOptions, fetchHandler } from "../../../adapters/fetch/index.ts";
import type { HttpRequest, HttpResponse, KernelEndpoint, Outlet } from "../../../core/transport.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const json = { "content-type": "application/json" };
const asked = (query: string, variables: object = {}) => ({ method: "POST", headers: json, body: JSON.stringify({ query, variables }) });

interface Mounted extends Pick<TemporaryKernel, "kernel"> {
  readonly handler: FetchHandler;
  /** Calls the handler as a host would, with a `Request` of its own. */
  send(target: string, init?: RequestInit & { readonly duplex?: "half" }): Promise<Response>;
}

async function mounted(options: FetchHandlerOptions = {}, config: TemporaryConfig = {}): Promise<Mounted> {
  const stack = await temporaryKernel(config);
  onTestFinished(() => stack.remove());
  const { kernel } = stack;
  await kernel.deploy("type Boat @withSubscription { name: String! @id  tons: Int64 }");
  await kernel.execute({ query: 'mutation { addBoat(input: [{ name: "Möwe", tons: 9007199254740993 }]) { numUids } }' });
  const handler = fetchHandler(kernel, options);
  return { kernel, handler, send: (target, init) => handler(new Request(`http://boats.example${target}`, init)) };
}

describe("a handler for the Fetch API", () => {
  it("answers queries by POST and by GET, and mutations, with the digits of large integers", async () => {
    const { send } = await mounted();
    const boats = '{"data":{"queryBoat":[{"name":"Möwe","tons":9007199254740993}]}';
    const posted = await send("/graphql", asked("{ queryBoat { name tons } }"));
    expect([posted.status, posted.headers.get("content-type"), await posted.text()]).toEqual([
      200,
      "application/json",
      expect.stringContaining(boats),
    ]);
    const got = await send(`/graphql?query=${encodeURIComponent("{ queryBoat { name tons } }")}`);
    expect(await got.text()).toContain(boats);
    const added = await send("/graphql", asked("mutation ($n: String!) { addBoat(input: [{ name: $n }]) { numUids } }", { n: "Ark" }));
    expect(await added.json()).toMatchObject({ data: { addBoat: { numUids: 1 } } });
  });

  it("answers below the path under which it is mounted, and not below one that begins alike", async () => {
    const { send } = await mounted({ basePath: "/api" });
    expect(await (await send("/api/graphql", asked("{ __typename }"))).json()).toMatchObject({ data: { __typename: "Query" } });
    expect((await send("/api/health")).status).toBe(200);
    expect((await send("/apiary/graphql", asked("{ __typename }"))).status).toBe(404);
  });

  it("answers a preflight request and sets CORS headers as the other transports do", async () => {
    const { kernel, send } = await mounted();
    const request = { method: "OPTIONS", headers: { origin: "https://page.example", "access-control-request-method": "POST" } };
    const { headers } = await kernel.http({ ...request, url: "/graphql", body: new Uint8Array() });
    const preflight = await send("/graphql", request);
    const cors = Object.entries(headers).filter(([name]) => name.startsWith("access-control-"));
    expect(cors.length).toBeGreaterThan(2);
    for (const [name, value] of cors) expect(preflight.headers.get(name)).toBe(value);
  });

  it("packs an answer for who takes it, and the length is that of what is sent", async () => {
    const { send } = await mounted();
    const page = await send("/graphql", { headers: { accept: "text/html", "accept-encoding": "gzip" } });
    const bytes = Buffer.from(await page.arrayBuffer());
    expect([page.headers.get("content-encoding"), page.headers.get("content-length")]).toEqual(["gzip", String(bytes.byteLength)]);
    expect(gunzipSync(bytes).toString()).toContain("<html");
  });

  it("answers HEAD without a body and with the length of one", async () => {
    const { send } = await mounted();
    const [whole, head] = [await send("/probe/graphql"), await send("/probe/graphql", { method: "HEAD" })];
    expect([head.status, head.body, await head.text()]).toEqual([whole.status, null, ""]);
  });

  it("takes the page of its own origin for its own, although the host leaves out the header Host", async () => {
    const { send } = await mounted();
    const write = asked('mutation { addBoat(input: [{ name: "Yawl" }]) { numUids } }');
    const from = (origin: string) => send("/graphql", { ...write, headers: { ...json, origin } });
    expect(await (await from("http://boats.example")).json()).toMatchObject({ data: { addBoat: { numUids: 1 } } });
    const { kernel } = await mounted();
    const other = await kernel.http({
      method: "POST",
      url: "/graphql",
      headers: { ...json, host: "boats.example", origin: "http://evil.example" },
      body: Buffer.from(write.body),
    });
    expect((await from("http://evil.example")).status).toBe(other.status);
  });
});

describe("administration through a handler", () => {
  const health = asked("{ health { status } }");

  it("needs the token where the host names no address, although this machine is admitted without one", async () => {
    const { send } = await mounted({}, { admin: { open: "loopback", token: "a long admin token for the specs" } });
    const { errors } = await (await send("/admin", health)).json();
    expect(errors).toHaveLength(1);
    const withToken = { ...health, headers: { ...json, "x-service-authtoken": "a long admin token for the specs" } };
    expect((await (await send("/admin", withToken)).json()).errors).toBeUndefined();
  });

  it("is open to this machine where the host says that the peer is on it, by what it was called with", async () => {
    const { kernel } = await mounted();
    const handler = fetchHandler<[{ readonly peer: string }]>(kernel, { remoteAddress: (_request, { peer }) => peer });
    const errorsFor = async (peer: string) => (await (await handler(new Request("http://localhost/admin", health), { peer })).json()).errors;
    expect(await errorsFor("127.0.0.1")).toBeUndefined();
    expect(await errorsFor("192.0.2.7")).toHaveLength(1);
  });
});

/** An endpoint that answers as `http` does. */
function endpointOf(http: KernelEndpoint["http"], more: Partial<KernelEndpoint> = {}): KernelEndpoint {
  const tooLarge: HttpResponse = { status: 413, headers: {}, body: "too large" };
  return { http, maxBodyBytes: 1_000, bodyTooLarge: () => tooLarge, upgrade: () => tooLarge, ...more };
}

/** Calls `first`, and answers. */
const answeringAfter = (first: (request: HttpRequest) => unknown, body = "taken"): KernelEndpoint["http"] => {
  return (request) => {
    first(request);
    return said(body);
  };
};
const said = (body: string): HttpResponse => ({ status: 200, headers: { "content-type": "text/plain" }, body });
const post = (body: RequestInit["body"], headers: Record<string, string> = {}) =>
  new Request("http://boats.example/graphql", { method: "POST", body: body ?? null, headers, duplex: "half" } as RequestInit);

/** A body that comes in pieces, of unknown length. */
const pieces = (...of: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const each of of) controller.enqueue(Buffer.from(each));
      controller.close();
    },
  });

describe("the body of a request", () => {
  it("is taken at the limit and refused beyond it, announced or in pieces, and never reaches the kernel then", async () => {
    const reached: number[] = [];
    const handler = fetchHandler(endpointOf(answeringAfter(({ body }) => reached.push(body.byteLength))));
    expect((await handler(post("x".repeat(1_000)))).status).toBe(200);
    expect((await handler(post(pieces("x".repeat(600), "x".repeat(400))))).status).toBe(200);
    expect((await handler(post("x".repeat(1_001), { "content-length": "1001" }))).status).toBe(413);
    expect((await handler(post(pieces("x".repeat(600), "x".repeat(401))))).status).toBe(413);
    expect(reached).toEqual([1_000, 1_000]);
  });

  it("that is large takes room before it is read, and gives it back with the answer; without room it is refused", async () => {
    const rooms: (number | string)[] = [];
    let isFull = false;
    const bodies: NonNullable<KernelEndpoint["bodies"]> = {
      reserve(bytes) {
        rooms.push(bytes);
        return isFull ? undefined : { shrink: (to) => void rooms.push(`shrink ${to}`), release: () => void rooms.push("release") };
      },
    };
    const overloaded = (): HttpResponse => ({ status: 503, headers: {}, body: "" });
    const limit = 1 << 20;
    const handler = fetchHandler(
      endpointOf(
        answeringAfter(() => rooms.push("asked")),
        { maxBodyBytes: limit, bodies, overloaded },
      ),
    );
    await handler(post("x".repeat(65_536)));
    expect(rooms.splice(0)).toEqual(["asked"]);
    await handler(post("x".repeat(65_537), { "content-length": "65537" }));
    expect(rooms.splice(0)).toEqual([65_537, "shrink 65537", "asked", "release"]);
    await handler(post(pieces("x".repeat(65_536), "x".repeat(1_000))));
    expect(rooms.splice(0)).toEqual([limit, "shrink 66536", "asked", "release"]);
    isFull = true;
    expect((await handler(post("x".repeat(65_537), { "content-length": "65537" }))).status).toBe(503);
    expect(rooms.splice(0)).toEqual([65_537]);
  });

  it("that breaks off in the middle, or stalls, reaches nobody", async () => {
    const reached: HttpRequest[] = [];
    const handler = fetchHandler(
      endpointOf(
        answeringAfter((request) => reached.push(request)),
        { stallMs: 20 },
      ),
    );
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(Buffer.from('{"query"'));
        controller.error(new Error("the client has gone"));
      },
    });
    const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from('{"query"')) });
    expect((await handler(post(broken))).status).toBe(408);
    expect((await handler(post(silent))).status).toBe(408);
    expect(reached).toEqual([]);
  });
});

describe("what the kernel answers", () => {
  it.each([204, 205, 304])("has no body with status %i, which a Response does not take", async (status) => {
    const handler = fetchHandler(endpointOf(() => ({ status, headers: { etag: '"7"' }, body: "" })));
    const response = await handler(new Request("http://boats.example/graphql"));
    expect([response.status, response.body, response.headers.get("etag")]).toEqual([status, null, '"7"']);
  });

  it("comes in pieces where it is long, also from memory that a Response does not take", async () => {
    const resizable = new Uint8Array(new ArrayBuffer(4, { maxByteLength: 8 }));
    resizable.set(Buffer.from("boat"));
    const handler = fetchHandler(endpointOf(() => ({ status: 200, headers: {}, body: "boat, two", pieces: [resizable, Buffer.from(", two")] })));
    const response = await handler(new Request("http://boats.example/graphql"));
    expect([response.headers.get("content-length"), await response.text()]).toEqual(["9", "boat, two"]);
    const whole = fetchHandler(endpointOf(() => ({ status: 200, headers: {}, body: resizable })));
    expect(await (await whole(new Request("http://boats.example/graphql"))).text()).toBe("boat");
  });

  it("is status 500, with the reason in the log alone, when the endpoint breaks its word and throws", async () => {
    const faults: unknown[] = [];
    const broken = () => {
      throw new Error("a secret");
    };
    const handler = fetchHandler(endpointOf(broken, { fault: (thrown) => void faults.push(thrown) }));
    const response = await handler(new Request("http://boats.example/graphql"));
    expect([response.status, await response.text()]).toEqual([500, "Internal error\n"]);
    expect(faults).toEqual([expect.objectContaining({ message: "a secret" })]);
  });

  it("is told when the client has gone", async () => {
    const gone: string[] = [];
    const leaving = new AbortController();
    let answer = (_: HttpResponse) => {};
    const waiting = new Promise<HttpResponse>((resolve) => (answer = resolve));
    const endpoint = endpointOf(({ onGone }) => {
      onGone?.(() => void gone.push("gone"));
      return waiting;
    });
    const handler = fetchHandler(endpoint);
    const response = handler(new Request("http://boats.example/graphql", { signal: leaving.signal }));
    expect(gone).toEqual([]);
    leaving.abort();
    await expect.poll(() => gone).toEqual(["gone"]);
    answer(said("late"));
    expect((await response).status).toBe(200);
  });
});

describe("event streams of a handler", () => {
  const live = { ...asked("subscription { queryBoat { name } }"), headers: { ...json, accept: "text/event-stream" } };

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

  it("send results as they come, and end with their reader or with the kernel", async () => {
    const { kernel, send } = await mounted();
    const clients = () => kernel.gauges.read().liveClients;
    const [left, stays] = [await send("/graphql", live), await send("/graphql", live)].map(({ body }) => body?.getReader());
    if (left === undefined || stays === undefined) throw new Error("There is no body.");
    for (const each of [left, stays]) await until(each, "Möwe");
    await kernel.execute({ query: 'mutation { addBoat(input: [{ name: "Yawl" }]) { numUids } }' });
    for (const each of [left, stays]) await until(each, "Yawl");
    await left.cancel();
    await expect.poll(clients).toBe(1);
    kernel.setDraining(true);
    expect(await stays.read()).toMatchObject({ done: true });
    expect(clients()).toBe(0);
  });

  it("end when the request is aborted, as some hosts say alone that a client has gone", async () => {
    const { kernel, handler } = await mounted();
    const leaving = new AbortController();
    const response = await handler(new Request("http://boats.example/graphql", { ...live, signal: leaving.signal }));
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    await until(reader, "Möwe");
    leaving.abort();
    await expect.poll(() => kernel.gauges.read().liveClients).toBe(0);
  });

  it("are counted while nobody takes them, and cut when nobody does for long, or when the server holds too much", async () => {
    const held: number[] = [];
    const cuts: (() => void)[] = [];
    const unsent: NonNullable<KernelEndpoint["unsent"]> = {
      bytes: 0,
      open(cut) {
        cuts.push(cut);
        return { update: (bytes) => void held.push(bytes) };
      },
    };
    const outlets: Outlet[] = [];
    let closed = 0;
    const stream = (outlet: Outlet) => {
      outlets.push(outlet);
      return { drained() {}, leaving() {}, closed: () => void closed++ };
    };
    const handler = fetchHandler(endpointOf(() => ({ status: 200, headers: {}, body: "", stream }), { unsent, stallMs: 20 }));
    const readerOf = async () => {
      const reader = (await handler(new Request("http://boats.example/graphql"))).body?.getReader();
      if (reader === undefined) throw new Error("There is no body.");
      // The first piece is empty: hosts send the head with it.
      expect((await reader.read()).value?.byteLength).toBe(0);
      expect(outlets).toHaveLength(cuts.length);
      outlets.at(-1)?.send("first");
      await reader.read();
      return reader;
    };
    const slow = await readerOf();
    outlets[0]?.send("for nobody");
    expect([outlets[0]?.waiting, held.at(-1)]).toEqual([10, 10]);
    await expect.poll(() => closed).toBe(1);
    expect(held.at(-1)).toBe(0);
    await expect(slow.read()).rejects.toThrow("takes nothing");
    outlets[0]?.send("too late");
    outlets[0]?.end();
    const cut = await readerOf();
    outlets[1]?.send("held");
    cuts[1]?.();
    await expect(cut.read()).rejects.toThrow("takes nothing");
    expect(closed).toBe(2);
  });
});
