// Reads newline-delimited JSON, plain or gzip, in batches, and knows the position of every line. The positions make an import restartable.

import { createHash, type Hash } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { unreadable } from "../ground/read-file.ts";

/** A position between two lines of a file: the length in uncompressed bytes, and the SHA-256, of everything before it. */
export interface Position {
  readonly offset: number;
  readonly lines: number;
  readonly hash: string;
}

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

export interface LineBatch {
  readonly lines: readonly Line[];
  /** Bytes of the file read so far, compressed if the file is. For progress. */
  readonly bytesRead: number;
  /** The position after the first `count` lines of the batch. */
  after(count: number): Position;
}

const defaultMaxLines = 1_000;
const maxBytes = 4 * 2 ** 20;

/** The lines of `file` after `from`, in batches of at most `maxLines` lines and about 4 MiB. */
export async function* lineBatches(file: string, from?: Position, maxLines = defaultMaxLines): AsyncGenerator<LineBatch> {
  const source = await openFile(file);
  const hash = createHash("sha256");
  let pieces: Buffer[] = [];
  let size = 0;
  let offset = 0;
  let lines = 0;
  const begin = from?.offset ?? 0;
  const pass = (piece: Buffer): void => {
    hash.update(piece);
    offset += piece.length;
    lines += 1;
  };
  const take = (): LineBatch => {
    const before = { hash: hash.copy(), offset, lines };
    hash.update(Buffer.concat(pieces));
    offset += size;
    lines += pieces.length;
    const batch = new Batch({ ...before, end: { offset, hash: hash.copy() }, pieces, bytesRead: source.file.bytesRead });
    pieces = [];
    size = 0;
    return batch;
  };
  try {
    for await (const piece of linesOf(source.bytes)) {
      // A last line counts as read, even if it had no line feed then.
      if (offset < begin) {
        pass(piece);
        continue;
      }
      pieces.push(piece);
      size += piece.length;
      if (pieces.length >= maxLines || size >= maxBytes) yield take();
    }
    if (pieces.length > 0) yield take();
  } catch (error) {
    throw unreadable("file", file, error);
  } finally {
    source.file.destroy();
  }
}

/** The last of `candidates` that matches the beginning of `file`; undefined if none does. */
export async function lastMatch<P extends Position>(file: string, candidates: readonly P[]): Promise<P | undefined> {
  const waiting = candidates.toSorted((a, b) => a.offset - b.offset);
  let found: P | undefined;
  if (waiting.length === 0) return found;
  const source = await openFile(file);
  const hash = createHash("sha256");
  let offset = 0;
  try {
    for await (const chunk of source.bytes) {
      let used = 0;
      for (let next = waiting[0]; next !== undefined && next.offset <= offset + chunk.length; next = waiting[0]) {
        hash.update(chunk.subarray(used, next.offset - offset));
        used = next.offset - offset;
        if (hash.copy().digest("hex") === next.hash) found = next;
        waiting.shift();
      }
      if (waiting.length === 0) break;
      hash.update(chunk.subarray(used));
      offset += chunk.length;
    }
  } catch (error) {
    throw unreadable("file", file, error);
  } finally {
    source.file.destroy();
  }
  return found;
}

interface BatchParts {
  /** Of everything before the batch. */
  readonly hash: Hash;
  readonly offset: number;
  readonly lines: number;
  /** Of everything up to the end of the batch. */
  readonly end: { readonly offset: number; readonly hash: Hash };
  readonly pieces: readonly Buffer[];
  readonly bytesRead: number;
}

class Batch implements LineBatch {
  readonly lines: readonly Line[];
  readonly bytesRead: number;
  readonly #parts: BatchParts;
  /** The last computed position. The next one usually follows it, and continues its hash. */
  #last: { readonly count: number; readonly offset: number; readonly hash: Hash };

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.#last = { count: 0, offset: parts.offset, hash: parts.hash };
    this.bytesRead = parts.bytesRead;
    this.lines = parts.pieces.map((piece, index) => ({ number: parts.lines + index + 1, text: piece.toString("utf8") }));
  }

  after(count: number): Position {
    const { hash, offset, lines, pieces, end } = this.#parts;
    if (count === pieces.length) return { offset: end.offset, lines: lines + count, hash: end.hash.copy().digest("hex") };
    const from = this.#last.count <= count ? this.#last : { count: 0, offset, hash };
    const between = pieces.slice(from.count, count);
    const here = from.hash.copy();
    for (const piece of between) here.update(piece);
    this.#last = { count, offset: from.offset + between.reduce((sum, piece) => sum + piece.length, 0), hash: here };
    return { offset: this.#last.offset, lines: lines + count, hash: here.copy().digest("hex") };
  }
}

interface Source {
  readonly file: ReadStream;
  readonly bytes: AsyncIterable<Buffer>;
}

async function openFile(path: string): Promise<Source> {
  const compressed = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: 2 ** 18 });
  if (!compressed) return { file, bytes: file };
  // The iteration reports an error of the pipeline.
  const uncompressed: Readable = pipeline(file, createGunzip({ chunkSize: 2 ** 18 }), () => undefined);
  return { file, bytes: uncompressed };
}

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path).catch((error: unknown) => {
    throw unreadable("file", path, error);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } catch (error) {
    throw unreadable("file", path, error);
  } finally {
    await handle.close();
  }
}

const lineFeed = 0x0a;

/** Lines with their line feed; the last one may have none. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let open: Buffer[] = [];
  for await (const chunk of chunks) {
    let begin = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, begin)) {
      const end = chunk.subarray(begin, at + 1);
      yield open.length === 0 ? end : Buffer.concat([...open, end]);
      open = [];
      begin = at + 1;
    }
    if (begin < chunk.length) open.push(chunk.subarray(begin));
  }
  if (open.length > 0) yield Buffer.concat(open);
}
