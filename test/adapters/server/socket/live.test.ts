// Live results end to end, over the wire: who gets which, until when, and what a client that comes back has missed.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { Listening } from "../../../../core/transport.ts";
import { handshake, opcodes, type RawSocket } from "../../../conformance/transport/raw-socket.ts";
import { signed } from "../../../plugins/auth/token.ts";
import { compatibleKernel, type TemporaryKernel } from "../../../support/kernel.ts";

const secret = "the-harbour-secret-0123456789abcdef";
const schema = `type Log @withSubscription @auth(query: { rule: "query($USER: String!) { queryLog(filter: {user: {eq: $USER}}) { id } }" }) {
  id: ID!  key: String! @id  user: String @search(by: [hash])  text: String
}
type Boat @withSubscription { name: String! @id  log: String }
# Service.Authorization {"Header":"X-Sea-Token","Namespace":"https://sea.example","VerificationKey":"${secret}","Algo":"HS256"}`;

const token = (user: string, endsAt?: number) =>
  signed({ alg: "HS256", typ: "JWT" }, { USER: user, ...(endsAt !== undefined && { exp: endsAt / 1_000 }) }, secret);
/** Time enough to connect and to get a first result on a machine that is busy with other things. */
const soon = () => Date.now() + 3_000;
const logs = "subscription { queryLog(order: {asc: key}) { key text } }";
const names = "subscription { queryBoat(order: {asc: name}) { name } }";

const dialects = {
  legacy: { protocol: "graphql-ws", begin: "start", result: "data", stop: "stop" },
  modern: { protocol: "graphql-transport-ws", begin: "subscribe", result: "next", stop: "complete" },
} as const;

const tokenExpired = [
  { message: "The token of this subscription has expired. Subscribe again with a new one.", extensions: { code: "SUBSCRIPTION_EXPIRED" } },
];

const transports = { ws: wsTransport, yoga: yogaTransport };

describe.each(Object.entries(transports))("on %s", (_transport, transport) => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeEach(async () => {
    stack = await compatibleKernel({ limits: { liveKeepAliveMs: 0 } });
    await stack.kernel.deploy(schema);
    await write('addLog(input: [{key: "1", user: "ann", text: "out"}, {key: "2", user: "bo", text: "in"}]) { numUids }', token("ann"));
    await write('addBoat(input: [{name: "Ketch"}]) { numUids }');
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    await server.close(1_000);
    await stack.remove();
  });

  async function write(mutation: string, as?: string): Promise<void> {
    const headers = as === undefined ? {} : { "x-sea-token": as };
    const { body } = await stack.kernel.execute({ query: `mutation { ${mutation} }`, headers });
    expect(JSON.parse(body).errors).toBeUndefined();
  }

  async function connected({ protocol }: { readonly protocol: string }, parameters: object = {}): Promise<RawSocket> {
    const client = await handshake(server.url, { headers: { "sec-websocket-protocol": protocol } });
    client.send(JSON.stringify({ type: "connection_init", payload: parameters }));
    expect(await heard(client)).toEqual({ type: "connection_ack" });
    return client;
  }

  async function heard(client: RawSocket): Promise<Record<string, unknown>> {
    return JSON.parse(await client.text());
  }

  /** The next frame after `ms` without one. */
  async function silent(client: RawSocket, ms: number): Promise<void> {
    const none = Symbol();
    const frame = await Promise.race([client.frame(), new Promise((resolve) => setTimeout(resolve, ms, none))]);
    expect(frame).toBe(none);
  }

  describe.each(Object.entries(dialects))("the %s dialect", (name, dialect) => {
    const { begin, result } = dialect;
    // The older dialect ends as it was recorded.
    const expired = name === "legacy" ? { type: "complete" } : { type: "error", payload: tokenExpired };
    const ask = (client: RawSocket, id: string, query: string, more: object = {}) =>
      client.send(JSON.stringify({ type: begin, id, payload: { query, ...more } }));

    /** Has had its first result. Where the token expires before that, since the machine is busy, the next one lasts twice as long. */
    async function subscribedForShort(lastsMs = 400): Promise<{ readonly client: RawSocket; readonly endsAt: number }> {
      const endsAt = Date.now() + lastsMs;
      const client = await connected(dialect, { "x-sea-token": token("ann", endsAt) });
      ask(client, "1", logs);
      const first = await heard(client);
      if (first.type === result || lastsMs > 10_000) {
        expect(first).toMatchObject({ type: result, id: "1" });
        return { client, endsAt };
      }
      client.drop();
      return subscribedForShort(lastsMs * 2);
    }

    it("sends a change only to callers that may see it", async () => {
      const ann = await connected(dialect, { "x-sea-token": token("ann") });
      const bo = await connected(dialect, { "X-Sea-Token": `Bearer ${token("bo")}` });
      for (const each of [ann, bo]) ask(each, "1", logs);
      expect(await heard(ann)).toMatchObject({ type: result, payload: { data: { queryLog: [{ key: "1", text: "out" }] } } });
      expect(await heard(bo)).toMatchObject({ type: result, payload: { data: { queryLog: [{ key: "2", text: "in" }] } } });
      await write('updateLog(input: {filter: {key: {eq: "1"}}, set: {text: "home"}}) { numUids }', token("ann"));
      expect(await heard(ann)).toMatchObject({ type: result, payload: { data: { queryLog: [{ key: "1", text: "home" }] } } });
      await silent(bo, 200);
      for (const each of [ann, bo]) each.drop();
    });

    it("ends a subscription when its token expires; the connection and other operations stay", async () => {
      const { client, endsAt } = await subscribedForShort();
      expect(await heard(client)).toEqual({ ...expired, id: "1" });
      // Nothing else happens here that could end it.
      expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
      await write('updateLog(input: {filter: {key: {eq: "1"}}, set: {text: "lost"}}) { numUids }', token("ann"));
      ask(client, "2", logs);
      expect(JSON.stringify(await heard(client))).toMatch(/"type":"error".*token is expired/);
      client.drop();
    });

    it("continues after a deploy; what the new schema does not allow ends with its errors", async () => {
      const client = await connected(dialect);
      ask(client, "1", names);
      ask(client, "2", logs);
      for (let i = 0; i < 2; i++) expect(await heard(client)).toMatchObject({ type: result });
      await stack.kernel.deploy(schema.replace("type Log @withSubscription", "type Log"));
      const frame = await heard(client);
      expect(frame).toMatchObject({ type: "error", id: "2" });
      expect(JSON.stringify(frame.payload)).toContain("Cannot query field");
      if (name === "legacy") expect(await heard(client)).toEqual({ type: "complete", id: "2" });
      await write('addBoat(input: [{name: "Yawl"}]) { numUids }');
      expect(await heard(client)).toMatchObject({ type: result, id: "1", payload: { data: { queryBoat: [{ name: "Ketch" }, { name: "Yawl" }] } } });
      client.drop();
    });

    it("sends a client that resumes a result only if the data have changed", async () => {
      const first = await connected(dialect);
      ask(first, "1", names);
      const { payload } = await heard(first);
      const { resume } = (payload as { extensions: { resume: string } }).extensions;
      first.drop();
      const second = await connected(dialect);
      ask(second, "1", names, { extensions: { resume } });
      await new Promise((resolve) => setTimeout(resolve, 150));
      await write('addBoat(input: [{name: "Yawl"}]) { numUids }');
      // Nothing came before the change.
      expect(await heard(second)).toMatchObject({ type: result, payload: { data: { queryBoat: [{ name: "Ketch" }, { name: "Yawl" }] } } });
      second.drop();
      const third = await connected(dialect);
      ask(third, "1", names, { extensions: { resume } });
      expect(await heard(third)).toMatchObject({ type: result, payload: { data: { queryBoat: [{ name: "Ketch" }, { name: "Yawl" }] } } });
      third.drop();
    });

    it("sends a stalled client the newest state when it reads again, and delays no other client", async () => {
      const long = ["Ark", "Barge", "Coble"].map((name) => `{name: "${name}", log: "${"x".repeat(999_000)}"}`);
      await write(`addBoat(input: [${long.join(", ")}]) { numUids }`);
      const slow = await connected(dialect);
      const quick = await connected(dialect);
      for (const each of [slow, quick]) ask(each, "1", "subscription { queryBoat(order: {asc: name}) { name log } }");
      for (const each of [slow, quick]) expect(await heard(each)).toMatchObject({ type: result });
      slow.socket.pause();
      const writes = 20;
      let seen = "";
      for (let i = 10; i < 10 + writes; i++) {
        await write(`addBoat(input: [{name: "Boat ${i}"}]) { numUids }`);
        while (!seen.includes(`Boat ${i}`)) seen = await quick.text();
      }
      slow.socket.resume();
      // What the system's buffers hold between here and there, and then the newest: how much they hold is the system's affair, all changes it is not.
      let results = 0;
      for (let text = ""; !text.includes(`Boat ${9 + writes}`); results++) text = await slow.text();
      expect(results).toBeLessThan(writes);
      for (const each of [slow, quick]) each.drop();
    });

    it("sends no end when the server stops under load, and closes with 1012", async () => {
      const clients = await Promise.all(Array.from({ length: 50 }, () => connected(dialect)));
      for (const each of clients) for (const id of ["1", "2"]) ask(each, id, names);
      for (const each of clients) for (let i = 0; i < 2; i++) expect(await heard(each)).toMatchObject({ type: result });
      let writing = true;
      const writes = (async () => {
        for (let i = 0; writing; i++) await write(`addBoat(input: [{name: "Boat ${i}"}]) { numUids }`);
      })();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const closing = server.close(60_000);
      for (const each of clients) {
        let frame = await each.frame();
        for (; frame?.opcode === opcodes.text; frame = await each.frame()) expect(JSON.parse(frame.payload.toString()).type).toBe(result);
        expect(frame?.payload.readUInt16BE(0)).toBe(1012);
        each.drop();
      }
      await closing;
      writing = false;
      await writes;
    });
  });

  describe("event streams", () => {
    const events = { accept: "text/event-stream", "content-type": "application/json" };

    async function open(query: string, headers: Readonly<Record<string, string>> = {}) {
      const response = await fetch(`${server.url}/graphql`, { method: "POST", headers: { ...events, ...headers }, body: JSON.stringify({ query }) });
      const reader = response.body?.getReader();
      let text = "";
      return {
        async until(part: string): Promise<string> {
          while (!text.includes(part)) {
            const piece = await reader?.read();
            if (piece === undefined || piece.done) throw new Error(`It ended before ${part} came: ${text}`);
            text += Buffer.from(piece.value).toString();
          }
          return text;
        },
        close: () => reader?.cancel(),
      };
    }

    it("end with an error when the token expires", async () => {
      const stream = await open(logs, { "x-sea-token": token("ann", soon()) });
      await stream.until("event: next");
      const text = await stream.until("event: complete");
      expect(text.match(/event: next/g)).toHaveLength(2);
      expect(text).toContain(`data: {"errors":${JSON.stringify(tokenExpired)}}`);
    });

    it("resume from the Last-Event-ID of a browser", async () => {
      const first = await open(names);
      const [, id = ""] = /\nid: (\S+)\n/.exec(await first.until("Ketch")) ?? [];
      expect(id).not.toBe("");
      await first.close();
      const second = await open(names, { "last-event-id": id });
      await new Promise((resolve) => setTimeout(resolve, 150));
      await write('addBoat(input: [{name: "Yawl"}]) { numUids }');
      expect((await second.until("Yawl")).match(/event: next/g)).toHaveLength(1);
      await second.close();
      const third = await open(names, { "last-event-id": id });
      await third.until("Yawl");
      await third.close();
    });

    it("end without `complete` when the server stops", async () => {
      const streams = await Promise.all(Array.from({ length: 20 }, () => open(names)));
      for (const each of streams) await each.until("event: next");
      const closing = server.close(60_000);
      for (const each of streams) await expect(each.until("complete")).rejects.toThrow("It ended before complete came");
      await closing;
    });

    it("continue after a deploy, or end with errors when the new schema does not allow them", async () => {
      const [stays, ends] = [await open(names), await open(logs)];
      for (const each of [stays, ends]) await each.until("event: next");
      await stack.kernel.deploy(schema.replace("type Log @withSubscription", "type Log"));
      expect(await ends.until("event: complete")).toContain("Cannot query field");
      await write('addBoat(input: [{name: "Yawl"}]) { numUids }');
      await stays.until("Yawl");
      await stays.close();
    });

    it("are refused with 503 while draining, so that clients retry", async () => {
      const ask = () => fetch(`${server.url}/graphql`, { method: "POST", headers: events, body: JSON.stringify({ query: names }) });
      stack.kernel.setDraining(true);
      const response = await ask();
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("draining")]);
      stack.kernel.setDraining(false);
      const stream = await open(names);
      await stream.until("Ketch");
      await stream.close();
    });
  });
});
