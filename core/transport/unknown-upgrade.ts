// Requests that ask for a protocol which is not spoken here, such as `h2c`, as Java's clients do: HTTP lets a server ignore that.

import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * A server that listens for upgrades has taken the connection from `node:http`. It gets it back, with the request before the rest
 * and without the header that asks; not before the answers to earlier requests are out.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, head: Buffer): void {
  const { socket } = request;
  const before = pendingAnswer(socket);
  if (before !== undefined) before.once("close", () => ignoreUpgrade(server, request, head));
  else if (!socket.destroyed) {
    socket.unshift(Buffer.concat([plainHead(request), head]));
    server.emit("connection", socket);
  }
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
