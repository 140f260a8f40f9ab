// One HTTP exchange: reads the body, calls the endpoint, sends the answer or starts its stream.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type BodyLease, type HttpRequest, type HttpResponse, isPromise, type KernelEndpoint } from "../../core/transport.ts";
import { type SendOptions, sendBody } from "./body-sender.ts";
import { ConnectionLine, type LineOptions } from "./connection-line.ts";
import { Exchange } from "./exchange.ts";
import { arriving, Intake } from "./long-bodies.ts";
import { headOf } from "./plain-request.ts";
import { type OpenStream, openStream } from "./response-outlet.ts";
import { Starts } from "./starts.ts";
import { arrivingBody, sendSource } from "./streamed-bodies.ts";

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
  readonly exchange: Exchange;
}

/** Requests of one connection that run at the same time, where an endpoint says nothing. */
const defaultMaxStarting = 4;

export class RequestHandler {
  /** What begins on the server: requests, and what WebSockets ask for. */
  readonly starts = new Starts(() => this.#sendReady());
  readonly #endpoint: KernelEndpoint;
  readonly #sending: SendOptions;
  readonly #line: LineOptions;
  /** Of the connections with HTTP requests. */
  readonly #lines = new Map<Socket, ConnectionLine>();
  readonly #streams = new Map<ServerResponse, OpenStream>();
  readonly #intake = new Intake();
  readonly #ready: Ready[] = [];
  #readySince = 0;
  #closing = false;

  constructor(endpoint: KernelEndpoint, stalledClientMs: number) {
    this.#endpoint = endpoint;
    this.#sending = { stalledClientMs, unsent: endpoint.unsent };
    this.#line = {
      maxBegun: endpoint.maxStarting ?? defaultMaxStarting,
      unsent: endpoint.unsent,
      begin: (exchange) => this.#begin(exchange),
      send: (exchange, answer) => this.#send(answer, exchange),
    };
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lineOf(request.socket);
    line.add(new Exchange({ request, response, line }));
  }

  /** For a client that waits for leave to send its body (`Expect: 100-continue`). */
  handleExpecting(request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lineOf(request.socket);
    line.add(new Exchange({ request, response, line, expectsLeave: true }));
  }

  /** The connection is no longer one of HTTP requests: `node:http` has detached it. What it has asked for before is answered. */
  detach(socket: Socket): void {
    this.#lines.get(socket)?.detach();
    this.#lines.delete(socket);
  }

  /** Resolves when the complete requests on `socket` are answered. */
  async answered(socket: Duplex): Promise<void> {
    for (const [each, line] of this.#lines) if (each === socket) await line.answered();
  }

  /** Ends each connection after the answers to what has begun. Returns the connections that have one to come or to finish. */
  stopKeepingAlive(): ReadonlySet<Socket | null> {
    this.#closing = true;
    for (const line of this.#lines.values()) line.leave();
    const busy = new Set([...this.#lines].filter(([, line]) => line.isBusy).map(([socket]) => socket));
    for (const each of [...this.#streams.values()]) each.leave();
    return busy;
  }

  #lineOf(socket: Socket): ConnectionLine {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line = new ConnectionLine(socket, this.#line);
    this.#lines.set(socket, line);
    socket.once("close", () => {
      line.closed();
      if (this.#lines.get(socket) === line) this.#lines.delete(socket);
    });
    return line;
  }

  #begin(exchange: Exchange): void {
    const { request, response } = exchange;
    if (hasBody(request) && this.#endpoint.streams?.(headOf(request)) === true) {
      this.#beginStreamed(exchange);
      return;
    }
    const isTooLarge = this.#isTooLong(announcedBytes(request), exchange);
    if (exchange.expectsLeave && !isTooLarge) response.writeContinue();
    if (!hasBody(request)) this.#start(exchange, noBody);
    else if (isTooLarge) this.#refuseBody(exchange);
    else this.#admitBody(exchange);
  }

  /** The endpoint reads the body, at its pace. */
  #beginStreamed(exchange: Exchange): void {
    exchange.isStreamed = true;
    if (exchange.expectsLeave) exchange.response.writeContinue();
    this.#start(exchange, noBody);
  }

  #isTooLong(bytes: number, exchange: Exchange): boolean {
    return bytes > this.#endpoint.maxBodyBytes && bytes > this.#limitOf(exchange);
  }

  #limitOf({ request }: Exchange): number {
    const { bodyLimit, maxBodyBytes } = this.#endpoint;
    return bodyLimit?.(headOf(request)) ?? maxBodyBytes;
  }

  /** A large body is read when there is room for it. Nothing is read of its connection before. */
  #admitBody(exchange: Exchange): void {
    const { request } = exchange;
    if (this.#endpoint.bodies === undefined || !isAnnounced(request) || announcedBytes(request) <= smallBodyBytes) this.#readBody(exchange);
    else this.#reserve(exchange, announcedBytes(request), (lease) => this.#readBody(exchange, lease));
  }

  /** Calls `next` with reserved memory; refuses the request when there is none in time. */
  #reserve(exchange: Exchange, bytes: number, next: (lease: BodyLease) => void): void {
    const reserved = (lease: BodyLease | undefined) => {
      if (exchange.isGone) lease?.release();
      else if (lease === undefined) this.#refuseForRoom(exchange);
      else {
        exchange.response.once("close", () => lease.release());
        exchange.onGone(() => lease.release());
        this.#expectData(exchange);
        next(lease);
      }
    };
    const lease = this.#endpoint.bodies?.reserve(bytes);
    if (lease !== undefined && isPromise(lease)) lease.then(reserved);
    else reserved(lease);
  }

  #refuseForRoom(exchange: Exchange): void {
    const plain = plainRequest(exchange, noBody);
    this.#refuseBody(exchange, this.#endpoint.overloaded?.(plain) ?? this.#endpoint.bodyTooLarge(plain));
  }

  /** Who holds memory for a body sends it. */
  #expectData({ request }: Exchange): void {
    const late = setTimeout(() => request.socket.destroy(), this.#sending.stalledClientMs);
    const stop = () => clearTimeout(late);
    request
      .on("data", () => late.refresh())
      .once("end", stop)
      .once("close", stop);
  }

  /** Without `lease`, a body of unknown length needs one when it turns out to be large. */
  #readBody(exchange: Exchange, lease?: BodyLease): void {
    const { request } = exchange;
    const arrived = arriving(announcedBytes(request) > smallBodyBytes ? announcedBytes(request) : undefined);
    let bytes = 0;
    let held = lease;
    const onData = (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (this.#isTooLong(bytes, exchange)) {
        request.off("data", onData).off("end", onEnd);
        this.#refuseBody(exchange);
        return;
      }
      arrived.add(chunk);
      if (held === undefined && bytes > smallBodyBytes && this.#endpoint.bodies !== undefined) {
        request.off("data", onData).off("end", onEnd).pause();
        this.#reserve(exchange, this.#limitOf(exchange), (later) => {
          held = later;
          request.on("data", onData).on("end", onEnd).resume();
        });
      } else if (chunk.byteLength > shortBodyBytes) this.#intake.took(request, chunk.byteLength);
    };
    const onEnd = () => {
      held?.shrink(bytes);
      this.#start(exchange, arrived.whole());
    };
    request.on("data", onData).on("end", onEnd);
  }

  #start(exchange: Exchange, body: Uint8Array): void {
    this.starts.add({ caller: () => this.#callerOf(exchange, body), begin: () => this.#ask(exchange, body) });
  }

  /** Of one caller, long bodies wait for one another, because they take long to read; and new connections do, so that a crowd of them keeps no other waiting. */
  #callerOf({ request, line }: Exchange, { byteLength }: Uint8Array): string {
    const caller = this.#endpoint.callerOf?.(headOf(request)) ?? request.socket.remoteAddress ?? "";
    if (byteLength > shortBodyBytes) return `${caller} long`;
    return line.isNew ? `${caller} new` : caller;
  }

  #ask(exchange: Exchange, body: Uint8Array): void {
    if (exchange.isGone) return;
    const plain = plainRequest(exchange, body);
    const { stalledClientMs } = this.#sending;
    const answer = this.#endpoint.http(exchange.isStreamed ? { ...plain, incoming: arrivingBody(exchange.request, stalledClientMs) } : plain);
    if (isPromise(answer)) answer.then((value) => this.#gather({ answer: value, exchange }));
    else this.#gather({ answer, exchange });
  }

  #gather(ready: Ready): void {
    const now = performance.now();
    if (this.#ready.push(ready) === 1) {
      this.#readySince = now;
      this.starts.open();
    } else if (now - this.#readySince > gatherMs) this.#sendReady();
  }

  #sendReady(): void {
    for (const { answer, exchange } of this.#ready.splice(0)) exchange.line.answer(exchange, answer);
  }

  #send(answer: HttpResponse, exchange: Exchange): void {
    const { response } = exchange;
    if (response.destroyed) return;
    if (exchange.isStreamed && !exchange.request.complete) {
      this.#refuseBody(exchange, answer);
      return;
    }
    if (answer.source !== undefined) {
      this.#sendSource(exchange, answer, answer.source);
      return;
    }
    if (answer.stream !== undefined) {
      this.#stream(answer, answer.stream, response);
      return;
    }
    const isLast = this.#closing && exchange.line.isLast(exchange);
    response.writeHead(answer.status, isLast ? closingHeadersOf(answer) : headersOf(answer));
    sendBody(response, answer, this.#sending);
  }

  #sendSource(exchange: Exchange, answer: HttpResponse, source: NonNullable<HttpResponse["source"]>): void {
    const { request, response, line } = exchange;
    const isLast = this.#closing && line.isLast(exchange);
    response.writeHead(answer.status, isLast ? [...linesOf(answer), "connection", "close"] : linesOf(answer));
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    sendSource(response, source, this.#sending).catch((thrown: unknown) => {
      this.#endpoint.fault?.(thrown);
      response.destroy();
    });
  }

  #stream(answer: HttpResponse, stream: NonNullable<HttpResponse["stream"]>, response: ServerResponse): void {
    const { socket } = response;
    response.writeHead(answer.status, this.#closing ? [...linesOf(answer), "connection", "close"] : linesOf(answer));
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
  #refuseBody(exchange: Exchange, answer: HttpResponse = this.#endpoint.bodyTooLarge(plainRequest(exchange, noBody))): void {
    const { request, response } = exchange;
    response.writeHead(answer.status, closingHeadersOf(answer));
    response.write(answer.body);
    const end = () => {
      clearTimeout(late);
      response.end();
    };
    const late = setTimeout(end, drainMs);
    request.once("end", end).once("close", end).resume();
  }
}

/** Bodies of this size are read at once: their number is bounded as that of requests is. */
const smallBodyBytes = 64 * 1024;
/** Where many requests wait to begin, those with a longer body wait by themselves. */
const shortBodyBytes = 4 * 1024;

function isAnnounced({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined;
}

function plainRequest(exchange: Exchange, body: Uint8Array): HttpRequest {
  const { method, url, headers, remoteAddress } = headOf(exchange.request);
  return { method, url, headers, body, remoteAddress, onGone: (listener) => exchange.onGone(listener) };
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
  const list = linesOf(answer);
  list.push("content-length", String(lengthOf(answer)));
  return list;
}

function linesOf({ headers }: HttpResponse): string[] {
  const list: string[] = [];
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (typeof value === "string") list.push(name, value);
    else for (const each of value) list.push(name, each);
  }
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
