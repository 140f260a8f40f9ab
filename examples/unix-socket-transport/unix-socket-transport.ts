// GraphQL over a Unix socket (or a TCP port): each line is a request as JSON, each answer is a line, in the order of the requests.

import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type HttpRequest, type KernelEndpoint, type Listening, QuernError, type Transport } from "quern/transport";

export interface UnixSocketOptions {
  /** Path of the socket. Default: listen on the host and port of the configuration. */
  readonly path?: string;
}

export function unixSocketTransport({ path }: UnixSocketOptions = {}): Transport {
  return {
    name: "unix-socket",
    async listen(endpoint, { host, port }): Promise<Listening> {
      const sockets = new Set<Socket>();
      // A client may end its side after the last request, and still wait for the answers.
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
        // An error of one connection must not affect the others.
        serve(socket, endpoint).catch(() => socket.destroy());
      });
      const listening = once(server, "listening");
      server.listen(path === undefined ? { host, port } : { path });
      await listening.catch((cause) => {
        throw new QuernError("ADDRESS_IN_USE", `${path ?? `${host}:${port}`} cannot be listened on`, {
          cause,
          hint: "Stop the other process, remove the socket file, or choose another path.",
        });
      });
      return { url: urlOf(server.address()), close: (graceMs) => end(server, sockets, graceMs) };
    },
  };
}

/** Answers one request at a time, in order, so that answers need no id. Backpressure: reads no further while the client does not read. */
async function serve(socket: Socket, endpoint: KernelEndpoint): Promise<void> {
  for await (const line of lines(socket, endpoint.maxBodyBytes)) {
    const { body } = line === "too long" ? endpoint.bodyTooLarge(requestOf(Buffer.alloc(0))) : await endpoint.http(requestOf(line));
    if (!socket.write(`${body}\n`)) await once(socket, "drain");
  }
  socket.end();
}

/** Yields each line. A line longer than the limit ends the iteration with "too long". */
async function* lines(socket: Socket, maxBytes: number): AsyncGenerator<Buffer | "too long"> {
  const pieces: Buffer[] = [];
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf("\n", from);
      pieces.push(chunk.subarray(from, end < 0 ? chunk.length : end));
      from = end < 0 ? chunk.length : end + 1;
      if (pieces.reduce((bytes, piece) => bytes + piece.length, 0) > maxBytes) return yield "too long";
      if (end >= 0) yield Buffer.concat(pieces.splice(0));
    }
  }
}

function requestOf(body: Buffer): HttpRequest {
  return { method: "POST", url: "/graphql", headers: { "content-type": "application/json" }, body };
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): string {
  return typeof address === "string" ? `unix:${address}` : `tcp://127.0.0.1:${address?.port}`;
}

function end(server: ReturnType<typeof createServer>, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const forced = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(forced);
      resolve();
    });
    for (const socket of sockets) socket.end();
  });
}
