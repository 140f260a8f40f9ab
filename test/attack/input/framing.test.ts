// Bytes that are no HTTP, or not quite, on raw sockets: each gets its status or a closed connection, on both transports, and the next
// client is served.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../adapters/yoga/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { type Delivery, deliver, leak } from "./lines.ts";

const body = '{"query":"{ queryMill { name } }"}';
const good = '{"data":{"queryMill":[]}';
const head = (...lines: readonly string[]) => `${["POST /graphql HTTP/1.1", "host: x", ...lines].join("\r\n")}\r\n\r\n`;
const json = "content-type: application/json";
const sized = (text: string) => head(json, `content-length: ${Buffer.byteLength(text)}`) + text;
/** In no answer: the connection must be closed. */
const never = "\0";
const silence = { closed: never, waits: "" };
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** What is sent; the status of the answer; "closed" for a connection that is ended without one, "waits" for one that is still open. */
const table: readonly (readonly [what: string, Delivery, answer: number | "closed" | "waits"])[] = [
  ["nothing, and gone", { bytes: "", end: true }, "closed"],
  ["noise", { bytes: Buffer.from([0x00, 0xff, 0x13, 0x37, 0x0a, 0x0d, 0x0a]) }, 400],
  ["a TLS greeting", { bytes: Buffer.from("16030100c8010000c403035f", "hex") }, 400],
  ["HTTP/2 without a word before", { bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" }, 400],
  ["HTTP/0.9", { bytes: "GET /health\r\n\r\n" }, 200],
  ["an unknown version", { bytes: "GET /health HTTP/7.3\r\nhost: x\r\n\r\n" }, 400],
  ["no host", { bytes: "GET /health HTTP/1.1\r\n\r\n" }, 400],
  ["HTTP/1.0", { bytes: "GET /health HTTP/1.0\r\n\r\n" }, 200],
  ["a method in small letters", { bytes: "get /health HTTP/1.1\r\nhost: x\r\n\r\n" }, 400],
  ["a method nobody has", { bytes: "BREW /graphql HTTP/1.1\r\nhost: x\r\n\r\n" }, 400],
  ["two blanks in the first line", { bytes: "GET  /health HTTP/1.1\r\nhost: x\r\n\r\n" }, 200],
  ["a path with a NUL", { bytes: "GET /gra\0phql HTTP/1.1\r\nhost: x\r\n\r\n" }, 400],
  ["a header without a colon", { bytes: head("nonsense") }, 400],
  ["a header with a blank before its colon", { bytes: head("content-length : 5") }, 400],
  ["a folded header", { bytes: head("x-long: a\r\n b", "content-length: 0") }, 400],
  ["line feeds alone", { bytes: "GET /health HTTP/1.1\nhost: x\n\n" }, 400],
  ["headers beyond every bound", { bytes: head(`x-long: ${"a".repeat(70_000)}`) }, 431],
  ["a URL beyond every bound", { bytes: `GET /graphql?query=${"a".repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n` }, 431],
  ["headers that never end", { bytes: "POST /graphql HTTP/1.1\r\nhost: x\r\n" }, "waits"],
  ["headers that never end, and gone", { bytes: "POST /graphql HTTP/1.1\r\nhost: x\r\n", end: true }, 400],
  ["a body that never comes", { bytes: head(json, "content-length: 99") }, "waits"],
  ["half a body, and gone", { bytes: head(json, "content-length: 99") + body, end: true }, 400],
  ["a length that is no number", { bytes: head(json, "content-length: ten") + body }, 400],
  ["a negative length", { bytes: head(json, "content-length: -1") + body }, 400],
  ["a length beyond 2^64", { bytes: head(json, "content-length: 99999999999999999999999") + body }, 400],
  ["two lengths", { bytes: head(json, "content-length: 3", `content-length: ${body.length}`) + body }, 400],
  ["a length and chunks", { bytes: head(json, "content-length: 3", "transfer-encoding: chunked") + chunk(body) + chunk("") }, 400],
  ["chunks under another name", { bytes: head(json, "transfer-encoding: xchunked") + body }, 400],
  ["a chunk whose size is no number", { bytes: `${head(json, "transfer-encoding: chunked")}zz\r\n${body}\r\n` }, 400],
  ["a chunk of 2^64 bytes", { bytes: `${head(json, "transfer-encoding: chunked")}ffffffffffffffffff\r\n` }, 400],
  ["a chunk longer than it says", { bytes: `${head(json, "transfer-encoding: chunked")}2\r\n${body}\r\n0\r\n\r\n` }, 400],
  ["chunks", { bytes: head(json, "transfer-encoding: chunked") + chunk(body.slice(0, 5)) + chunk(body.slice(5)) + chunk("") }, 200],
  ["chunks with trailers", { bytes: `${head(json, "transfer-encoding: chunked") + chunk(body)}0\r\nx-sum: 1\r\n\r\n` }, 200],
  ["too much, announced", { bytes: head(json, "content-length: 10001") }, 200],
  ["too much in chunks", { bytes: head(json, "transfer-encoding: chunked") + chunk(" ".repeat(10_001)) + chunk("") }, 200],
  ["an announcement that is waited for", { bytes: head(json, `content-length: ${body.length}`, "expect: 100-continue"), later: body }, 100],
  ["an expectation nobody knows", { bytes: head(json, `content-length: ${body.length}`, "expect: applause") + body }, 417],
  ["bytes after the request", { bytes: `${sized(body)}\0\0\0` }, 200],
  ["a body with a GET", { bytes: "GET /health HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc" }, 200],
  ["CONNECT", { bytes: "CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n" }, "closed"],
  ["an upgrade to what nobody speaks", { bytes: "GET /health HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: gopher\r\n\r\n" }, 200],
  ["a gzip bomb", { bytes: packed(gzipSync(Buffer.alloc(2_000_000, " "))) }, 200],
  ["half of a gzip", { bytes: packed(gzipSync(body).subarray(0, 20)) }, 200],
  ["every header twice", { bytes: head(json, json, "accept: a", "accept: b", `content-length: ${body.length}`) + body }, 200],
  [
    "a thousand headers",
    { bytes: head(json, ...Array.from({ length: 1_000 }, (_, i) => `x-${i}: ${i}`), `content-length: ${body.length}`) + body },
    200,
  ],
];

function packed(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(head(json, "content-encoding: gzip", `content-length: ${bytes.byteLength}`)), bytes]);
}

describe.each(Object.entries({ ws: wsTransport, yoga: yogaTransport }))("%s", (_name, transport) => {
  let stack: TemporaryKernel;
  let server: Listening;
  let port: number;
  beforeAll(async () => {
    stack = await temporaryKernel({ limits: { maxBodyBytes: 10_000, maxInflatedBytes: 50_000 } });
    await stack.kernel.deploy("type Mill { name: String! @id }");
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    port = Number(new URL(server.url).port);
  });
  afterAll(async () => {
    await server.close(0);
    await stack.remove();
  });

  it.concurrent.each(table)("answers or ends the connection without harm: %s", async (_what, delivery, answer) => {
    const { text, status, closed } = await deliver(port, delivery, typeof answer === "number" ? "HTTP/1.1 " : silence[answer]);
    if (typeof answer === "number") expect(status).toMatch(new RegExp(`^HTTP/1\\.1 ${answer} `));
    else expect({ text, closed }).toEqual({ text: "", closed: answer === "closed" });
    expect(text).not.toMatch(leak);
    expect(text).not.toMatch(/HTTP\/1\.1 5\d\d/);
    expect((await deliver(port, { bytes: sized(body) }, good)).text).toContain(good);
  });

  it("answers the requests of one packet in order, up to the first invalid one", async () => {
    const { text, closed } = await deliver(port, { bytes: `${sized(body)}${sized('{"query":"{"}')}NONSENSE\r\n\r\n` }, never);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
    expect(closed).toBe(true);
  });

  it("serves other clients while a hundred clients are silent", async () => {
    const silent = Array.from({ length: 100 }, () => deliver(port, { bytes: "POST /graphql HTTP/1.1\r\n", quietMs: 1_500 }));
    for (let i = 0; i < 5; i++) expect((await deliver(port, { bytes: sized(body), quietMs: 300 }, good)).text).toContain(good);
    expect((await Promise.all(silent)).every(({ text }) => text === "")).toBe(true);
  });
});
