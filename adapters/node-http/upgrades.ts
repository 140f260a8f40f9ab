// Requests that ask for another protocol, as `node:http` hands them over: out of order where a client has not waited for earlier
// answers, and also those for protocols not spoken here, such as the `h2c` of Java's clients, which HTTP lets a server ignore.

import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Calls `next` when the answers to earlier requests on the connection are out. */
export function afterAnswers(socket: Socket, next: () => void): void {
  const before = pendingAnswer(socket);
  if (before === undefined) next();
  else before.once("close", () => afterAnswers(socket, next));
}

/**
 * A server that listens for upgrades has taken the connection from `node:http`. It gets it back, with the request before the rest
 * and without the header that asks.
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
  // As `node:http` has read it.
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** Where `node:http` keeps the answer that is being sent. */
function pendingAnswer(socket: Socket): ServerResponse | undefined {
  const answer: unknown = Reflect.get(socket, "_httpMessage");
  return answer instanceof ServerResponse ? answer : undefined;
}
