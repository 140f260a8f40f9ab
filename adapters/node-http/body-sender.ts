// Sends the body of a response as its client takes it, and cuts a client that takes nothing.

import type { ServerResponse } from "node:http";
import type { HeldBytes, HttpResponse, Unsent } from "../../core/transport.ts";

export interface SendOptions {
  /** How long a client may take nothing, in milliseconds. */
  readonly stalledClientMs: number;
  readonly unsent: Unsent | undefined;
}

/** Where an endpoint sets none. */
export const defaultStallMs = 30_000;

/** A body of at most this many bytes is handed to the connection at once. */
const smallBytes = 256 * 1024;
const pieceBytes = 64 * 1024;

/** Sends a body whose head has been written. */
export function sendBody(response: ServerResponse, answer: HttpResponse, options: SendOptions): void {
  const pieces = answer.pieces ?? piecesOf(answer.body);
  if (pieces !== undefined) {
    new BodySender(response, pieces, options).send();
    return;
  }
  response.end(answer.body);
  // Nearly always the connection has taken all of it.
  if (response.writableLength > 0) new BodySender(response, [], options).watch();
}

/** Undefined: the body is small. */
function piecesOf(body: string | Uint8Array): readonly Uint8Array[] | undefined {
  if (body.length <= smallBytes) return undefined;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return Array.from({ length: Math.ceil(bytes.byteLength / pieceBytes) }, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes));
}

class BodySender {
  readonly #response: ServerResponse;
  readonly #pieces: readonly Uint8Array[];
  readonly #held: HeldBytes | undefined;
  readonly #stalledClientMs: number;
  #next = 0;
  #isGuarded = false;
  /** Bytes of the pieces that are not written yet. */
  #rest: number;

  constructor(response: ServerResponse, pieces: readonly Uint8Array[], { stalledClientMs, unsent }: SendOptions) {
    this.#response = response;
    this.#pieces = pieces;
    this.#stalledClientMs = stalledClientMs;
    this.#held = unsent?.open(() => response.destroy());
    this.#rest = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    response.on("drain", () => this.send());
    response.once("close", () => this.#held?.update(0));
  }

  /** Writes pieces until the connection holds enough of them. */
  send(): void {
    const response = this.#response;
    while (this.#next < this.#pieces.length) {
      const piece = this.#pieces[this.#next++];
      if (piece === undefined) break;
      this.#rest -= piece.byteLength;
      if (!response.write(piece)) break;
    }
    if (this.#next === this.#pieces.length && !response.writableEnded) response.end();
    this.watch();
  }

  watch(): void {
    const waiting = this.#rest + this.#response.writableLength;
    this.#held?.update(waiting);
    if (waiting > 0) this.#guard();
  }

  /** On the response, not the socket: a connection has many responses, and listeners would pile up. */
  #guard(): void {
    if (this.#isGuarded) return;
    this.#isGuarded = true;
    this.#response.setTimeout(this.#stalledClientMs, () => this.#response.destroy());
  }
}
