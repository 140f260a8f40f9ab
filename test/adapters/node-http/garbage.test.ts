// What requests leave in memory when they are answered.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { listenHttp } from "../../../adapters/node-http/index.ts";
import type { HttpResponse, KernelEndpoint } from "../../../core/transport.ts";

const answer: HttpResponse = { status: 200, headers: {}, body: "done" };

/** Answers at once, except what is asked at `/held`. */
class HoldingEndpoint implements KernelEndpoint {
  readonly maxBodyBytes = 1_024;
  release: (answer: HttpResponse) => void = () => undefined;
  http({ url }: { readonly url: string }) {
    return url === "/held" ? new Promise<HttpResponse>((resolve) => (this.release = resolve)) : answer;
  }
  bodyTooLarge(): HttpResponse {
    return { ...answer, status: 413 };
  }
  upgrade(): HttpResponse {
    return { ...answer, status: 404 };
  }
}

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

function send(socket: Socket, path: string, count = 1): void {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(count));
}

async function answers(socket: Socket, count: number): Promise<void> {
  let seen = 0;
  while (seen < count) {
    const [bytes] = await once(socket, "data");
    seen += String(bytes).split("HTTP/1.1 200").length - 1;
  }
}

/** Frees the young objects that nothing refers to. One that is still in use at two of these becomes old: only a full collection frees it. */
function youngCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new TypeError("this Node has no gc");
  return () => void collect({ type: "minor" });
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_used_size ?? Number.NaN;
}

it("leaves nothing of answered requests to full collections, also after one that took long", async () => {
  const endpoint = new HoldingEndpoint();
  const server = await listenHttp(endpoint, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close(0));
  const [held, other] = [await connected(server.url), await connected(server.url)];
  const collectYoung = youngCollection();
  send(held, "/held");
  send(other, "/");
  await answers(other, 1);
  for (let i = 0; i < 3; i++) collectYoung();
  endpoint.release(answer);
  await answers(held, 1);
  const [rounds, atOnce] = [200, 16];
  const before = oldBytes();
  for (let round = 0; round < rounds; round++) {
    send(other, "/", atOnce);
    await answers(other, atOnce);
    collectYoung();
  }
  // The objects of one request take some 2,500 bytes.
  expect((oldBytes() - before) / (rounds * atOnce)).toBeLessThan(500);
});
