// Requests, handshakes and messages that arrive together begin in several turns of the event loop, callers one after the other.

import { once } from "node:events";
import { connect, type Socket as NetSocket } from "node:net";
import { performance } from "node:perf_hooks";
import { setImmediate as iteration } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { listenHttp } from "../../../adapters/node-http/index.ts";
import { Starts } from "../../../adapters/node-http/starts.ts";
import type { HttpRequest, HttpResponse, KernelEndpoint, SocketAcceptance } from "../../../core/transport.ts";

/** Longer than a turn. */
const busyMs = 8;

function beBusy(): void {
  for (const begun = performance.now(); performance.now() - begun < busyMs; );
}

/** Works for more than a turn for each request, handshake and message, and notes in which turn of the event loop. */
class BusyEndpoint implements KernelEndpoint {
  readonly maxBodyBytes = 100_000;
  readonly turns: number[] = [];
  readonly seen: string[] = [];

  http({ url, headers }: HttpRequest): HttpResponse {
    this.#work(`${headers["x-caller"] ?? ""}${url}`);
    return { status: 200, headers: {}, body: "done" };
  }
  upgrade(): SocketAcceptance {
    this.#work("upgrade");
    const nothing = () => undefined;
    return {
      protocol: undefined,
      maxMessageBytes: 1_000,
      open: () => ({ message: (text) => this.#work(text), pong: nothing, drained: nothing, leaving: nothing, closed: nothing }),
    };
  }
  bodyTooLarge(): HttpResponse {
    return { status: 413, headers: {}, body: "" };
  }
  callerOf({ headers }: Omit<HttpRequest, "body">): string | undefined {
    return headers["x-caller"];
  }

  #work(what: string): void {
    this.seen.push(what);
    this.turns.push(performance.nodeTiming.uvMetricsInfo.loopCount);
    beBusy();
  }
}

async function served() {
  const endpoint = new BusyEndpoint();
  const server = await listenHttp(endpoint, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close(0));
  return { endpoint, url: server.url };
}

async function connected(url: string): Promise<NetSocket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** One may begin as it arrives, and the first that waits at the end of the same turn. */
function mostInOneTurn(turns: readonly number[]): number {
  return Math.max(...turns.map((turn) => turns.filter((each) => each === turn).length));
}

const get = (path: string, caller: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-caller: ${caller}\r\n\r\n`;

describe("what arrives together", () => {
  it("begins in turns, as many as it takes: requests of many connections", async () => {
    const { endpoint, url } = await served();
    const sockets = await Promise.all(Array.from({ length: 12 }, () => connected(url)));
    for (const socket of sockets) socket.write(get("/", "a"));
    while (endpoint.turns.length < 12) await iteration();
    expect(mostInOneTurn(endpoint.turns)).toBeLessThanOrEqual(2);
  });

  it("begins in turns: handshakes and messages of WebSockets, whose order stays", async () => {
    const { endpoint, url } = await served();
    const sockets = Array.from({ length: 6 }, () => new WebSocket(url.replace("http", "ws")));
    onTestFinished(() => {
      for (const socket of sockets) socket.terminate();
    });
    await Promise.all(sockets.map((socket) => once(socket, "open")));
    expect(mostInOneTurn(endpoint.turns)).toBeLessThanOrEqual(2);
    for (const [s, socket] of sockets.entries()) for (const m of [0, 1, 2]) socket.send(`${s} ${m}`);
    while (endpoint.turns.length < 24) await iteration();
    expect(mostInOneTurn(endpoint.turns.slice(6))).toBeLessThanOrEqual(2);
    for (const s of sockets.keys()) {
      expect(endpoint.seen.filter((each) => each.startsWith(`${s} `))).toEqual([0, 1, 2].map((m) => `${s} ${m}`));
    }
  });
});

describe("what waits to begin", () => {
  interface Named {
    readonly name: string;
    readonly starts: Starts;
    readonly begun: string[];
  }
  const add = ({ name, starts, begun }: Named) =>
    starts.add({
      caller: () => name.slice(0, 1),
      begin: () => {
        begun.push(name);
        beBusy();
      },
    });

  it("is taken one caller after the other: a crowd waits for itself", async () => {
    const starts = new Starts();
    const begun: string[] = [];
    for (const name of ["a0", "a1", "a2", "a3", "b0", "c0", "b1"]) add({ name, starts, begun });
    expect([begun, starts.waiting]).toEqual([["a0"], 6]);
    while (starts.waiting > 0) await iteration();
    expect(begun).toEqual(["a0", "a1", "b0", "c0", "a2", "b1", "a3"]);
  });

  it("begins at once where the turn has just begun", async () => {
    const starts = new Starts();
    const begun: string[] = [];
    add({ name: "a0", starts, begun });
    await iteration();
    await iteration();
    add({ name: "a1", starts, begun });
    expect([begun, starts.waiting]).toEqual([["a0", "a1"], 0]);
  });

  it("waits while connections are accepted, for so many turns and no longer", async () => {
    const starts = new Starts();
    const begun: string[] = [];
    starts.accepted();
    add({ name: "a0", starts, begun });
    let turns = 0;
    for (; starts.waiting > 0; turns++) {
      starts.accepted();
      await iteration();
    }
    expect(begun).toEqual(["a0"]);
    expect(turns).toBeGreaterThan(100);
    expect(turns).toBeLessThan(150);
  });

  it("begins in the turn after the last connection was accepted", async () => {
    const starts = new Starts();
    const begun: string[] = [];
    starts.accepted();
    add({ name: "a0", starts, begun });
    for (let turn = 0; turn < 3; turn++) await iteration();
    expect([begun, starts.waiting]).toEqual([["a0"], 0]);
  });
});

describe("a request", () => {
  it("passes the handshakes of a crowd at the same address", async () => {
    const { endpoint, url } = await served();
    const sockets = await Promise.all(Array.from({ length: 13 }, () => connected(url)));
    const handshake = `GET /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${"a".repeat(22)}==\r\n\r\n`;
    for (const socket of sockets.slice(1)) socket.write(handshake);
    sockets[0]?.write("GET /asked HTTP/1.1\r\nhost: localhost\r\n\r\n");
    while (endpoint.seen.length < 13) await iteration();
    expect(endpoint.seen.indexOf("/asked")).toBeLessThan(6);
  });
});
