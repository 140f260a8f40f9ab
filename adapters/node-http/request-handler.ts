// One HTTP exchange: reads the body, lets the kernel answer, sends the answer in one piece, or lets the kernel send it in many.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type HttpRequest, type HttpResponse, isPromise, type KernelEndpoint } from "../../core/index.ts";
import { flatHeaders } from "./plain-request.ts";
import { type OpenStream, openStream } from "./response-outlet.ts";

const noBody = new Uint8Array(0);

/**
 * Answers that are ready in one turn of the event loop are sent one after the other at its end: the first wakes the other side, the rest find it
 * awake, which saves a fifth of the processor time of small requests. Those that took longer than this together are sent before the next is begun;
 * what waits can be held up by one request's own work on this thread, which lets others run every few milliseconds.
 */
const gatherMs = 0.25;

/** How long the rest of a refused body is taken and thrown away, so that the client comes to read the answer. */
const drainMs = 2_000;

interface Ready {
  readonly answer: HttpResponse;
  readonly response: ServerResponse;
}

export class RequestHandler {
  readonly #endpoint: KernelEndpoint;
  readonly #stalledClientMs: number;
  /** Exchanges whose answer is not handed over yet. */
  readonly #running = new Set<ServerResponse>();
  readonly #streams = new Map<ServerResponse, OpenStream>();
  readonly #ready: Ready[] = [];
  #readySince = 0;
  #closing = false;

  constructor(endpoint: KernelEndpoint, stalledClientMs: number) {
    this.#endpoint = endpoint;
    this.#stalledClientMs = stalledClientMs;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#running.add(response);
    if (!hasBody(request)) this.#answer(plainRequest(request, response, noBody), response);
    else if (announcedBytes(request) > this.#endpoint.maxBodyBytes) this.#refuseBody(request, response);
    else this.#readBody(request, response);
  }

  /** For a client that asks before it sends its body (`Expect: 100-continue`). */
  handleExpecting(request: IncomingMessage, response: ServerResponse): void {
    if (announcedBytes(request) <= this.#endpoint.maxBodyBytes) response.writeContinue();
    this.handle(request, response);
  }

  /** Resolves when the requests that have come whole on `socket` are answered. */
  async answered(socket: Duplex): Promise<void> {
    for (const response of this.#running) {
      if (response.req.socket === socket && response.req.complete && !response.closed) await once(response, "close");
    }
  }

  /** From now on each connection ends with the answer it waits for. Returns the connections that wait for one, or for the rest of one. */
  stopKeepingAlive(): ReadonlySet<Socket | null> {
    this.#closing = true;
    const waiting = new Set([...this.#running, ...this.#streams.keys()].map((response) => response.socket));
    for (const each of [...this.#streams.values()]) each.leave();
    return waiting;
  }

  #readBody(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const onData = (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes <= this.#endpoint.maxBodyBytes) {
        chunks.push(chunk);
        return;
      }
      request.off("data", onData).off("end", onEnd);
      this.#refuseBody(request, response);
    };
    const onEnd = () => {
      const [only = noBody] = chunks;
      const body = chunks.length < 2 ? only : Buffer.concat(chunks, bytes);
      this.#answer(plainRequest(request, response, body), response);
    };
    request.on("data", onData).on("end", onEnd);
    // A client that goes in the middle of its body gets no answer.
    request.once("close", () => {
      if (!request.complete) this.#running.delete(response);
    });
  }

  #answer(request: HttpRequest, response: ServerResponse): void {
    const answer = this.#endpoint.http(request);
    if (isPromise(answer)) answer.then((value) => this.#gather({ answer: value, response }));
    else this.#gather({ answer, response });
  }

  #gather(ready: Ready): void {
    const now = performance.now();
    if (this.#ready.push(ready) === 1) {
      this.#readySince = now;
      setImmediate(() => this.#sendReady());
    } else if (now - this.#readySince > gatherMs) this.#sendReady();
  }

  #sendReady(): void {
    for (const { answer, response } of this.#ready.splice(0)) this.#send(answer, response);
  }

  #send(answer: HttpResponse, response: ServerResponse): void {
    this.#running.delete(response);
    if (response.destroyed) return;
    if (answer.stream !== undefined) {
      this.#stream(answer, answer.stream, response);
      return;
    }
    response.writeHead(answer.status, headersOf(answer, this.#closing));
    response.end(answer.body);
    // The listener goes with the response: the connection may have many more of them.
    if (response.writableLength > 0) response.setTimeout(this.#stalledClientMs, () => response.destroy());
  }

  #stream(answer: HttpResponse, stream: NonNullable<HttpResponse["stream"]>, response: ServerResponse): void {
    const { socket } = response;
    response.writeHead(answer.status, { ...answer.headers, ...(this.#closing && { connection: "close" }) });
    response.flushHeaders();
    const over = () => {
      this.#streams.delete(response);
      if (this.#closing) socket?.destroySoon();
    };
    const opened = openStream(response, stream, { stalledClientMs: this.#stalledClientMs, over, endpoint: this.#endpoint });
    if (response.destroyed) return;
    this.#streams.set(response, opened);
    if (this.#closing) opened.leave();
  }

  /** The answer goes out at once; the connection ends when the client has stopped sending, or has had time to. */
  #refuseBody(request: IncomingMessage, response: ServerResponse): void {
    const answer = this.#endpoint.bodyTooLarge(plainRequest(request, response, noBody));
    response.writeHead(answer.status, headersOf(answer, true));
    response.write(answer.body);
    const end = () => {
      clearTimeout(late);
      this.#running.delete(response);
      response.end();
    };
    const late = setTimeout(end, drainMs);
    request.once("end", end).once("close", end).resume();
  }
}

function plainRequest(request: IncomingMessage, response: ServerResponse, body: Uint8Array): HttpRequest {
  const { method = "GET", url = "/", headers } = request;
  const { remoteAddress = "" } = request.socket;
  return { method, url, headers: flatHeaders(headers), body, remoteAddress, onGone: (listener) => whenGone(response, listener) };
}

function whenGone(response: ServerResponse, listener: () => void): void {
  response.once("close", () => {
    if (!response.writableFinished) listener();
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] !== undefined && headers["content-length"] !== "0");
}

/** 0 when the client does not say. */
function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/** Names and values in turn, the form in which `node:http` takes them fastest. */
function headersOf({ headers, body }: HttpResponse, last: boolean): string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? "");
  list.push("content-length", String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength));
  if (last) list.push("connection", "close");
  return list;
}
