// Every way by which a request reaches a kernel, over real sockets where there are any.

import { WebSocket } from "ws";
import type { ServerKernel } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import { type GraphQLRequest, QuernError } from "../../core/index.ts";

type Request = Pick<GraphQLRequest, "query" | "variables">;

/** The messages of the errors with which a request is refused; empty when there is none. */
export type Way = (request: Request) => Promise<readonly string[]>;

export interface Ways {
  readonly ways: ReadonlyMap<string, Way>;
  close(): Promise<void>;
}

/** Both transports listen until `close`. */
export async function waysInto(kernel: ServerKernel): Promise<Ways> {
  const transports = { ws: wsTransport(), yoga: yogaTransport() };
  const opened = Object.entries(transports).map(async ([name, transport]) => {
    const server = await transport.listen(kernel, { host: "127.0.0.1", port: 0 });
    return { name, server };
  });
  const servers = await Promise.all(opened);
  const ways = new Map<string, Way>([
    ["kernel.execute", async (request) => messagesOf(JSON.parse((await kernel.execute(request)).body))],
    ["kernel.live", (request) => firstOf(kernel, request)],
  ]);
  for (const { name, server } of servers) {
    const url = `${server.url}/graphql`;
    ways.set(`HTTP by ${name}`, async (request) => messagesOf(await (await post(url, request, "application/json")).json()));
    ways.set(`event stream by ${name}`, async (request) => messagesInEvents(await (await post(url, request, "text/event-stream")).text()));
    ways.set(`graphql-transport-ws by ${name}`, (request) => overSocket(url, request, { protocol: "graphql-transport-ws", start: "subscribe" }));
    ways.set(`graphql-ws by ${name}`, (request) => overSocket(url, request, { protocol: "graphql-ws", start: "start" }));
  }
  return { ways, close: async () => void (await Promise.all(servers.map(({ server }) => server.close(0)))) };
}

async function firstOf(kernel: ServerKernel, request: Request): Promise<readonly string[]> {
  try {
    for await (const answer of kernel.live(request)) return messagesOf(answer);
    return [];
  } catch (thrown) {
    if (thrown instanceof QuernError) return messagesOf(thrown.details.errors);
    throw thrown;
  }
}

function post(url: string, request: Request, accept: string): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", accept }, body: JSON.stringify(request) });
}

function messagesInEvents(text: string): readonly string[] {
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice("data: ".length)] : []));
  return data.flatMap((each) => messagesOf(JSON.parse(each)));
}

interface Dialect {
  readonly protocol: string;
  /** The message that begins an operation. */
  readonly start: string;
}

async function overSocket(url: string, payload: Request, { protocol, start }: Dialect): Promise<readonly string[]> {
  const socket = new WebSocket(url.replace("http", "ws"), protocol);
  try {
    return await new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("close", (code, reason) => reject(new Error(`${code} ${reason}`)));
      socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init" })));
      socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        if (message.type === "connection_ack") socket.send(JSON.stringify({ type: start, id: "1", payload }));
        if (message.type === "error" || message.type === "next" || message.type === "data") resolve(messagesOf(message.payload).flatMap(linesOf));
      });
    });
  } finally {
    socket.terminate();
  }
}

/** The older dialect puts all errors into one text. */
function linesOf(text: string): readonly string[] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.replace(/^input(?::\d+)?: /, ""));
}

/** Of an answer, a list of errors, or one error. */
function messagesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(messagesOf);
  if (typeof value !== "object" || value === null) return [];
  if ("message" in value) return [String(value.message)];
  return "errors" in value ? messagesOf(value.errors) : [];
}
