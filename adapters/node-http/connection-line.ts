// The requests of one connection. A few of them begin at a time, and none while the client takes nothing; their answers are sent one after the other.

import { once } from "node:events";
import type { Socket } from "node:net";
import { Fifo, type HeldBytes, type HttpResponse, type Unsent } from "../../core/transport.ts";
import type { Exchange, Line } from "./exchange.ts";

export interface LineOptions {
  /** Requests that have begun and whose answers are not sent whole. */
  readonly maxBegun: number;
  readonly unsent: Unsent | undefined;
  readonly begin: (exchange: Exchange) => void;
  /** Sends the answer. Those before are sent. */
  readonly send: (exchange: Exchange, answer: HttpResponse) => void;
}

/** While more than this waits for the client, no further request begins. */
const beginBelowBytes = 64 * 1024;
/** Requests that wait before nothing more is read. `node:http` makes some of each 64 KiB that it reads in any case. */
const fullAt = 256;
/** While nothing is sent, it reads a little more from time to time: a client that has gone shows itself only to who reads, or writes. */
const lookEveryMs = 500;
const mostAfterLooks = 1_024;

export class ConnectionLine implements Line {
  isNew = true;
  readonly #socket: Socket;
  readonly #options: LineOptions;
  /** In their order. The answer to the first one is being sent, or is the next to be sent. */
  readonly #begun: Exchange[] = [];
  readonly #waiting = new Fifo<Exchange>();
  /** Bytes of answers whose turn has not come. */
  #heldBytes = 0;
  #held: HeldBytes | undefined = undefined;
  #fullAt = fullAt;
  #isPaused = false;
  #look: NodeJS.Timeout | undefined = undefined;

  constructor(socket: Socket, options: LineOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on("resume", this.#resumed);
  }

  /** Whether an answer is to come, or to be sent. */
  get isBusy(): boolean {
    return this.#begun.length > 0 || this.#waiting.length > 0;
  }

  isLast(exchange: Exchange): boolean {
    return this.#begun.at(-1) === exchange && this.#waiting.length === 0;
  }

  add(exchange: Exchange): void {
    if (this.#waiting.length === 0 && this.#hasRoom) this.#begin(exchange);
    else {
      this.#waiting.push(exchange);
      if (this.#isFull) this.#pause();
    }
  }

  answer(exchange: Exchange, answer: HttpResponse): void {
    if (exchange.isGone) return;
    exchange.answer = answer;
    if (exchange === this.#begun[0]) this.#sendFirst();
    else this.#hold(exchange, bytesOf(answer));
  }

  /** Resolves when the complete requests are answered. */
  async answered(): Promise<void> {
    for (let [first] = this.#begun; first?.request.complete; [first] = this.#begun) await once(first.response, "close");
  }

  /** Nothing that waits begins any more. */
  leave(): void {
    while (this.#waiting.shift()) {}
  }

  /** The server reads the connection no longer as HTTP. */
  detach(): void {
    this.#socket.off("resume", this.#resumed);
    this.#release();
  }

  /** The connection has ended. */
  closed(): void {
    this.leave();
    this.detach();
    for (const each of this.#begun.splice(0)) {
      this.#hold(each, 0);
      each.answer = undefined;
      each.gone();
    }
  }

  get #hasRoom(): boolean {
    const { length } = this.#begun;
    return length === 0 || (length < this.#options.maxBegun && this.#heldBytes + this.#socket.writableLength < beginBelowBytes);
  }

  get #isFull(): boolean {
    return this.#waiting.length >= this.#fullAt;
  }

  #begin(exchange: Exchange): void {
    this.#begun.push(exchange);
    exchange.response.once("close", () => this.#ended(exchange));
    this.#options.begin(exchange);
  }

  /** The client has the answer; or it is gone. */
  #ended(exchange: Exchange): void {
    exchange.gone();
    if (exchange !== this.#begun[0]) return;
    this.#begun.shift();
    this.isNew = false;
    if (!this.#socket.writable) return;
    this.#sendFirst();
    while (this.#waiting.length > 0 && this.#hasRoom) this.#beginNext();
    if (this.#isPaused && this.#waiting.length <= fullAt / 2) this.#goOn();
  }

  #beginNext(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
  }

  #sendFirst(): void {
    const [first] = this.#begun;
    if (first?.answer === undefined || first.isSending) return;
    const { answer } = first;
    first.answer = undefined;
    first.isSending = true;
    this.#hold(first, 0);
    this.#options.send(first, answer);
  }

  #hold(exchange: Exchange, bytes: number): void {
    if (bytes === exchange.heldBytes) return;
    this.#heldBytes += bytes - exchange.heldBytes;
    exchange.heldBytes = bytes;
    this.#held ??= this.#options.unsent?.open(() => this.#socket.destroy());
    this.#held?.update(this.#heldBytes);
  }

  #pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
    this.#look ??= setInterval(() => this.#lookForMore(), lookEveryMs).unref();
  }

  #lookForMore(): void {
    if (this.#socket.writableLength > 0 || this.#fullAt >= mostAfterLooks) return;
    this.#fullAt = this.#waiting.length + 1;
    this.#socket.resume();
  }

  #goOn(): void {
    this.#release();
    this.#fullAt = fullAt;
    this.#socket.resume();
  }

  #release(): void {
    this.#isPaused = false;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  /** `node:http` resumes by itself whenever a request is read to its end. */
  readonly #resumed = (): void => {
    if (this.#isPaused && this.#isFull) this.#socket.pause();
  };
}

function bytesOf({ body, pieces }: HttpResponse): number {
  return pieces === undefined ? body.length : pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
}
