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
  /** Without its line feed. */
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
  const gathered = new GatheredLines(from?.offset ?? 0, maxLines);
  try {
    for await (const chunk of source.bytes) {
      for (let begin = 0; begin < chunk.length; ) {
        begin = gathered.add(chunk, begin);
        const parts = gathered.isFull ? gathered.take() : undefined;
        if (parts !== undefined) yield new Batch(parts, source.file.bytesRead);
      }
    }
    const parts = gathered.takeRest();
    if (parts !== undefined) yield new Batch(parts, source.file.bytesRead);
  } catch (error) {
    throw unreadable("file", file, error);
  } finally {
    source.file.destroy();
  }
}

/** The lines of the next batch. Bytes are cut where batches end: lines have no buffer and no step of an iteration of their own. */
class GatheredLines {
  readonly #hash = createHash("sha256");
  /** Lines that begin before are passed. */
  readonly #from: number;
  readonly #maxLines: number;
  /** Of everything before the batch. */
  #offset = 0;
  #lines = 0;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Where each line ends, counted from the beginning of the batch. */
  #ends: number[] = [];
  #isFull = false;

  constructor(from: number, maxLines: number) {
    this.#from = from;
    this.#maxLines = maxLines;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Takes lines of a chunk until the batch is full. @returns where the next batch begins in the chunk */
  add(chunk: Buffer, begin: number): number {
    let end = begin;
    while (!this.#isFull) {
      const at = chunk.indexOf(lineFeed, end);
      if (at === -1) {
        end = chunk.length;
        break;
      }
      end = at + 1;
      this.#ends.push(this.#size + end - begin);
      this.#isFull = this.#isComplete(this.#size + end - begin);
    }
    this.#pieces.push(chunk.subarray(begin, end));
    this.#size += end - begin;
    return end;
  }

  /** A last line counts as read, even if it had no line feed then. */
  #isComplete(size: number): boolean {
    if (this.#offset < this.#from && this.#offset + size >= this.#from) return true;
    return this.#ends.length >= this.#maxLines || size >= maxBytes;
  }

  /** The batch of whole lines. Undefined: an earlier run has read them. */
  take(): BatchParts | undefined {
    const bytes = this.#pieces.length === 1 && this.#pieces[0] !== undefined ? this.#pieces[0] : Buffer.concat(this.#pieces);
    const before = { hash: this.#hash.copy(), offset: this.#offset, lines: this.#lines };
    this.#hash.update(bytes);
    this.#offset += bytes.length;
    this.#lines += this.#ends.length;
    const parts = { ...before, end: { offset: this.#offset, hash: this.#hash.copy() }, bytes, ends: this.#ends };
    this.#pieces = [];
    this.#size = 0;
    this.#ends = [];
    this.#isFull = false;
    return before.offset < this.#from ? undefined : parts;
  }

  /** The batch at the end of the file, whose last line may have no line feed. Undefined: there is none. */
  takeRest(): BatchParts | undefined {
    if (this.#size === 0) return undefined;
    if (this.#ends.at(-1) !== this.#size) this.#ends.push(this.#size);
    return this.take();
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
  readonly bytes: Buffer;
  /** Where each line ends in the bytes. */
  readonly ends: readonly number[];
}

class Batch implements LineBatch {
  readonly lines: readonly Line[];
  readonly bytesRead: number;
  readonly #parts: BatchParts;
  /** The last computed position. The next one usually follows it, and continues its hash. */
  #last: { readonly count: number; readonly hash: Hash };

  constructor(parts: BatchParts, bytesRead: number) {
    this.#parts = parts;
    this.#last = { count: 0, hash: parts.hash };
    this.bytesRead = bytesRead;
    const texts = parts.bytes.toString("utf8").split("\n");
    this.lines = parts.ends.map((_, index) => ({ number: parts.lines + index + 1, text: texts[index] ?? "" }));
  }

  after(count: number): Position {
    const { hash, offset, lines, bytes, ends, end } = this.#parts;
    if (count === ends.length) return { offset: end.offset, lines: lines + count, hash: end.hash.copy().digest("hex") };
    const from = this.#last.count <= count ? this.#last : { count: 0, hash };
    const here = from.hash.copy();
    const size = endOf(ends, count);
    here.update(bytes.subarray(endOf(ends, from.count), size));
    this.#last = { count, hash: here };
    return { offset: offset + size, lines: lines + count, hash: here.copy().digest("hex") };
  }
}

/** Where the first lines end. */
function endOf(ends: readonly number[], count: number): number {
  return count === 0 ? 0 : (ends[count - 1] ?? 0);
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
