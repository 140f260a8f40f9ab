// WebSockets: opened, carried whole, bounded, and ended in order.

import { deepStrictEqual, match, ok, strictEqual } from "node:assert";
import { once } from "node:events";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { ServerKernel } from "../../../adapters/server/index.ts";
import type { HttpRequest, KernelEndpoint, Socket } from "../../../core/transport.ts";
import { ask, type Check, query } from "./kit.ts";
import { frameOf, handshake, opcodes } from "./raw-socket.ts";
import { patienceMs, waitFor } from "./time-limit.ts";

const modern = { "sec-websocket-protocol": "graphql-transport-ws" };
const names = "{ queryMill(order: {asc: name}) { id name power } }";
const maxMessageBytes = 65_536;
/** Much longer than any end in order takes. */
export const graceMs = 60_000;

export const socketChecks: readonly Check[] = [
  {
    id: "socket.query",
    level: "MUST",
    title: "a query over a WebSocket is answered as over HTTP, to the byte",
    why: "Clients on WebSockets would see other data than those on HTTP.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const client = await handshake(url, { headers: modern });
      strictEqual(client.status, 101);
      strictEqual(client.header("sec-websocket-protocol"), "graphql-transport-ws");
      client.send('{"type":"connection_init"}');
      client.send(JSON.stringify({ type: "subscribe", id: "ü", payload: { query: names } }));
      strictEqual(await client.text(), '{"type":"connection_ack"}');
      const { body } = await ask(url, query(names));
      strictEqual(await client.text(), `{"type":"next","id":"ü","payload":${body}}`);
      strictEqual(await client.text(), '{"type":"complete","id":"ü"}');
      client.drop();
    },
  },
  {
    id: "socket.dialects",
    level: "MUST",
    title: "the subprotocol is the kernel's choice; without an offer none is named; an unknown one is closed with 4406",
    why: "A client that hears a dialect it does not speak hangs or drops the connection.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const choices = [
        ["graphql-ws", "graphql-ws"],
        ["subscription-transport-ws", "subscription-transport-ws"],
        ["mqtt, graphql-transport-ws, graphql-ws", "graphql-transport-ws"],
      ];
      for (const [offered = "", chosen] of choices) {
        const client = await handshake(url, { headers: { "sec-websocket-protocol": offered } });
        strictEqual(client.header("sec-websocket-protocol"), chosen);
        client.send('{"type":"connection_init"}');
        strictEqual(await client.text(), '{"type":"connection_ack"}');
        client.drop();
      }
      const silent = await handshake(url);
      deepStrictEqual([silent.status, silent.header("sec-websocket-protocol")], [101, undefined]);
      silent.send('{"type":"ka"}');
      strictEqual(await silent.text(), '{"type":"ka"}');
      silent.drop();
      const foreign = await handshake(url, { headers: { "sec-websocket-protocol": "mqtt" } });
      deepStrictEqual([foreign.status, foreign.header("sec-websocket-protocol")], [101, undefined]);
      strictEqual(await foreign.closeCode(), 4406);
      foreign.drop();
    },
  },
  {
    id: "socket.asked",
    level: "MUST",
    title: "the kernel is asked with the target, the headers and the address of the request",
    why: "Origins and addresses decide who may connect.",
    run: async (bench) => {
      const asked: Omit<HttpRequest, "body">[] = [];
      const { url } = await bench.listen(echoing(bench.kernel, { ask: (request) => void asked.push(request) }));
      (await handshake(url, { target: "/graphql?a=%20b", headers: { "X-Mill": "Möwe", origin: "https://mill.example" } })).drop();
      deepStrictEqual(
        asked.map(({ method, url: target, headers, remoteAddress }) => [
          method,
          target,
          headers.origin,
          headers.upgrade,
          remoteAddress?.includes("127.0.0.1"),
        ]),
        [["GET", "/graphql?a=%20b", "https://mill.example", "websocket", true]],
      );
      ok(asked[0]?.headers["x-mill"] !== undefined, `expected the header x-mill, found ${Object.keys(asked[0]?.headers ?? {}).join(", ")}`);
    },
  },
  {
    id: "socket.refused",
    level: "MUST",
    title: "an upgrade that is refused gets the kernel's answer, and the connection ends",
    why: "A client would wait for an answer for good, or not learn why it is refused.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const nothing = await handshake(url, { target: "/nothing" });
      strictEqual(nothing.status, 404);
      await nothing.ended();
      strictEqual(nothing.rest, "404 page not found\n");
      bench.kernel.setDraining(true);
      const drained = await handshake(url);
      strictEqual(drained.status, 503);
      await drained.ended();
      match(drained.rest, /^\{"errors":\[.*draining/);
      strictEqual(drained.header("content-length"), String(Buffer.byteLength(drained.rest)));
    },
  },
  {
    id: "socket.no-handshake",
    level: "MUST",
    title: "an upgrade that is no handshake of WebSockets is refused, and others are served",
    why: "One broken client would take the server down, or hold a connection.",
    run: async (bench) => {
      const { url } = await bench.listen();
      for (const headers of [{ "sec-websocket-key": "short" }, { "sec-websocket-version": "99" }, { "sec-websocket-protocol": "a,,b" }]) {
        const client = await handshake(url, { headers });
        ok(
          client.status >= 400 && client.status < 500,
          `expected a status from 400 to 499 for ${JSON.stringify(headers)}, found ${client.head || "no answer"}`,
        );
        client.drop();
      }
      strictEqual((await ask(url, query("{ __typename }"))).status, 200);
    },
  },
  {
    id: "socket.other-upgrade",
    level: "MUST",
    title: "a request that asks for another protocol is answered as plain HTTP, with its body, and its connection stays open",
    why: "Java's HTTP clients ask for h2c with each first request; its body would be lost.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const body = '{"query":"{ __typename } # Möwe 🕊"}';
      const headers =
        "host: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n";
      const post = `POST /graphql HTTP/1.1\r\n${headers}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      // The second half of the body comes late; a second such request follows, and a plain one.
      const bytes = Buffer.from(post);
      socket.write(bytes.subarray(0, -9));
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.write(bytes.subarray(-9));
      socket.write(post);
      socket.write("GET /graphql?query=%7Blast:__typename%7D HTTP/1.1\r\nhost: x\r\n\r\n");
      await until(() => text.includes('"last"') || socket.destroyed);
      socket.destroy();
      strictEqual(text.match(/HTTP\/1\.1 200 OK/g)?.length, 3, `expected three answers with status 200, found ${text || "nothing"}`);
      strictEqual(text.match(/"__typename":"Query"/g)?.length, 2, `expected the answers to both POSTs, found ${text}`);
    },
  },
  {
    id: "socket.early",
    level: "MUST",
    title: "what a client sends while the kernel is still asked is not lost",
    why: "A client that does not wait for the answer to its handshake would never be heard.",
    run: async (bench) => {
      const { url } = await bench.listen(echoing(bench.kernel, { ask: () => new Promise((resolve) => setTimeout(resolve, 50)) }));
      const client = await handshake(url, { first: Buffer.concat(["one", "two"].map((each) => frameOf(opcodes.text, Buffer.from(each)))) });
      deepStrictEqual([await client.text(), await client.text()], ["one", "two"]);
      client.drop();
    },
  },
  {
    id: "socket.whole",
    level: "MUST",
    title: "messages come whole: in fragments, in bytes that part a character, between pings, as text or binary, of any size up to the limit",
    why: "Messages in fragments, or of unusual lengths, would be lost or broken.",
    run: async (bench) => {
      const { url } = await bench.listen(echoing(bench.kernel));
      const client = await handshake(url);
      const dove = Buffer.from("a 🕊 b");
      client.bytes(
        Buffer.concat([
          frameOf(opcodes.text, dove.subarray(0, 3), { fin: false }),
          frameOf(opcodes.ping, Buffer.from("p")),
          frameOf(opcodes.continuation, dove.subarray(3, 5), { fin: false }),
          frameOf(opcodes.continuation, dove.subarray(5)),
        ]),
      );
      const [first, second] = [await client.frame(), await client.frame()];
      deepStrictEqual([first?.opcode, first?.payload.toString()], [opcodes.pong, "p"]);
      deepStrictEqual([second?.opcode, second?.payload.toString()], [opcodes.text, "a 🕊 b"]);
      client.bytes(frameOf(opcodes.binary, dove));
      strictEqual(await client.text(), "a 🕊 b");
      for (const bytes of frameOf(opcodes.text, dove)) client.bytes(Buffer.of(bytes));
      strictEqual(await client.text(), "a 🕊 b");
      for (const size of [0, 125, 126, 65_535, 65_536]) {
        client.send("x".repeat(size));
        strictEqual((await client.text()).length, size);
      }
      client.drop();
    },
  },
  {
    id: "socket.too-long",
    level: "MUST",
    title: "a message beyond the limit ends the connection with 1009 and reaches nobody: announced, in fragments, or unpacked",
    why: "One message could fill the memory.",
    heavy: true,
    run: async (bench) => {
      let reached = 0;
      const { url } = await bench.listen(echoing(bench.kernel, { heard: () => void reached++ }));
      const offer = { headers: { "sec-websocket-extensions": "permessage-deflate" } };
      const piece = Buffer.alloc(maxMessageBytes, "x");
      const bomb = deflateRawSync(Buffer.alloc(64 * 2 ** 20, "x"));
      const long = [
        frameOf(opcodes.text, Buffer.alloc(maxMessageBytes + 1, "x")),
        // No more than the head of a frame of four gigabytes.
        Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]),
        Buffer.concat([frameOf(opcodes.text, piece, { fin: false }), frameOf(opcodes.continuation, Buffer.from("x"))]),
        ...(bomb.byteLength <= maxMessageBytes ? [frameOf(opcodes.text, bomb, { rsv1: true })] : []),
      ];
      ok(long.length === 4, "the packed message is short enough to be announced");
      for (const bytes of long) {
        const client = await handshake(url, offer);
        client.bytes(bytes);
        strictEqual(await client.closeCode(), 1009);
        client.drop();
      }
      strictEqual(reached, 0);
    },
  },
  {
    id: "socket.packed",
    level: "MUST",
    title: "long messages are packed for clients that offer it, each for itself; short ones, and those to other clients, are not",
    why: "Clients that pack would not be understood, or answers would take more of the network than they need.",
    run: async (bench) => {
      const { url } = await bench.listen(echoing(bench.kernel));
      const packing = await handshake(url, { headers: { "sec-websocket-extensions": "permessage-deflate; client_max_window_bits" } });
      match(packing.header("sec-websocket-extensions") ?? "", /^permessage-deflate;.*server_no_context_takeover/);
      const text = "Grist 🕊 ".repeat(1_000);
      for (let i = 0; i < 2; i++) {
        packing.bytes(frameOf(opcodes.text, deflateRawSync(Buffer.from(text)), { rsv1: true }));
        const frame = await packing.frame();
        strictEqual(frame?.packed, true);
        // The four bytes that the protocol leaves out.
        strictEqual(inflateRawSync(Buffer.concat([frame.payload, Buffer.from([0, 0, 255, 255])]), { finishFlush: 2 }).toString(), text);
      }
      packing.send("short");
      deepStrictEqual([(await packing.frame())?.packed], [false]);
      packing.drop();
      const plain = await handshake(url);
      strictEqual(plain.header("sec-websocket-extensions"), undefined);
      plain.send(text);
      const frame = await plain.frame();
      deepStrictEqual([frame?.packed, frame?.payload.toString()], [false, text]);
      plain.drop();
    },
  },
  {
    id: "socket.broken-frames",
    level: "MUST",
    title: "frames that break the protocol end their connection with its code and reach nobody; others are served",
    why: "Broken frames of one client would reach the kernel, or others.",
    run: async (bench) => {
      let reached = 0;
      let closed = 0;
      const { url } = await bench.listen(echoing(bench.kernel, { heard: () => void reached++, closed: () => void closed++ }));
      const x = Buffer.from("x");
      const broken: readonly (readonly [number, Buffer])[] = [
        [1002, frameOf(opcodes.text, x, { masked: false })],
        [1002, frameOf(opcodes.text, x, { rsv1: true })],
        [1002, frameOf(3, x)],
        [1002, frameOf(11, x)],
        [1002, frameOf(opcodes.continuation, x)],
        [1002, frameOf(opcodes.ping, Buffer.alloc(126))],
        [1002, frameOf(opcodes.ping, x, { fin: false })],
        [1002, Buffer.concat([frameOf(opcodes.text, x, { fin: false }), frameOf(opcodes.text, x)])],
        [1007, frameOf(opcodes.text, Buffer.from([0xc3, 0x28]))],
        [1007, frameOf(opcodes.text, Buffer.from([0xed, 0xa0, 0x80]))],
      ];
      for (const [code, bytes] of broken) {
        const client = await handshake(url);
        client.bytes(bytes);
        strictEqual(await client.closeCode(), code, bytes.toString("hex"));
        client.drop();
      }
      await until(() => closed === broken.length);
      strictEqual(reached, 0);
      strictEqual((await ask(url, query("{ __typename }"))).status, 200);
    },
  },
  {
    id: "socket.closed-by-client",
    level: "MUST",
    title: "a client that closes is answered, one that vanishes is noticed, and each is reported once",
    why: "Subscriptions of clients that are gone would run for good.",
    run: async (bench) => {
      let closed = 0;
      const { url } = await bench.listen(echoing(bench.kernel, { closed: () => void closed++ }));
      const polite = await handshake(url);
      polite.bytes(frameOf(opcodes.close, Buffer.from([0x03, 0xe8])));
      strictEqual(await polite.closeCode(), 1000);
      await polite.ended();
      await until(() => closed === 1);
      const gone = await handshake(url);
      gone.drop();
      await until(() => closed === 2);
      const half = await handshake(url);
      half.socket.end();
      await half.ended();
      await until(() => closed === 3);
    },
  },
  {
    id: "socket.closed-by-kernel",
    level: "MUST",
    title: "a close comes after what was sent, with its code and reason; what is sent later is ignored; a drop comes without a word",
    why: "A client would not learn why it is sent away, or lose what was sent before.",
    run: async (bench) => {
      const endpoint = echoing(bench.kernel, {
        heard: (text, socket) => {
          if (text === "drop") socket.terminate();
          if (text !== "close") return;
          socket.send("first");
          socket.close(4999, "enough");
          socket.send("too late");
          socket.close(4998, "twice");
        },
      });
      const { url } = await bench.listen(endpoint);
      const client = await handshake(url);
      client.send("close");
      deepStrictEqual([await client.text(), await client.text()], ["close", "first"]);
      const end = await client.frame();
      deepStrictEqual([end?.opcode, end?.payload.readUInt16BE(0), end?.payload.subarray(2).toString()], [opcodes.close, 4999, "enough"]);
      client.bytes(frameOf(opcodes.close, end?.payload ?? Buffer.alloc(0)));
      await client.ended();
      const dropped = await handshake(url);
      dropped.send("drop");
      strictEqual(await dropped.closeCode(), 1006);
    },
  },
  {
    id: "socket.deaf",
    level: "SHOULD",
    title: "a peer that does not answer a close is dropped in a few seconds",
    why: "A peer that answers nothing would hold its connection for good.",
    heavy: true,
    run: async (bench) => {
      let closed = 0;
      const { url } = await bench.listen(echoing(bench.kernel, { heard: (_text, socket) => socket.close(1001, ""), closed: () => void closed++ }));
      const client = await handshake(url);
      client.send("x");
      strictEqual(await client.closeCode(), 1001);
      await client.ended();
      await until(() => closed === 1);
    },
  },
  {
    id: "socket.waiting",
    level: "MUST",
    title: "the kernel learns how many bytes a client has not taken, and when it has taken them; nothing is lost or out of order",
    why: "A slow client would fill the memory of the server, or miss results.",
    run: async (bench) => {
      let sending: Socket | undefined;
      const opened = (socket: Socket) => {
        sending = socket;
      };
      let drained = 0;
      const { url } = await bench.listen(echoing(bench.kernel, { opened, drained: () => void drained++ }));
      const client = await handshake(url);
      client.socket.pause();
      const piece = "x".repeat(100_000);
      let sent = 0;
      while (sending?.waiting === 0 && sent < 1_000) {
        sending.send(`${sent++} ${piece}`);
        await new Promise(setImmediate);
      }
      ok(
        (sending?.waiting ?? 0) > 0,
        `expected bytes that wait after ${sent} messages of 100 kB to a client that takes none, found ${sending?.waiting}`,
      );
      const before = drained;
      sending?.send("last");
      await new Promise((resolve) => setTimeout(resolve, 50));
      strictEqual(drained, before);
      client.socket.resume();
      for (let i = 0; i < sent; i++) strictEqual((await client.text()).slice(0, 10), `${i} ${piece}`.slice(0, 10));
      strictEqual(await client.text(), "last");
      await until(() => sending?.waiting === 0 && drained > before);
      client.drop();
    },
  },
  {
    id: "socket.pings",
    level: "MUST",
    title: "a ping reaches the client, and its answer the kernel",
    why: "Peers that are alive would be dropped as dead.",
    run: async (bench) => {
      let pongs = 0;
      const { url } = await bench.listen(echoing(bench.kernel, { opened: (socket) => socket.ping(), pong: () => void pongs++ }));
      const client = await handshake(url);
      strictEqual((await client.frame())?.opcode, opcodes.ping);
      client.bytes(frameOf(opcodes.pong, Buffer.alloc(0)));
      await until(() => pongs === 1);
      client.drop();
    },
  },
  {
    id: "socket.half-open",
    level: "MUST",
    title: "a peer that is half gone, and answers no ping, is dropped; so is one that never introduces itself",
    why: "Connections of peers that are gone would stay for good.",
    limits: { socketPingMs: 700, socketInitMs: 100 },
    run: async (bench) => {
      const { url } = await bench.listen();
      const silent = await handshake(url, { headers: { "sec-websocket-protocol": "graphql-ws" } });
      const mute = await handshake(url, { headers: modern });
      // Long before it would be dropped for its silence.
      strictEqual(await mute.closeCode(), 4408);
      mute.drop();
      await silent.ended();
      await until(() => bench.kernel.gauges.read().liveClients === 0);
    },
  },
  {
    id: "socket.too-many",
    level: "MUST",
    title: "a client beyond the limit is refused with 503, until another has gone",
    why: "Connections without end would fill the memory.",
    limits: { maxLiveClients: 2 },
    run: async (bench) => {
      const { url } = await bench.listen();
      const [first, second] = [await handshake(url), await handshake(url)];
      strictEqual((await handshake(url)).status, 503);
      first.drop();
      await until(() => bench.kernel.gauges.read().liveClients === 1);
      const third = await handshake(url);
      strictEqual(third.status, 101);
      for (const each of [second, third]) each.drop();
    },
  },
  {
    id: "close.sockets",
    level: "MUST",
    title: "closing reports each WebSocket to the kernel, lets it send its last message, and waits for it",
    why: "Clients would see a broken connection, and not that the server is going.",
    run: async (bench) => {
      const listening = await bench.listen();
      const clients = await Promise.all(Array.from({ length: 20 }, () => handshake(listening.url, { headers: modern })));
      for (const each of clients) each.send('{"type":"connection_init"}');
      for (const each of clients) strictEqual(await each.text(), '{"type":"connection_ack"}');
      const begun = performance.now();
      const closing = listening.close(graceMs);
      for (const each of clients) {
        strictEqual(await each.closeCode(), 1012);
        each.bytes(frameOf(opcodes.close, Buffer.from([0x03, 0xf4])));
      }
      await closing;
      inTime(begun, graceMs / 2);
    },
  },
  {
    id: "close.busy-sockets",
    level: "MUST",
    title: "closing under load: operations that began get their results, then 1012",
    why: "A restart would lose results of operations that began.",
    run: async (bench) => {
      const listening = await bench.listen();
      const clients = await Promise.all(Array.from({ length: 10 }, () => handshake(listening.url, { headers: modern })));
      for (const each of clients) {
        each.send('{"type":"connection_init"}');
        for (let i = 0; i < 20; i++) each.send(JSON.stringify({ type: "subscribe", id: String(i), payload: { query: names } }));
      }
      for (const each of clients) await each.text();
      const closing = listening.close(graceMs);
      for (const each of clients) {
        const types: string[] = [];
        let frame = await each.frame();
        for (; frame?.opcode === opcodes.text; frame = await each.frame()) types.push(JSON.parse(frame.payload.toString()).type);
        strictEqual(frame?.payload.readUInt16BE(0), 1012);
        strictEqual(types.filter((type) => type === "next").length, types.filter((type) => type === "complete").length);
        each.drop();
      }
      await closing;
    },
  },
  {
    id: "close.stubborn-sockets",
    level: "MUST",
    title: "closing cuts WebSockets that do not end in the grace time",
    why: "One client could keep a server from stopping.",
    run: async (bench) => {
      let closed = 0;
      const listening = await bench.listen(echoing(bench.kernel, { closed: () => void closed++ }));
      const client = await handshake(listening.url);
      const begun = performance.now();
      await listening.close(100);
      await client.ended();
      inTime(begun, 10_000);
      await until(() => closed === 1);
    },
  },
  {
    id: "socket.thousand",
    level: "MUST",
    title: "a thousand connections, closed, dropped or cut in the handshake, leave nothing behind",
    why: "A server would run out of memory or descriptors in days.",
    heavy: true,
    run: async (bench) => {
      const { url } = await bench.listen();
      const handles = () => process.getActiveResourcesInfo().filter((each) => each.startsWith("TCP")).length;
      const before = handles();
      const fiveHundred = async () => {
        for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 50 }, (_none, i) => comeAndGo(url, i)));
        // The storage may hold connections of its own, opened as the kernel needs them; what leaks here leaks hundreds.
        await until(() => bench.kernel.gauges.read().liveClients === 0 && handles() < before + 100);
        return usedHeap();
      };
      // The first ones also fill caches and compile code. One that stays takes seven kilobytes.
      const [first, second] = [await fiveHundred(), await fiveHundred()];
      ok(second - first < 3_000_000, `expected less than 3,000,000 bytes more than five hundred connections earlier, found ${second - first}`);
      strictEqual((await ask(url, query("{ __typename }"))).status, 200);
    },
  },
  {
    id: "socket.noise",
    level: "MUST",
    title: "two thousand messages of noise and two hundred connections of random bytes break nothing",
    why: "Anybody could take the server down.",
    heavy: true,
    run: async (bench) => {
      const { url } = await bench.listen();
      const random = randomFrom(20_261_121);
      const client = await handshake(url, { headers: { "sec-websocket-protocol": "graphql-ws" } });
      let answers = 0;
      for (let i = 0; i < 2_000; i++) {
        client.send(noise(random));
        if (i % 100 !== 99) continue;
        client.send('{"type":"ka"}');
        while ((await client.text()) !== '{"type":"ka"}') answers++;
      }
      ok(answers > 500, `expected more than 500 answers to 2,000 messages of noise, found ${answers}`);
      client.drop();
      for (let i = 0; i < 200; i++) {
        const broken = await handshake(url, { headers: modern });
        broken.bytes(Buffer.from(Array.from({ length: 1 + random(200) }, () => random(256))));
        if (random(2) === 0) broken.socket.end();
        else broken.drop();
      }
      await until(() => bench.kernel.gauges.read().liveClients === 0);
      strictEqual((await ask(url, query("{ __typename }"))).status, 200);
    },
  },
];

interface Watching {
  readonly ask?: (request: Omit<HttpRequest, "body">) => Promise<void> | void;
  readonly opened?: (socket: Socket) => void;
  readonly heard?: (text: string, socket: Socket) => void;
  readonly drained?: () => void;
  readonly pong?: () => void;
  readonly closed?: () => void;
}

/** A endpoint behind which every message comes back. */
export function echoing(kernel: ServerKernel, { ask: asked, opened, heard, drained, pong, closed }: Watching = {}): KernelEndpoint {
  return {
    maxBodyBytes: kernel.maxBodyBytes,
    http: (request) => kernel.http(request),
    bodyTooLarge: (request) => kernel.bodyTooLarge(request),
    async upgrade(request) {
      await asked?.(request);
      return {
        protocol: undefined,
        maxMessageBytes,
        open(socket) {
          opened?.(socket);
          return {
            message(text) {
              socket.send(text);
              heard?.(text, socket);
            },
            drained: () => drained?.(),
            pong: () => pong?.(),
            leaving: () => undefined,
            closed: () => closed?.(),
          };
        },
      };
    },
  };
}

async function comeAndGo(url: string, way: number): Promise<void> {
  if (way % 5 === 4) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n");
    await once(socket, "connect");
    socket.destroy();
    return;
  }
  const client = await handshake(url, { headers: way % 2 === 0 ? modern : { "sec-websocket-protocol": "graphql-ws" } });
  client.send('{"type":"connection_init"}');
  client.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query: names } }));
  await client.text();
  if (way % 5 === 0) client.bytes(frameOf(opcodes.close, Buffer.from([0x03, 0xe8])));
  else client.drop();
  if (way % 5 === 0) await client.ended();
}

/** Bytes that are still in use. */
function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

function noise(random: (below: number) => number): string {
  const pick = <T>(values: readonly T[]): T | undefined => values[random(values.length)];
  const types = ["connection_init", "start", "stop", "ping", "complete", "next", "", 5, null];
  const payloads = [undefined, null, {}, [], "x", { query: names }, { query: "{" }, { query: 5 }, { "X-Auth-Token": "\u0000" }];
  const message = JSON.stringify({ type: pick(types), id: pick(["1", "", "ü", 7, null, undefined]), payload: pick(payloads) });
  if (random(3) > 0) return message;
  const at = random(message.length);
  return message.slice(0, at) + String.fromCodePoint(32 + random(500)) + message.slice(at + random(4));
}

/** The same numbers each time: `random(n)` is below n. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What began at `begun` has ended in time. */
export function inTime(begun: number, limitMs: number): void {
  const took = Math.round(performance.now() - begun);
  ok(took < limitMs, `expected it to end in ${limitMs} ms, but it took ${took} ms`);
}

/** Waits for something that nobody announces. */
export async function until(reached: () => boolean): Promise<void> {
  const what = String(reached).replace(/^\(\) => /, "");
  waitFor(what);
  const patience = patienceMs();
  const late = performance.now() + patience;
  while (!reached()) {
    if (performance.now() > late) throw new Error(`Expected ${what}; it was not so after ${Math.round(patience)} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
