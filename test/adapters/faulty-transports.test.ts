// The transport kit before a good transport that hands on requests, answers, streams and sockets wrongly: a named check fails on each, and passes on the
// transport without the fault.

import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createServerKernel } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import type {
  HttpRequest,
  HttpResponse,
  KernelEndpoint,
  Listening,
  Outlet,
  OutletListener,
  Socket,
  SocketListener,
  Transport,
} from "../../core/transport.ts";
import { type Runner, type TransportConformanceOptions, transportConformance } from "../conformance/index.ts";
import { newStorage } from "../support/storage.ts";

/** How long a check waits for what a faulty transport does not do. */
const timeLimitMs = 2_000;

type Handing = (endpoint: KernelEndpoint) => Partial<KernelEndpoint>;

/** Hands on to the kernel what `handing` makes of it. */
function faulty(handing: Handing): () => Transport {
  const good = wsTransport();
  return () => ({ name: "faulty", listen: (endpoint, where) => good.listen({ ...endpointOf(endpoint), ...handing(endpoint) }, where) });
}

function endpointOf(endpoint: KernelEndpoint): KernelEndpoint {
  const { maxBodyBytes, unsent, stallMs, maxStarting } = endpoint;
  return {
    maxBodyBytes,
    unsent,
    stallMs,
    maxStarting,
    bodyLimit: endpoint.bodyLimit && ((request) => endpoint.bodyLimit?.(request) ?? maxBodyBytes),
    http: (request) => endpoint.http(request),
    bodyTooLarge: (request) => endpoint.bodyTooLarge(request),
    upgrade: (request) => endpoint.upgrade(request),
  };
}

function requests(other: (request: HttpRequest) => Partial<HttpRequest>): () => Transport {
  return faulty((endpoint) => ({ http: (request) => endpoint.http({ ...request, ...other(request) }) }));
}

function answers(other: (answer: HttpResponse) => Partial<HttpResponse>): () => Transport {
  return faulty((endpoint) => ({
    http: async (request) => {
      const answer = await endpoint.http(request);
      return { ...answer, ...other(answer) };
    },
  }));
}

type Stream = NonNullable<HttpResponse["stream"]>;

function streams(other: (stream: Stream) => Stream): () => Transport {
  return answers(({ stream }) => (stream ? { stream: other(stream) } : {}));
}

interface OtherSocket {
  /** What the kernel sees of the socket. */
  readonly socket?: (socket: Socket) => Partial<Socket>;
  /** What the transport reports. */
  readonly listener?: (listener: SocketListener) => Partial<SocketListener>;
}

function sockets({ socket: seen = () => ({}), listener: reported = () => ({}) }: OtherSocket): () => Transport {
  return faulty((endpoint) => ({
    upgrade: async (request) => {
      const answer = await endpoint.upgrade(request);
      if (!("open" in answer)) return answer;
      return {
        ...answer,
        open: (socket) => {
          const listener = answer.open(withMembers(socketOf(socket), seen(socket)));
          return withMembers(listenerOf(listener), reported(listener));
        },
      };
    },
  }));
}

/** Getters stay getters. */
function withMembers<T extends object>(base: T, members: Partial<T>): T {
  return Object.defineProperties(base, Object.getOwnPropertyDescriptors(members));
}

function socketOf(socket: Socket): Socket {
  return {
    get waiting() {
      return socket.waiting;
    },
    send: (text) => socket.send(text),
    end: () => socket.end(),
    ping: () => socket.ping(),
    pause: () => socket.pause?.(),
    resume: () => socket.resume?.(),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}

function listenerOf(listener: SocketListener): SocketListener {
  return {
    message: (text) => listener.message(text),
    pong: () => listener.pong(),
    drained: () => listener.drained(),
    leaving: () => listener.leaving(),
    closed: () => listener.closed(),
  };
}

function closing(close: (listening: Listening, graceMs: number) => Promise<void>): () => Transport {
  const good = wsTransport();
  return () => ({
    name: "faulty",
    listen: async (endpoint, where) => {
      const listening = await good.listen(endpoint, where);
      return { url: listening.url, close: (graceMs) => close(listening, graceMs) };
    },
  });
}

const mapHeaders = ({ headers }: HttpRequest, map: (name: string, value: string) => readonly (readonly [string, string])[]) => ({
  headers: Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : map(name, value)))),
});

/** As `new Request(url)` makes it. */
function normalized(url: string): string {
  const { pathname, search } = new URL(url, "http://mill.example");
  return pathname + search;
}

const fetchStyle = requests(({ url }) => ({ url: normalized(url) }));

function unpacking(request: HttpRequest): Partial<HttpRequest> {
  if (request.headers["content-encoding"] !== "gzip") return {};
  return { ...mapHeaders(request, (name, value) => (name === "content-encoding" ? [] : [[name, value]])), body: gunzipSync(request.body) };
}

/** Sends everything when the stream ends. */
const gathering: (stream: Stream) => Stream = (stream) => (outlet) => {
  const pieces: string[] = [];
  const gathered: Outlet = {
    waiting: 0,
    send: (text) => void pieces.push(text),
    end: () => {
      outlet.send(pieces.join(""));
      outlet.end();
    },
  };
  return stream(gathered);
};

/** The stream's listener with other members. */
function reporting(other: (listener: OutletListener) => Partial<OutletListener>): (stream: Stream) => Stream {
  return (stream) => (outlet) => {
    const listener = stream(outlet);
    const same: OutletListener = { drained: () => listener.drained(), leaving: () => listener.leaving(), closed: () => listener.closed() };
    return { ...same, ...other(listener) };
  };
}

function closedTwice(listener: OutletListener): Partial<OutletListener> {
  return {
    closed: () => {
      listener.closed();
      listener.closed();
    },
  };
}

const nothing = () => undefined;

const wrong: readonly (readonly [what: string, check: string, transport: () => Transport])[] = [
  [
    "the last one of repeated headers",
    "request.as-sent",
    requests((request) => mapHeaders(request, (name, value) => [[name, value.split(", ").at(-1) ?? ""]])),
  ],
  [
    "header names with capitals",
    "request.as-sent",
    requests((request) =>
      mapHeaders(request, (name, value) => [
        [name, value],
        [name.toUpperCase(), value],
      ]),
    ),
  ],
  ["no empty headers", "request.as-sent", requests((request) => mapHeaders(request, (name, value) => (value === "" ? [] : [[name, value]])))],
  ["a target without its escapes", "request.as-sent", requests(({ url }) => ({ url: decodeURI(url) }))],
  ["no address", "request.as-sent", requests(() => ({ remoteAddress: "" }))],
  ["bodies as text", "request.as-sent", requests(({ body }) => ({ body: Buffer.from(Buffer.from(body).toString()) }))],
  ["bodies that it has unpacked", "body.packed-limit", requests(unpacking)],
  ["paths without dot segments", "carry.a-path-with-dots", fetchStyle],
  ["headers of its own in answers", "carry.a-query-by-post", answers(({ headers }) => ({ headers: { ...headers, "x-powered-by": "faulty" } }))],
  ["every answer as a success", "carry.an-unknown-path", answers(() => ({ status: 200 }))],
  ["a limit that is one too low", "body.at-limit", faulty(({ maxBodyBytes }) => ({ maxBodyBytes: maxBodyBytes - 1, bodyLimit: undefined }))],
  ["no limit", "body.far-too-large", faulty(() => ({ maxBodyBytes: 2 ** 30, bodyLimit: undefined }))],
  [
    "an answer of its own to a body that is too long",
    "body.too-large-status",
    faulty(() => ({ bodyTooLarge: () => ({ status: 413, headers: {}, body: "too long" }) })),
  ],
  ["no word of clients that go", "connection.gone", requests(() => ({ onGone: nothing }))],
  ["clients that have their answer as gone", "connection.gone", requests(() => ({ onGone: (listener) => queueMicrotask(listener) }))],
  ["streams when they end", "stream.pieces", streams(gathering)],
  ["each end of a stream twice", "stream.gone", streams(reporting(closedTwice))],
  ["no word of streams that drain", "stream.waiting", streams(reporting(() => ({ drained: nothing })))],
  ["no word of its end to streams", "close.streams", streams(reporting(() => ({ leaving: nothing })))],
  [
    "the first subprotocol that is offered",
    "socket.dialects",
    faulty((endpoint) => ({
      upgrade: async (request) => {
        const answer = await endpoint.upgrade(request);
        return "open" in answer ? { ...answer, protocol: request.headers["sec-websocket-protocol"]?.split(",")[0] } : answer;
      },
    })),
  ],
  [
    "messages of any length",
    "socket.too-long",
    faulty((endpoint) => ({
      upgrade: async (request) => {
        const answer = await endpoint.upgrade(request);
        return "open" in answer ? { ...answer, maxMessageBytes: 2 ** 30 } : answer;
      },
    })),
  ],
  ["sockets that take everything at once", "socket.waiting", sockets({ socket: () => ({ waiting: 0 }) })],
  ["no word of sockets that drain", "socket.waiting", sockets({ listener: () => ({ drained: nothing }) })],
  [
    "messages without their last character",
    "socket.whole",
    sockets({ listener: (listener) => ({ message: (text) => listener.message(text.slice(0, -1)) }) }),
  ],
  [
    "one code for every close",
    "socket.closed-by-kernel",
    sockets({ socket: (socket) => ({ close: (_code, reason) => socket.close(1000, reason) }) }),
  ],
  ["no word of pongs", "socket.pings", sockets({ listener: () => ({ pong: nothing }) })],
  ["no word of its end to sockets", "close.sockets", sockets({ listener: () => ({ leaving: nothing }) })],
  ["no word of clients that vanish", "socket.closed-by-client", sockets({ listener: () => ({ closed: nothing }) })],
  ["a close that waits for no request", "close.finishes", closing((listening) => listening.close(0))],
  ["a close that waits for every request", "close.grace", closing((listening) => listening.close(60_000))],
];

type Options = Pick<TransportConformanceOptions, "transport" | "exempt" | "timeLimitMs">;

interface NamedCheck {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The check that `id` names. */
function namedCheck(id: string, options: Options): NamedCheck {
  const found: NamedCheck[] = [];
  const test: Runner = (name, run) => {
    if (name.startsWith(`${id} `)) found.push({ name, run });
  };
  const kernel: TransportConformanceOptions["kernel"] = async (config) =>
    createServerKernel({ ...config, storage: await newStorage(), log: { level: "silent" } });
  transportConformance({ test, kernel, ...options });
  const [check] = found;
  if (check === undefined || found.length > 1) throw new Error(`${found.length} checks have the id ${id}`);
  return check;
}

function checkOf(id: string, options: Options): () => Promise<void> {
  return namedCheck(id, options).run;
}

describe.each(wrong)("a transport with %s", (_what, id, transport) => {
  it(`fails ${id}, which a correct transport passes`, async () => {
    await expect(checkOf(id, { transport, timeLimitMs })()).rejects.toThrow(`${id} MUST: expected: `);
    await checkOf(id, { transport: wsTransport, timeLimitMs: 50_000 })();
  });
});

describe("the exemption from dot segments", () => {
  const reason = "the URL parser removes them";
  const dotted = ["carry.a-path-with-dots", "carry.a-path-with-escaped-dots", "carry.a-path-that-leads-to-the-administration-by-dots"];
  const printed = vi.fn();
  beforeEach(() => {
    vi.spyOn(console, "warn").mockImplementation(printed);
  });
  afterEach(() => {
    printed.mockReset();
    vi.restoreAllMocks();
  });

  it.each(dotted)("judges %s by the path without them, and shows the reason", async (id) => {
    await expect(checkOf(id, { transport: fetchStyle, timeLimitMs })()).rejects.toThrow(`${id} MUST: expected: `);
    expect(printed).not.toHaveBeenCalled();
    const { name, run } = namedCheck(id, { transport: fetchStyle, exempt: { "dot-segments": reason }, timeLimitMs: 50_000 });
    expect(name).toBe(`${id} MUST is answered as the kernel answers the path without dot segments, to the byte (EXEMPT: ${reason})`);
    expect(printed).toHaveBeenCalledExactlyOnceWith(
      `EXEMPT: ${dotted.join(", ")}. It is not proven that paths with dot segments reach the kernel as they were sent. dot-segments: ${reason}`,
    );
    await run();
  });

  it("admits no other path: one that answers with something else fails", async () => {
    const elsewhere = requests(({ url }) => ({ url: url.includes("..") ? "/health" : url }));
    const exempt = { "dot-segments": reason };
    await expect(checkOf("carry.a-path-with-dots", { transport: elsewhere, exempt, timeLimitMs })()).rejects.toThrow("to the byte (EXEMPT");
    await expect(
      checkOf("carry.a-path-with-two-slashes", { transport: requests(({ url }) => ({ url: url.replace("//", "/") })), exempt, timeLimitMs })(),
    ).rejects.toThrow("carry.a-path-with-two-slashes MUST");
  });

  it("needs a reason, and a name that the kit knows", () => {
    expect(() => namedCheck("listen.again", { transport: wsTransport, exempt: { "dot-segments": " " } })).toThrow(
      "The exemption dot-segments needs a reason.",
    );
    const unknown: object = { "two-slashes": "they are the same" };
    expect(() => namedCheck("listen.again", { transport: wsTransport, exempt: unknown })).toThrow(
      "There is no exemption two-slashes. The kit knows dot-segments.",
    );
  });
});
