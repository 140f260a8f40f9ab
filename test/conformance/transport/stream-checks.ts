// Bodies that come piece by piece: event streams.

import { deepStrictEqual, match, ok, strictEqual } from "node:assert";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { ServerKernel } from "../../../adapters/server/index.ts";
import type { KernelEndpoint, Outlet, OutletListener } from "../../../core/transport.ts";
import { type Check, query } from "./kit.ts";
import { graceMs, inTime, until } from "./socket-checks.ts";
import { waitFor } from "./time-limit.ts";

const events = { accept: "text/event-stream", "content-type": "application/json", "accept-encoding": "gzip, br" };

export const streamChecks: readonly Check[] = [
  {
    id: "stream.events",
    level: "MUST",
    title: "an operation whose client asks for events gets its result and its end as events, unpacked and not to be cached",
    why: "Clients of event streams would get nothing until the stream ends, or what a proxy has kept.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const asked = query("{ queryMill(order: {asc: name}) { name power } }");
      const response = await begun(url, { headers: events, body: String(asked.body) });
      const { "content-type": type, "cache-control": cache, "content-encoding": packed, "content-length": length } = response.headers;
      deepStrictEqual([response.statusCode, type, cache, packed, length], [200, "text/event-stream", "no-cache", undefined, undefined]);
      const { body } = await bench.kernel.execute({ query: "{ queryMill(order: {asc: name}) { name power } }" });
      strictEqual(await whole(response), `:\n\nevent: next\ndata: ${body}\n\nevent: complete\ndata:\n\n`);
    },
  },
  {
    id: "stream.pieces",
    level: "MUST",
    title: "the head arrives before the first piece, each piece when it is sent, and the end last; the connection stays open",
    why: "A result would come only when the next one does.",
    run: async (bench) => {
      const streams: Outlet[] = [];
      const { url } = await bench.listen(streaming(bench.kernel, { opened: (outlet) => void streams.push(outlet) }));
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ports: (number | undefined)[] = [];
      for (let round = 0; round < 2; round++) {
        const response = await begun(url, { agent });
        ports.push(response.socket.localPort);
        await until(() => streams.length > round);
        const [outlet] = streams.slice(round);
        for (const piece of ["one ", "Möwe 🕊 ", "three"]) {
          outlet?.send(piece);
          const [chunk] = await once(response, "data");
          strictEqual(String(chunk), piece);
        }
        outlet?.end();
        outlet?.send("too late");
        outlet?.end();
        await once(response.resume(), "end");
      }
      agent.destroy();
      strictEqual(new Set(ports).size, 1);
    },
  },
  {
    id: "stream.gone",
    level: "MUST",
    title: "a client that disconnects is reported once; what is sent to it afterwards is ignored",
    why: "Subscriptions of clients that are gone would run for good.",
    run: async (bench) => {
      let outlet: Outlet | undefined;
      const opened = (each: Outlet) => {
        outlet = each;
      };
      let closed = 0;
      const { url } = await bench.listen(streaming(bench.kernel, { opened, closed: () => void closed++ }));
      const response = await begun(url);
      await until(() => outlet !== undefined);
      response.destroy();
      await until(() => closed === 1);
      outlet?.send("to nobody");
      outlet?.end();
      await new Promise((resolve) => setTimeout(resolve, 20));
      strictEqual(closed, 1);
    },
  },
  {
    id: "stream.waiting",
    level: "MUST",
    title: "the kernel learns how many bytes a client has not taken, and when it has taken them; nothing is lost",
    why: "A slow client would fill the memory of the server, or miss results.",
    run: async (bench) => {
      let outlet: Outlet | undefined;
      const opened = (each: Outlet) => {
        outlet = each;
      };
      let drained = 0;
      const { url } = await bench.listen(streaming(bench.kernel, { opened, drained: () => void drained++ }));
      const response = await begun(url);
      response.pause();
      await until(() => outlet !== undefined);
      const piece = "x".repeat(100_000);
      let sent = 0;
      do {
        outlet?.send(piece);
        sent++;
        await new Promise((resolve) => setTimeout(resolve, 1));
      } while (outlet?.waiting === 0 && sent < 1_000);
      ok((outlet?.waiting ?? 0) > 0, `expected bytes that wait after ${sent} pieces of 100 kB to a client that takes none, found ${outlet?.waiting}`);
      const before = drained;
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
      });
      response.resume();
      await until(() => drained > before && outlet?.waiting === 0 && bytes === sent * piece.length);
      response.destroy();
    },
  },
  {
    id: "close.streams",
    level: "MUST",
    title: "closing reports each stream to the kernel, lets it send its last event, and waits for it",
    why: "Clients would see a broken stream, and not that the server is going.",
    run: async (bench) => {
      const endpoint = streaming(bench.kernel, {
        leaving: (outlet) => {
          outlet.send("goodbye");
          outlet.end();
        },
      });
      const listening = await bench.listen(endpoint);
      const responses = await Promise.all(Array.from({ length: 20 }, () => begun(listening.url)));
      const bodies = Promise.all(responses.map(whole));
      const start = performance.now();
      await listening.close(graceMs);
      inTime(start, graceMs / 2);
      deepStrictEqual(new Set(await bodies), new Set(["goodbye"]));
    },
  },
  {
    id: "close.stubborn-streams",
    level: "MUST",
    title: "closing cuts streams that do not end in the grace time",
    why: "One client could keep a server from stopping.",
    run: async (bench) => {
      let closed = 0;
      const listening = await bench.listen(streaming(bench.kernel, { closed: () => void closed++ }));
      const response = await begun(listening.url);
      const cut = new Promise((resolve) => response.on("error", resolve));
      const start = performance.now();
      await Promise.all([listening.close(100), cut]);
      inTime(start, 10_000);
      await until(() => closed === 1);
    },
  },
  {
    id: "stream.many",
    level: "MUST",
    title: "two hundred streams, ended by either side, leave nothing behind",
    why: "A server would run out of memory or descriptors in days.",
    heavy: true,
    run: async (bench) => {
      const { url } = await bench.listen();
      for (let round = 0; round < 10; round++) {
        await Promise.all(
          Array.from({ length: 20 }, async (_none, i) => {
            const response = await begun(url, { headers: events, body: String(query("{ queryMill { name } }").body) });
            if (i % 2 === 0) match(await whole(response), /event: complete/);
            else response.destroy();
          }),
        );
      }
      await until(() => bench.kernel.gauges.read().liveClients === 0);
    },
  },
];

interface Streaming {
  readonly opened?: (outlet: Outlet) => void;
  readonly drained?: () => void;
  readonly leaving?: (outlet: Outlet) => void;
  readonly closed?: () => void;
}

/** A endpoint behind which every answer comes piece by piece. */
function streaming(kernel: ServerKernel, { opened, drained, leaving, closed }: Streaming = {}): KernelEndpoint {
  const stream = (outlet: Outlet): OutletListener => {
    opened?.(outlet);
    return { drained: () => drained?.(), leaving: () => leaving?.(outlet), closed: () => closed?.() };
  };
  return {
    maxBodyBytes: kernel.maxBodyBytes,
    http: () => ({ status: 200, headers: { "content-type": "text/event-stream" }, body: "", stream }),
    bodyTooLarge: (each) => kernel.bodyTooLarge(each),
    upgrade: (each) => kernel.upgrade(each),
  };
}

interface Begin {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
}

/** A response whose head is there. */
async function begun(url: string, { headers = {}, body = "", agent }: Begin = {}): Promise<IncomingMessage> {
  const sent = request(new URL("/graphql", url), { method: "POST", headers, agent: agent ?? false });
  sent.end(body);
  waitFor("the head of the streamed answer to POST /graphql");
  const [response] = await once(sent, "response");
  return response;
}

async function whole(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}
