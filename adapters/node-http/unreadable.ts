// Answers bytes that are not an HTTP request: one error response, after the answers to earlier requests, then the connection ends.

import type { Duplex } from "node:stream";

const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Connections that are being closed for this reason. */
const refused = new WeakSet<Duplex>();

/**
 * `node:http` alone would answer at once, and a client with a pending request would take the error for its answer.
 *
 * @param answered resolves when the complete requests on the connection are answered
 */
export async function refuseUnreadable(error: Error, socket: Duplex, answered: Promise<void>): Promise<void> {
  if (refused.has(socket)) return;
  refused.add(socket);
  await answered;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ECONNRESET" || !socket.writable) socket.destroy();
  else socket.end(`HTTP/1.1 ${statusLines[code] ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}
