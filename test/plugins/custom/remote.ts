// A remote service of a spec: it answers with whatever the spec says, also with what is no HTTP.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface Remote {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  /** `GET /path body`, in order. */
  readonly received: readonly string[];
  /** Headers of the last request. */
  readonly headers: () => IncomingMessage["headers"];
  /** Connections that the client closed before it got an answer. */
  readonly gone: () => number;
  close(): Promise<void>;
}

export async function remote(answer: Answer): Promise<Remote> {
  const received: string[] = [];
  let last: IncomingMessage["headers"] = {};
  let gone = 0;
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString();
    received.push(`${request.method} ${request.url}${body === "" ? "" : ` ${body}`}`);
    last = request.headers;
    response.on("close", () => {
      if (!response.writableFinished) gone++;
    });
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    headers: () => last,
    gone: () => gone,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(value: unknown): Answer {
  return (_request, response) => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
