// Requests with `Upgrade`. `node:http` emits them before earlier pipelined requests are answered, and also for protocols that are not
// supported here, such as the `h2c` of Java's clients, which HTTP allows a server to ignore.

import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Calls `next` when the answers to earlier requests on the connection are sent. */
export function afterAnswers(socket: Socket, next: () => void): void {
  const before = pendingAnswer(socket);
  if (before === undefined) next();
  else before.once("close", () => afterAnswers(socket, next));
}

/**
 * Returns the connection to `node:http`, which detaches it from a server that listens for upgrades: replays the request without its
 * `Upgrade` header, followed by `head`.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, head: Buffer): void {
  const { socket } = request;
  if (socket.destroyed) return;
  socket.unshift(Buffer.concat([plainHead(request), head]));
  server.emit("connection", socket);
}

function plainHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  // `node:http` decodes headers as latin1.
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** The response that is being sent on `socket`; `node:http` keeps it in a private member. */
function pendingAnswer(socket: Socket): ServerResponse | undefined {
  const answer: unknown = Reflect.get(socket, "_httpMessage");
  return answer instanceof ServerResponse ? answer : undefined;
}
