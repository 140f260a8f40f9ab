// One request of a connection and its response.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpResponse } from "../../core/transport.ts";

export interface ExchangeOptions extends Pick<Exchange, "request" | "response" | "line"> {
  readonly expectsLeave?: boolean;
}

/** The exchanges of one connection, in their order. */
export interface Line {
  /** Its client has had no answer yet. */
  readonly isNew: boolean;
  /** Sends the answer when those before it are sent. */
  answer(exchange: Exchange, answer: HttpResponse): void;
  /** Whether no answer is to come after that to `exchange`. */
  isLast(exchange: Exchange): boolean;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly line: Line;
  /** The client waits for leave to send its body (`Expect: 100-continue`). */
  readonly expectsLeave: boolean;
  /** The answer, until it is its turn to be sent. */
  answer: HttpResponse | undefined = undefined;
  /** Bytes that it counts for meanwhile. */
  heldBytes = 0;
  /** The endpoint reads the body as it arrives. */
  isStreamed = false;
  /** The answer is being sent. */
  isSending = false;
  #isGone = false;
  #whenGone: (() => void)[] | undefined = undefined;

  constructor({ request, response, line, expectsLeave = false }: ExchangeOptions) {
    this.request = request;
    this.response = response;
    this.line = line;
    this.expectsLeave = expectsLeave;
  }

  /** The client has disconnected. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Calls `listener` when the client disconnects before it has the whole answer; at once when it has. */
  onGone(listener: () => void): void {
    if (this.#isGone) listener();
    else if (this.#whenGone === undefined) this.#whenGone = [listener];
    else this.#whenGone.push(listener);
  }

  gone(): void {
    if (this.#isGone || this.response.writableFinished) return;
    this.#isGone = true;
    const listeners = this.#whenGone ?? [];
    this.#whenGone = undefined;
    for (const listener of listeners) listener();
  }
}
