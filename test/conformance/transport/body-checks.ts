// Bodies: in pieces, at the limit, beyond it, and left in the middle.

import { match, ok, strictEqual } from "node:assert";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { ask, type Check, maxBodyBytes, query, watched } from "./kit.ts";

const json = { "content-type": "application/json" };

/** A query of exactly `bytes` bytes. */
function sized(bytes: number): string {
  const frame = '{"query":"{ __typename } #"}';
  return frame.replace("#", `#${"x".repeat(bytes - frame.length)}`);
}

export const bodyChecks: readonly Check[] = [
  {
    id: "body.pieces",
    level: "MUST",
    title: "a body in pieces that part a character is whole again",
    why: "A name with a letter beyond ASCII would be stored broken.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const whole = Buffer.from(JSON.stringify({ query: "{ __typename } # 🕊" }));
      const dove = whole.indexOf(Buffer.from("🕊"));
      const reply = await chunked(url, [whole.subarray(0, dove + 1), whole.subarray(dove + 1, dove + 3), whole.subarray(dove + 3)]);
      strictEqual(reply, '{"data":{"__typename":"Query"}}');
    },
  },
  {
    id: "body.at-limit",
    level: "MUST",
    title: "a body of the allowed size is taken, one of a byte more is not, announced or in pieces",
    why: "Bodies of any length would fill the memory; a body that is allowed would be lost.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const most = await ask(url, { headers: json, body: sized(maxBodyBytes) });
      match(most.body.toString(), /"__typename":"Query"/);
      const more = await ask(url, { headers: json, body: sized(maxBodyBytes + 1) });
      match(more.body.toString(), /larger than 65536 bytes/);
      match(await chunked(url, [sized(maxBodyBytes + 1).slice(0, 9), sized(maxBodyBytes + 1).slice(9)]), /larger than 65536 bytes/);
    },
  },
  {
    id: "body.limit-of-request",
    level: "SHOULD",
    title: "a request whose own limit is above that of all may send as much, and no more",
    why: "An administrator could not send what the server takes from administrators.",
    run: async (bench) => {
      const { url } = await bench.listen({
        ...watched(bench.kernel, () => undefined),
        http: ({ body }) => ({ status: 200, headers: {}, body: `took ${body.byteLength}` }),
        bodyLimit: ({ headers }) => (headers["x-more"] === "yes" ? 2 * maxBodyBytes : maxBodyBytes),
      });
      const headers = { ...json, "x-more": "yes" };
      match((await ask(url, { headers, body: sized(2 * maxBodyBytes) })).body.toString(), /took 131072/);
      match((await ask(url, { headers, body: sized(2 * maxBodyBytes + 1) })).body.toString(), /larger than 65536 bytes/);
      match((await ask(url, { headers: json, body: sized(maxBodyBytes + 1) })).body.toString(), /larger than 65536 bytes/);
    },
  },
  {
    id: "body.too-large-status",
    level: "MUST",
    title: "the answer to a body that is too long is the kernel's, for its path",
    why: "A client that reads status codes would take a refusal for success.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const headers = { ...json, accept: "application/graphql-response+json" };
      strictEqual((await ask(url, { headers, body: sized(maxBodyBytes + 1) })).status, 413);
      strictEqual((await ask(url, { target: "/admin/schema", body: sized(maxBodyBytes + 1) })).status, 413);
      strictEqual((await ask(url, { target: "/nothing", body: sized(maxBodyBytes + 1) })).status, 404);
    },
  },
  {
    id: "body.far-too-large",
    level: "MUST",
    title: "the sender of a body far beyond the limit reads the answer, and the body never reaches the kernel",
    why: "A client that sees a broken connection sends the same body again.",
    run: async (bench) => {
      let reached = 0;
      const { url } = await bench.listen(watched(bench.kernel, () => void reached++));
      const reply = await ask(url, { headers: json, body: sized(64 * maxBodyBytes) });
      match(reply.body.toString(), /larger than 65536 bytes/);
      strictEqual(reached, 0);
    },
  },
  {
    id: "body.expect",
    level: "SHOULD",
    title: "a client that asks before it sends is not asked for a body that is too long",
    why: "A client that asks first would send megabytes for nothing.",
    run: async (bench) => {
      const { url } = await bench.listen();
      let asked = false;
      const headers = { ...json, expect: "100-continue", "content-length": String(maxBodyBytes + 1) };
      const sent = request(new URL("/graphql", url), { method: "POST", agent: false, headers });
      sent.on("continue", () => {
        asked = true;
      });
      sent.flushHeaders();
      const [response] = await once(sent, "response");
      sent.on("error", () => undefined).destroy();
      strictEqual(response.statusCode, 200, `expected the kernel's answer with status 200, found ${response.statusCode}`);
      ok(!asked, "expected no `100 Continue` for a body beyond the limit, found one");
    },
  },
  {
    id: "body.packed-limit",
    level: "MUST",
    title: "a body that unpacks to more than its limit is refused",
    why: "A body of kilobytes would unpack to gigabytes.",
    run: async (bench) => {
      const { gzipSync } = await import("node:zlib");
      const { url } = await bench.listen();
      const reply = await ask(url, { headers: { ...json, "content-encoding": "gzip" }, body: gzipSync(sized(5 * maxBodyBytes)) });
      match(reply.body.toString(), /unpacks to more than/);
    },
  },
  {
    id: "body.abandoned",
    level: "MUST",
    title: "a body that ends in the middle reaches nobody, and others are served",
    why: "Half a mutation would run.",
    run: async (bench) => {
      let reached = 0;
      const { url } = await bench.listen(watched(bench.kernel, () => void reached++));
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"query"');
      await once(socket, "connect");
      socket.destroy();
      await once(socket, "close");
      strictEqual((await ask(url, query("{ __typename }"))).status, 200);
      strictEqual(reached, 1);
    },
  },
];

/** Sends a body piece by piece, without its length. */
async function chunked(url: string, pieces: readonly (Uint8Array | string)[]): Promise<string> {
  const sent = request(new URL("/graphql", url), { method: "POST", agent: false, headers: json });
  for (const piece of pieces) {
    sent.write(piece);
    await new Promise(setImmediate);
  }
  sent.end();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return text;
}
