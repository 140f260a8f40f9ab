// Requests that ask for a protocol which is not spoken here, such as `h2c`, as Java's clients do: HTTP lets a server ignore that.

import type { IncomingMessage, Server } from "node:http";

/**
 * A server that listens for upgrades has taken the connection from `node:http`. It gets it back, with the request before the rest
 * and without the header that asks.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, head: Buffer): void {
  const { socket, method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  // `node:http` has read the head as Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
