// Sends so many requests, each client the next one when it has its answer, and takes little of the machine for itself: a server that has just started
// shares a core with it.

import { connect, type Socket } from "node:net";

export interface Sending {
  /** Of an endpoint that takes POST. */
  readonly url: string;
  readonly clients: number;
  /** In this order. */
  readonly bodies: readonly string[];
}

/** When each answer came, in milliseconds since the first request, in this order. */
export type Times = readonly number[];

/** @throws for an answer that is no success, or that contains errors */
export async function send({ url, clients, bodies }: Sending): Promise<Times> {
  const { hostname, port, pathname } = new URL(url);
  const texts = bodies.map((body) => requestText(`${hostname}:${port}`, pathname, body));
  const sockets = await Promise.all(Array.from({ length: clients }, () => connected(Number(port), hostname)));
  const began = performance.now();
  const times: number[] = [];
  const left = texts.values();
  const lane = async (socket: Socket) => {
    for (const text of left) {
      await answered(socket, text);
      times.push(performance.now() - began);
    }
  };
  try {
    await Promise.all(sockets.map(lane));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return times;
}

function requestText(host: string, path: string, body: string): string {
  const headers = [`POST ${path} HTTP/1.1`, `host: ${host}`, "content-type: application/json", `content-length: ${Buffer.byteLength(body)}`];
  return `${headers.join("\r\n")}\r\n\r\n${body}`;
}

function connected(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => resolve(socket));
  });
}

function answered(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let got = "";
    const take = (bytes: Buffer) => {
      got += bytes.toString("latin1");
      if (!isWhole(got)) return;
      socket.off("data", take);
      socket.off("close", gone);
      if (got.startsWith("HTTP/1.1 200 ") && !got.includes('"errors"')) resolve();
      else reject(new Error(got.slice(0, 1_000)));
    };
    const gone = () => reject(new Error("the server closed the connection"));
    socket.on("data", take);
    socket.once("close", gone);
    socket.write(text);
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end)) ?? [];
  if (length === undefined) throw new Error(`an answer without its length: ${text.slice(0, end)}`);
  return text.length >= end + 4 + Number(length);
}
