// Large bodies over real connections: they wait for memory before they are read, and what they unpack to counts.

import { connect, type Socket } from "node:net";
import { setImmediate as iteration } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { LimitOptions } from "../../core/index.ts";
import type { Listening } from "../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel | undefined;
let listening: Listening | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const each of sockets.splice(0)) each.destroy();
  await listening?.close(0);
  await stack?.remove();
});

const transports = { ws: wsTransport(), yoga: yogaTransport() };
const query = "{ queryMill { name } }";
const kib = (n: number) => JSON.stringify({ query, padding: "x".repeat(n * 1_024) });
const json = { "content-type": "application/json" };

describe.each(Object.keys(transports) as (keyof typeof transports)[])("with %s", (name) => {
  async function served(limits: LimitOptions) {
    stack = await temporaryKernel({ limits });
    const { kernel } = stack;
    await kernel.deploy("type Mill { name: String! @id }");
    listening = await transports[name].listen(kernel, { host: "127.0.0.1", port: 0 });
    return { kernel, url: new URL(listening.url), bodyBytes: () => kernel.gauges.read().bodyBytes };
  }

  /** Announces a body and sends none of it. */
  function holding({ hostname, port }: URL, bytes: number): Socket {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(`POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`);
    sockets.push(socket);
    return socket;
  }

  const ask = (url: URL, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${url.origin}/graphql`, { method: "POST", headers: { ...json, ...headers }, body });

  it("lets a large body wait until there is room, and a small one pass", async () => {
    const { url, bodyBytes } = await served({ maxBufferedBytes: 200_000 });
    const first = holding(url, 150_000);
    while (bodyBytes() !== 150_000) await iteration();
    let isAnswered = false;
    const waiting = ask(url, kib(100)).then(async (response) => {
      isAnswered = true;
      return await response.json();
    });
    expect(await (await ask(url, kib(1))).json()).toEqual({ data: { queryMill: [] } });
    expect([isAnswered, bodyBytes()]).toEqual([false, 150_000]);
    first.destroy();
    expect(await waiting).toEqual({ data: { queryMill: [] } });
    while (bodyBytes() !== 0) await iteration();
  });

  it("answers 503 with Retry-After when a body waits too long, and takes its room from a client that sends nothing", async () => {
    const { url, bodyBytes } = await served({ maxBufferedBytes: 200_000, stallMs: 300 });
    const closed = new Promise((resolve) => holding(url, 150_000).on("close", resolve));
    while (bodyBytes() !== 150_000) await iteration();
    const refused = await ask(url, kib(100)).catch(() => undefined);
    if (refused?.status === 503) {
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await refused.json()).toMatchObject({
        errors: [{ message: expect.stringContaining("limits.maxBufferedBytes"), extensions: { code: "OVERLOADED" } }],
      });
    }
    await closed;
    while (bodyBytes() !== 0) await iteration();
  });

  it("allows a longer body with the admin token, packed or not; the error says so to others", async () => {
    const token = "the admin token of this spec, long enough";
    stack = await temporaryKernel({ limits: { maxBodyBytes: 100_000, maxInflatedBytes: 200_000, maxAdminBodyBytes: 400_000 }, admin: { token } });
    await stack.kernel.deploy("type Mill { name: String! @id }");
    listening = await transports[name].listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    const url = new URL(listening.url);
    const texts = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) => (await ask(url, body, headers)).text();
    const admin = { "x-service-authtoken": token };
    const gzip = { "content-encoding": "gzip" };
    const packed = (n: number) => Uint8Array.from(gzipSync(kib(n)));
    expect(await texts(kib(150), {})).toMatch(
      /larger than 100000 bytes \(limits\.maxBodyBytes\).*With the admin token it may have 400000 bytes \(limits\.maxAdminBodyBytes\)/,
    );
    expect(await texts(kib(150), { "x-service-authtoken": "another" })).toMatch(/larger than 100000 bytes/);
    expect(await texts(kib(150), admin)).toMatch(/"queryMill":\[\]/);
    expect(await texts(kib(450), admin)).toMatch(/larger than 400000 bytes \(limits\.maxAdminBodyBytes\)\. Send it in smaller parts\."/);
    expect(await texts(packed(190), gzip)).toMatch(/"queryMill":\[\]/);
    expect(await texts(packed(300), gzip)).toMatch(/unpacks to more than 200000 bytes \(limits\.maxInflatedBytes\).*limits\.maxAdminBodyBytes/);
    expect(await texts(packed(300), { ...admin, ...gzip })).toMatch(/"queryMill":\[\]/);
    expect(await texts(packed(450), { ...admin, ...gzip })).toMatch(/unpacks to more than 400000 bytes/);
  });

  it("counts what bodies unpack to, and stops unpacking at the limit", async () => {
    const { url, kernel, bodyBytes } = await served({ maxBufferedBytes: 2_000_000, maxInflatedBytes: 1_000_000 });
    const bomb = Uint8Array.from(gzipSync(kib(20_000)));
    let most = 0;
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        most = Math.max(most, bodyBytes() ?? 0);
        await iteration();
      }
    })();
    const answers = await Promise.all(Array.from({ length: 12 }, async () => (await ask(url, bomb, { "content-encoding": "gzip" })).json()));
    const fits = await (await ask(url, Uint8Array.from(gzipSync(kib(500))), { "content-encoding": "gzip" })).json();
    isOver = true;
    await watch;
    for (const each of answers) expect(each).toMatchObject({ errors: [{ message: expect.stringContaining("limits.maxInflatedBytes") }] });
    expect(fits).toEqual({ data: { queryMill: [] } });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2_000_000);
    while (kernel.gauges.read().bodyBytes !== 0) await iteration();
  });

  it("reads a large body of unknown length when there is room", async () => {
    const { url, bodyBytes } = await served({ maxBufferedBytes: 200_000, maxBodyBytes: 200_000 });
    const first = holding(url, 150_000);
    while (bodyBytes() !== 150_000) await iteration();
    const chunks = async function* () {
      for (let i = 0; i < 15; i++) yield Buffer.from(kib(150).slice(i * 10_300, (i + 1) * 10_300));
    };
    const sent = fetch(`${url.origin}/graphql`, { method: "POST", headers: json, body: chunks() as never, duplex: "half" } as RequestInit);
    for (let i = 0; i < 50; i++) await iteration();
    first.destroy();
    expect((await sent).status).toBe(200);
  });
});
