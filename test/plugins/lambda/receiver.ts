// A service on loopback that receives events, and answers as a spec says.

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { isObject, parseJson } from "../../../core/plugin.ts";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Answers each request from now on; by default 200 with an empty JSON text. */
  answer: (received: Received, response: ServerResponse) => void;
}

/** Closes when the test ends. */
export async function receiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      const body = parseJson(text === "" ? "null" : text);
      const received = { path: request.url ?? "", headers: request.headers, text, body: isObject(body) ? body : {} };
      made.received.push(received);
      made.answer(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => close(server));
  const { port } = server.address() as AddressInfo;
  const made: Receiver = { url: `http://127.0.0.1:${port}`, received: [], answer: (_, response) => response.end('""') };
  return made;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
