// Reads a file of an export as lines: plain, gzip, or encrypted gzip.

import { createDecipheriv } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { QuernError } from "../../../core/storage.ts";

/** Lines of a file that arrived together. */
export interface LineGroup {
  readonly lines: readonly string[];
  /** The number of the first line, from 1. */
  readonly first: number;
  /** Bytes of the file read so far, compressed if the file is. */
  readonly bytesRead: number;
  /** False: the last line of the file, which has no line feed. */
  readonly complete: boolean;
}

/** 16, 24 or 32 bytes; undefined: none is given. */
export type EncryptionKey = Uint8Array | undefined;

const chunkBytes = 1 << 18;
const ivBytes = 16;
const lineFeed = 0x0a;

/** The lines of a file without their line feeds. */
export async function* linesIn(path: string, key: EncryptionKey): AsyncGenerator<LineGroup> {
  const { file, bytes } = await openSource(path, key);
  let rest: Buffer[] = [];
  let first = 1;
  try {
    for await (const chunk of bytes) {
      const end = chunk.lastIndexOf(lineFeed);
      if (end === -1) {
        rest.push(chunk);
        continue;
      }
      const lines = decoded(Buffer.concat([...rest, chunk.subarray(0, end)])).split("\n");
      rest = [chunk.subarray(end + 1)];
      yield { lines, first, bytesRead: file.bytesRead, complete: true };
      first += lines.length;
    }
    const last = decoded(Buffer.concat(rest));
    if (last !== "") yield { lines: [last], first, bytesRead: file.bytesRead, complete: false };
  } catch (error) {
    throw readFailure(path, error);
  } finally {
    file.destroy();
  }
}

/** The whole text of a small file. */
export async function textIn(path: string, key: EncryptionKey): Promise<string> {
  const parts: string[] = [];
  for await (const { lines } of linesIn(path, key)) parts.push(...lines);
  return parts.join("\n");
}

interface ByteSource {
  readonly file: { readonly bytesRead: number; destroy(): void };
  readonly bytes: AsyncIterable<Buffer>;
}

async function openSource(path: string, key: EncryptionKey): Promise<ByteSource> {
  const head = await headOf(path);
  if (isGzip(head)) return gunzipped(createReadStream(path, { highWaterMark: chunkBytes }));
  if (!path.endsWith(".gz")) {
    const file = createReadStream(path, { highWaterMark: chunkBytes });
    return { file, bytes: file };
  }
  if (head.length === 0) throw new QuernError("CONFIG_INVALID", `${path} is empty; copy the export again.`);
  if (key === undefined) {
    throw new QuernError("CONFIG_INVALID", `${path} is not gzip. If the export is encrypted, name its key with --encryption-key-file.`);
  }
  const iv = head.subarray(0, ivBytes);
  if (iv.length < ivBytes || !isGzip(decipher(key, iv).update(head.subarray(ivBytes)))) {
    throw new QuernError("CONFIG_INVALID", `${path} cannot be decrypted with this key; check --encryption-key-file.`);
  }
  const file = createReadStream(path, { start: ivBytes, highWaterMark: chunkBytes });
  return gunzipped(file, decipher(key, iv));
}

function gunzipped(file: ReturnType<typeof createReadStream>, ...through: readonly NodeJS.ReadWriteStream[]): ByteSource {
  const bytes = createGunzip({ chunkSize: chunkBytes });
  // The iteration reports an error of the pipeline.
  pipeline([file, ...through, bytes], () => undefined);
  return { file, bytes };
}

function decipher(key: Uint8Array, iv: Uint8Array) {
  return createDecipheriv(`aes-${key.length * 8}-ctr`, key, iv);
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    throw readFailure(path, error);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ivBytes + 2), 0, ivBytes + 2, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw readFailure(path, error);
  } finally {
    await file.close();
  }
}

/** Removes a byte-order mark and the carriage returns of files that were edited on Windows. */
function decoded(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).replaceAll("\r\n", "\n").replace(/\r$/, "");
}

function readFailure(path: string, error: unknown): unknown {
  if (error instanceof QuernError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("Z_") || code === "ERR_STREAM_PREMATURE_CLOSE") {
    const found = code === "Z_BUF_ERROR" ? "ends in the middle of its gzip data" : "has damaged gzip data";
    return new QuernError("CONFIG_INVALID", `${path} ${found}; copy it again, or export again.`, { cause: error });
  }
  const reason =
    code === "ENOENT" ? "does not exist" : code === "EACCES" ? "is not readable by this user" : `cannot be read (${code || String(error)})`;
  return new QuernError("CONFIG_INVALID", `${path} ${reason}.`, { cause: error });
}
