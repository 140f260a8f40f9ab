// Frames that go to one WebSocket in one turn of the event loop are written together, unless they are many or the turn is long.

import { Socket as NetSocket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listenHttp } from "../../../adapters/node-http/index.ts";
import type { HttpResponse, KernelEndpoint, Socket, SocketAcceptance } from "../../../core/transport.ts";
import { handshake } from "../../conformance/transport/raw-socket.ts";

/** Runs `work` while the clock stands: how long it takes on this machine does not matter. */
function atOneTime(work: (pass: (ms: number) => void) => void): void {
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  try {
    work((ms) => {
      now += ms;
    });
  } finally {
    clock.mockRestore();
  }
}

/** Answers each message as the spec says. */
class Answering implements KernelEndpoint {
  readonly maxBodyBytes = 100_000;
  drained = 0;
  readonly #answer: (socket: Socket) => void;

  constructor(answer: (socket: Socket) => void) {
    this.#answer = answer;
  }

  http(): HttpResponse {
    return { status: 200, headers: {}, body: "" };
  }
  bodyTooLarge(): HttpResponse {
    return { status: 413, headers: {}, body: "" };
  }
  upgrade(): SocketAcceptance {
    const nothing = () => undefined;
    const drained = () => this.drained++;
    const open = (socket: Socket) => ({ message: () => this.#answer(socket), pong: nothing, drained, leaving: nothing, closed: nothing });
    return { protocol: undefined, maxMessageBytes: 1_000, open };
  }
}

interface Met {
  readonly texts: readonly string[];
  /** Of the server, to its client. */
  readonly writes: number;
  readonly endpoint: Answering;
}

/** What a client of `answer` gets for one message, in how many writes. */
async function met(count: number, answer: (socket: Socket) => void): Promise<Met> {
  const endpoint = new Answering(answer);
  const listening = await listenHttp(endpoint, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => listening.close(0));
  const client = await handshake(listening.url);
  const writes = [vi.spyOn(NetSocket.prototype, "_write"), vi.spyOn(NetSocket.prototype, "_writev")];
  onTestFinished(() => {
    for (const spy of writes) spy.mockRestore();
  });
  client.send("begin");
  const texts: string[] = [];
  while (texts.length < count) texts.push(await client.text());
  const ofServer = writes
    .flatMap(({ mock }) => mock.contexts)
    .filter((each) => each instanceof NetSocket && each.remotePort === client.socket.localPort);
  client.drop();
  return { texts, writes: ofServer.length, endpoint };
}

describe("frames of one turn", () => {
  it("are written together and in order, and none of them waits for the client meanwhile", async () => {
    const waiting: number[] = [];
    const { texts, writes, endpoint } = await met(3, (socket) =>
      atOneTime(() => {
        for (const text of ["a", "b", "c"]) {
          socket.send(text);
          waiting.push(socket.waiting);
        }
      }),
    );
    expect([texts, writes, waiting]).toEqual([["a", "b", "c"], 1, [0, 0, 0]]);
    await expect.poll(() => endpoint.drained).toBeGreaterThan(0);
  });

  it("wait no longer than a millisecond for one another", async () => {
    const { texts, writes } = await met(4, (socket) =>
      atOneTime((pass) => {
        for (const text of ["a", "b", "c", "d"]) {
          socket.send(text);
          if (text === "a") pass(2);
        }
      }),
    );
    expect([texts, writes]).toEqual([["a", "b", "c", "d"], 2]);
  });

  it("are written at once when they are long, and wait for a client that takes nothing", async () => {
    const long = "x".repeat(100_000);
    let begun = 0;
    const { texts, writes } = await met(3, (socket) =>
      atOneTime(() => {
        socket.send("a");
        socket.send(long);
        begun = socket.waiting;
        socket.send("b");
      }),
    );
    expect([texts, writes, begun]).toEqual([["a", long, "b"], 2, 0]);
    const waiting: number[] = [];
    const endpoint = new Answering((socket) => {
      for (let i = 0; i < 200; i++) socket.send(long);
      waiting.push(socket.waiting);
    });
    const listening = await listenHttp(endpoint, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => listening.close(0));
    const deaf = await handshake(listening.url);
    deaf.socket.pause();
    deaf.send("begin");
    await expect.poll(() => waiting.length).toBe(1);
    expect(waiting[0]).toBeGreaterThan(long.length);
    deaf.drop();
  });

  it("reach a client that is closed in the same turn", async () => {
    const { texts } = await met(2, (socket) => {
      socket.send("a");
      socket.send("b");
      socket.close(1000, "done");
    });
    expect(texts).toEqual(["a", "b"]);
  });
});
