// Bytes on their way into the store: counted, hashed, and their beginning kept.

import { createHash } from "node:crypto";
import { QuernError } from "../../../core/plugin.ts";
import { headBytes } from "./image-facts.ts";

export interface Bounds {
  /** The most bytes, and what sets it. */
  readonly maxBytes: number;
  readonly setting: string;
  /** When the last of them must be there, in milliseconds since 1970. */
  readonly ends: number;
  /** Called with each piece. It throws to refuse the upload. */
  readonly took?: (bytes: number) => void;
}

export class Measured {
  bytes = 0;
  readonly #hash = createHash("sha256");
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;

  /** Passes the bytes on. Read once. */
  async *of(incoming: AsyncIterable<Uint8Array>, { maxBytes, setting, ends, took }: Bounds): AsyncGenerator<Uint8Array> {
    for await (const piece of incoming) {
      this.bytes += piece.byteLength;
      if (this.bytes > maxBytes) throw tooLong(maxBytes, setting);
      if (Date.now() > ends) throw tooLate();
      took?.(piece.byteLength);
      this.#hash.update(piece);
      this.#keepHead(piece);
      yield piece;
    }
  }

  /** Of all bytes, in hexadecimal digits. Asked once. */
  sha256(): string {
    return this.#hash.digest("hex");
  }

  head(): Uint8Array {
    return Buffer.concat(this.#head);
  }

  #keepHead(piece: Uint8Array): void {
    const room = headBytes - this.#headBytes;
    if (room <= 0) return;
    // A copy: the piece may be part of a larger buffer.
    const part = Uint8Array.from(piece.subarray(0, room));
    this.#headBytes += part.byteLength;
    this.#head.push(part);
  }
}

function tooLong(maxBytes: number, setting: string): QuernError {
  return new QuernError("LIMIT_REACHED", `The file has more than ${maxBytes} bytes (${setting}).`, { hint: "Send a smaller file." });
}

/** Of an upload that takes longer than uploads may wait. */
export function tooLate(): QuernError {
  return new QuernError("REQUEST_REFUSED", "The upload took longer than uploads may wait (uploadsLastMs).", {
    hint: "Send the file over a faster connection, or in a smaller size.",
  });
}
