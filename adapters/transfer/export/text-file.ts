// A file that is written piece by piece, plain or gzip, and can be continued after an interruption.

import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

const charactersAtOnce = 1 << 16;

export interface TextFileOptions {
  readonly gzip: boolean;
  /** The length of a file that is continued there; undefined: a new file. */
  readonly bytes?: number;
}

/** What is written between two marks. */
interface Part {
  readonly stream: Writable;
  readonly done: Promise<void>;
}

export class TextFile {
  readonly #path: string;
  readonly #gzip: boolean;
  #bytes: number | undefined;
  #part: Part | undefined;
  #failure: unknown;
  #waiting: string[] = [];
  #length = 0;

  constructor(path: string, { gzip, bytes }: TextFileOptions) {
    this.#path = path;
    this.#gzip = gzip;
    this.#bytes = bytes;
    if (bytes === undefined) this.#part = this.#begin();
  }

  /** Each part of a compressed file is a gzip member of its own. Members one after the other are one gzip file (RFC 1952, 2.2). */
  #begin(): Part {
    const file = createWriteStream(this.#path, this.#bytes === undefined ? { flags: "wx" } : { flags: "r+", start: this.#bytes });
    const gzip = this.#gzip ? createGzip() : undefined;
    const done = gzip === undefined ? finished(file) : pipeline(gzip, file);
    // `add` and `mark` report it.
    done.catch((reason: unknown) => {
      this.#failure = reason;
    });
    return { stream: gzip ?? file, done };
  }

  /** Resolves when the disk keeps up. */
  async add(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length >= charactersAtOnce) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#length = 0;
    if (text === "") return;
    this.#part ??= this.#begin();
    const { stream, done } = this.#part;
    if (!stream.write(text)) await Promise.race([new Promise<void>((resolve) => stream.once("drain", resolve)), done]);
  }

  /** Resolves when all that was added is on the disk. @returns the bytes of the file, after which it can be continued */
  async mark(): Promise<number> {
    await this.#flush();
    if (this.#part === undefined) return this.#bytes ?? 0;
    const { stream, done } = this.#part;
    stream.end();
    await done;
    this.#part = undefined;
    const file = await open(this.#path, "r+");
    try {
      await file.sync();
      this.#bytes = (await file.stat()).size;
      return this.#bytes;
    } finally {
      await file.close();
    }
  }

  /** Gives up what was added since the last mark. */
  destroy(): void {
    this.#part?.stream.destroy();
  }
}
