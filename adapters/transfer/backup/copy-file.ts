// Copies a file, makes the copy durable, and returns the checksum of what was copied.

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

export interface CopyOptions {
  /** Bytes from the beginning; undefined: all. */
  readonly bytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const bytesAtOnce = 1 << 18;

/** @param to undefined: only reads. @returns the SHA-256 and the length of what was read */
export async function copyFile(
  from: string,
  to: string | undefined,
  { bytes, signal }: CopyOptions = {},
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash("sha256");
  const source = await open(from);
  try {
    const target = to === undefined ? undefined : await open(to, "wx");
    try {
      const buffer = Buffer.alloc(bytesAtOnce);
      let at = 0;
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, (bytes ?? Number.POSITIVE_INFINITY) - at), at);
        if (bytesRead === 0) break;
        const piece = buffer.subarray(0, bytesRead);
        hash.update(piece);
        await target?.writeFile(piece);
        at += bytesRead;
      }
      await target?.sync();
      return { sha256: hash.digest("hex"), bytes: at };
    } finally {
      await target?.close();
    }
  } finally {
    await source.close();
  }
}
