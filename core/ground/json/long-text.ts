// Long JSON texts, kept as UTF-8 in pieces. V8 keeps a text that was put together from parts as a tree of them, with ten times the memory, and
// flattens it in one go when it is sent; pieces are compact, counted exactly, and sent one by one.

import { mappedBytes } from "./mapped-bytes.ts";

/** A JSON text: as one string, or in pieces when it is long. */
export type JsonText = string | LongText;

/** The length of one piece, about: large enough to be sent at little cost, small enough to be copied in a fraction of a millisecond. */
const pieceLength = 64 * 1024;

export class LongText {
  readonly pieces: readonly Uint8Array[];
  /** UTF-8 bytes of all pieces. */
  readonly bytes: number;

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
    this.bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  }

  /** The whole text. It takes memory and time at once, which callers that can use the pieces save. */
  toString(): string {
    return Buffer.concat(this.pieces, this.bytes).toString("utf8");
  }
}

/** Puts a long text together. */
export class LongTextWriter {
  readonly #pieces: Uint8Array[] = [];
  #tail = "";
  /** Bytes of finished pieces. */
  bytes = 0;

  /** @param text whole characters */
  add(text: string): void {
    this.#tail += text;
    if (this.#tail.length >= pieceLength) this.#finishPiece();
  }

  addAll({ pieces }: LongText): void {
    this.#finishPiece();
    for (const piece of pieces) this.#push(piece);
  }

  finished(): LongText {
    this.#finishPiece();
    return new LongText(this.#pieces);
  }

  /** A string while the text is no longer than a piece. */
  text(): JsonText {
    return this.#pieces.length === 0 ? this.#tail : this.finished();
  }

  #finishPiece(): void {
    if (this.#tail === "") return;
    this.#push(mappedBytes(this.#tail));
    this.#tail = "";
  }

  #push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.bytes += piece.byteLength;
  }
}

/** The parts one after the other: a string if all parts are. */
export function joinTexts(parts: readonly JsonText[]): JsonText {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  const writer = new LongTextWriter();
  for (const part of parts) {
    if (typeof part === "string") writer.add(part);
    else writer.addAll(part);
  }
  return writer.finished();
}

/** UTF-8 bytes. */
export function bytesOf(text: JsonText): number {
  return typeof text === "string" ? Buffer.byteLength(text) : text.bytes;
}
