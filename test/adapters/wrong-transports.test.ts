// The transport kit before transports with one fault each: a named check fails, in its time, and says what was expected and what came.

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { expect, it } from "vitest";
import { webSockets } from "../../adapters/node-http/index.ts";
import { createServerKernel } from "../../adapters/server/index.ts";
import type { HttpRequest, KernelEndpoint, Transport } from "../../core/transport.ts";
import { type Runner, transportConformance } from "../conformance/index.ts";
import { newStorage } from "../support/storage.ts";

/** As `adapters/transports.md` has it, with what `prepare` adds to its server. */
function plainTransport(prepare: (server: Server, endpoint: KernelEndpoint) => void, listener = answering): Transport {
  return {
    name: "plain",
    async listen(endpoint, { host, port }) {
      const server = createServer(listener(endpoint));
      prepare(server, endpoint);
      await once(server.listen(port, host), "listening");
      const address = server.address();
      return {
        url: `http://${host}:${typeof address === "object" ? address?.port : port}`,
        close: async () => void server.close().closeAllConnections(),
      };
    },
  };
}

function answering(endpoint: KernelEndpoint): RequestListener {
  return async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers: HttpRequest["headers"] = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const answer = await endpoint.http({ method: request.method ?? "GET", url: request.url ?? "/", headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
}

const attached = () => plainTransport((server, endpoint) => webSockets(endpoint).attach(server));
/** Takes every upgrade for one to WebSockets. */
const upgradesAll = () =>
  plainTransport((server, endpoint) => void server.on("upgrade", (request, _socket, head) => webSockets(endpoint).upgrade(request, head)));
const silent = () =>
  plainTransport(
    () => undefined,
    () => () => undefined,
  );
const deaf = () => plainTransport((server) => void server.on("upgrade", () => undefined));
/** Sends one line for each name. */
const joining = () =>
  plainTransport(
    () => undefined,
    (endpoint) =>
      answering({
        ...endpoint,
        http: async (request) => {
          const answer = await endpoint.http(request);
          return { ...answer, headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])) };
        },
      }),
  );
plainTransport(
  () => undefined,
  () => (_request, response) => void response.writeHead(200).end("{}"),
);

/** The check that `id` names. */
function checkOf(id: string, transport: () => Transport, timeLimitMs: number): () => Promise<void> {
  const found: (() => Promise<void>)[] = [];
  const test: Runner = (name, run) => {
    if (name.startsWith(`${id} `)) found.push(run);
  };
  const kernel = async (config: object) => createServerKernel({ ...config, storage: await newStorage(), log: { level: "silent" } });
  transportConformance({ test, transport, kernel, timeLimitMs });
  const [check] = found;
  if (check === undefined || found.length > 1) throw new Error(`${found.length} checks have the id ${id}`);
  return check;
}

it("a transport that follows adapters/transports.md answers requests for other protocols", async () => {
  await checkOf("socket.other-upgrade", attached, 20_000)();
  await checkOf("socket.query", attached, 20_000)();
  await checkOf("answer.lists", attached, 20_000)();
});

it.each([
  [
    "takes every upgrade for a WebSocket",
    upgradesAll,
    "socket.other-upgrade",
    /Java's HTTP clients[\s\S]*expected three answers with status 200, found HTTP\/1\.1 4/,
  ],
  [
    "answers no request",
    silent,
    "carry.a-mutation",
    /would mean different things[\s\S]*Nothing came in 500 ms \(timeLimitMs\)\. The check was waiting for the answer to POST/,
  ],
  ["answers no request of many", silent, "connection.side-by-side", /waiting for the answer to POST \/graphql/],
  [
    "answers no handshake",
    deaf,
    "socket.query",
    /Expected the answer to the handshake GET \/graphql; it did not come in \d+ ms\. Before it came nothing/,
  ],
  ["joins several cookies in one line", joining, "answer.lists", /joined lines are one broken cookie/],
  ["answers no stream", silent, "stream.events", /waiting for the head of the streamed answer/],
  ["passes on what Node says of a taken port", silent, "listen.taken", /stack trace[\s\S]*ADDRESS_IN_USE, found Error/],
])("a transport that %s fails its check with what was expected and what came", async (_what, transport, id, message) => {
  const error: unknown = await checkOf(id, transport, 500)().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Error);
  const text = error instanceof Error ? error.message : "";
  expect(text).toMatch(new RegExp(`^${id} MUST: expected: `));
  expect(text).toMatch(message);
  expect(text).not.toContain("falsy");
});
