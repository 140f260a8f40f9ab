// One HTTP exchange: reads the body, calls the endpoint, sends the answer or starts its stream.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type BodyLease, type HttpRequest, type HttpResponse, isPromise, type KernelEndpoint } from "../../core/transport.ts";
import { type SendOptions, sendBody } from "./body-sender.ts";
import { flatHeaders } from "./plain-request.ts";
import { type OpenStream, openStream } from "./response-outlet.ts";
import { RunningResponses } from "./running-responses.ts";

const noBody = new Uint8Array(0);

/**
 * Answers that become ready in one turn of the event loop are written together at its end, which saves a fifth of the processor time of small
 * requests. An answer that is ready this long after the first is written at once with the others, so that the delay stays bounded.
 */
const gatherMs = 0.25;

/** How long the rest of a refused body is read and discarded, so that the client gets to read the answer. */
const drainMs = 2_000;

interface Ready {
  readonly answer: HttpResponse;
  readonly response: ServerResponse;
}

export class RequestHandler {
  readonly #endpoint: KernelEndpoint;
  readonly #sending: SendOptions;
  /** Exchanges without an answer yet. */
  readonly #running = new RunningResponses();
  readonly #streams = new Map<ServerResponse, OpenStream>();
  readonly #ready: Ready[] = [];
  #readySince = 0;
  #closing = false;

  constructor(endpoint: KernelEndpoint, stalledClientMs: number) {
    this.#endpoint = endpoint;
    this.#sending = { stalledClientMs, unsent: endpoint.unsent };
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#running.add(response);
    if (!hasBody(request)) this.#answer(plainRequest(request, response, noBody), response);
    else if (this.#isTooLong(announcedBytes(request), request, response)) this.#refuseBody(request, response);
    else this.#admitBody(request, response);
  }

  /** For a client that waits for leave to send its body (`Expect: 100-continue`). */
  handleExpecting(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isTooLong(announcedBytes(request), request, response)) response.writeContinue();
    this.handle(request, response);
  }

  /** Resolves when the complete requests on `socket` are answered. */
  async answered(socket: Duplex): Promise<void> {
    for (const response of this.#running.all()) {
      if (response.req.socket === socket && response.req.complete && !response.closed) await once(response, "close");
    }
  }

  /** Closes each connection after its current answer. Returns the connections that have one to come or to finish. */
  stopKeepingAlive(): ReadonlySet<Socket | null> {
    this.#closing = true;
    const waiting = new Set([...this.#running.all(), ...this.#streams.keys()].map((response) => response.socket));
    for (const each of [...this.#streams.values()]) each.leave();
    return waiting;
  }

  #isTooLong(bytes: number, request: IncomingMessage, response: ServerResponse): boolean {
    return bytes > this.#endpoint.maxBodyBytes && bytes > this.#limitOf(request, response);
  }

  #limitOf(request: IncomingMessage, response: ServerResponse): number {
    const { bodyLimit, maxBodyBytes } = this.#endpoint;
    return bodyLimit?.(plainRequest(request, response, noBody)) ?? maxBodyBytes;
  }

  /** A large body is read when there is room for it. Nothing is read of its connection before. */
  #admitBody(request: IncomingMessage, response: ServerResponse): void {
    const { bodies } = this.#endpoint;
    if (bodies === undefined || !isAnnounced(request) || announcedBytes(request) <= smallBodyBytes) {
      this.#readBody(request, response);
      return;
    }
    this.#reserve(request, response, announcedBytes(request), (lease) => this.#readBody(request, response, lease));
  }

  /** Calls `next` with reserved memory; refuses the request when there is none in time. */
  #reserve(request: IncomingMessage, response: ServerResponse, bytes: number, next: (lease: BodyLease) => void): void {
    const reserved = (lease: BodyLease | undefined) => {
      if (response.destroyed) lease?.release();
      else if (lease === undefined) this.#refuseForRoom(request, response);
      else {
        response.once("close", () => lease.release());
        this.#expectData(request, response);
        next(lease);
      }
    };
    const lease = this.#endpoint.bodies?.reserve(bytes);
    if (lease !== undefined && isPromise(lease)) lease.then(reserved);
    else reserved(lease);
  }

  #refuseForRoom(request: IncomingMessage, response: ServerResponse): void {
    const plain = plainRequest(request, response, noBody);
    this.#refuseBody(request, response, this.#endpoint.overloaded?.(plain) ?? this.#endpoint.bodyTooLarge(plain));
  }

  /** Who holds memory for a body sends it. */
  #expectData(request: IncomingMessage, response: ServerResponse): void {
    const late = setTimeout(() => response.destroy(), this.#sending.stalledClientMs);
    const stop = () => clearTimeout(late);
    request
      .on("data", () => late.refresh())
      .once("end", stop)
      .once("close", stop);
  }

  /** Without `lease`, a body of unknown length needs one when it turns out to be large. */
  #readBody(request: IncomingMessage, response: ServerResponse, lease?: BodyLease): void {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let held = lease;
    const onData = (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (this.#isTooLong(bytes, request, response)) {
        request.off("data", onData).off("end", onEnd);
        this.#refuseBody(request, response);
        return;
      }
      chunks.push(chunk);
      if (held !== undefined || bytes <= smallBodyBytes || this.#endpoint.bodies === undefined) return;
      request.off("data", onData).off("end", onEnd).pause();
      this.#reserve(request, response, this.#limitOf(request, response), (later) => {
        held = later;
        request.on("data", onData).on("end", onEnd).resume();
      });
    };
    const onEnd = () => {
      const [only = noBody] = chunks;
      const body = chunks.length < 2 ? only : Buffer.concat(chunks, bytes);
      held?.shrink(bytes);
      this.#answer(plainRequest(request, response, body), response);
    };
    request.on("data", onData).on("end", onEnd);
    // A client that disconnects in the middle of its body gets no answer.
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
    response.writeHead(answer.status, this.#closing ? closingHeadersOf(answer) : headersOf(answer));
    sendBody(response, answer, this.#sending);
  }

  #stream(answer: HttpResponse, stream: NonNullable<HttpResponse["stream"]>, response: ServerResponse): void {
    const { socket } = response;
    response.writeHead(answer.status, { ...answer.headers, ...(this.#closing && { connection: "close" }) });
    response.flushHeaders();
    const over = () => {
      this.#streams.delete(response);
      if (this.#closing) socket?.destroySoon();
    };
    const opened = openStream(response, stream, { sending: this.#sending, over, endpoint: this.#endpoint });
    if (response.destroyed) return;
    this.#streams.set(response, opened);
    if (this.#closing) opened.leave();
  }

  /** Sends the answer at once. Ends the connection when the client has stopped sending, or after `drainMs`. */
  #refuseBody(
    request: IncomingMessage,
    response: ServerResponse,
    answer: HttpResponse = this.#endpoint.bodyTooLarge(plainRequest(request, response, noBody)),
  ): void {
    response.writeHead(answer.status, closingHeadersOf(answer));
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

/** Bodies of this size are read at once: their number is bounded as that of requests is. */
const smallBodyBytes = 64 * 1024;

function isAnnounced({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined;
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

/** The `Content-Length`; 0: not given. */
function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/** Names and values alternately, the fastest form for `node:http`. */
function headersOf(answer: HttpResponse): string[] {
  const { headers } = answer;
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? "");
  list.push("content-length", String(lengthOf(answer)));
  return list;
}

function lengthOf(answer: HttpResponse): number {
  if (answer.pieces !== undefined) return answer.pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const { body } = answer;
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}

function closingHeadersOf(answer: HttpResponse): string[] {
  return [...headersOf(answer), "connection", "close"];
}
