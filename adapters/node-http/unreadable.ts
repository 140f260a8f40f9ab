// Bytes on a connection that are no HTTP request: one answer that says so, after the answers of the requests before them, and the end of the connection.

import type { Duplex } from "node:stream";

const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Connections that were given up already. */
const left = new WeakSet<Duplex>();

/**
 * `node:http` by itself would answer at once, and a client that had sent a request before would take the refusal for its answer.
 *
 * @param answered resolves when the requests that came whole have been answered
 */
export async function refuseUnreadable(error: Error, socket: Duplex, answered: Promise<void>): Promise<void> {
  if (left.has(socket)) return;
  left.add(socket);
  await answered;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ECONNRESET" || !socket.writable) socket.destroy();
  else socket.end(`HTTP/1.1 ${statusLines[code] ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}
