// A file that is written piece by piece, plain or gzip.

import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

const charactersAtOnce = 1 << 16;

export class TextFile {
  readonly #path: string;
  readonly #stream: Writable;
  readonly #done: Promise<void>;
  #failure: unknown;
  #waiting: string[] = [];
  #length = 0;

  constructor(path: string, { gzip }: { readonly gzip: boolean }) {
    this.#path = path;
    const file = createWriteStream(path, { flags: "wx" });
    this.#stream = gzip ? createGzip() : file;
    this.#done = gzip ? pipeline(this.#stream as ReturnType<typeof createGzip>, file) : finished(file);
    // `add` and `close` report it.
    this.#done.catch((reason: unknown) => {
      this.#failure = reason;
    });
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
    if (text === "" || this.#stream.write(text)) return;
    await Promise.race([new Promise<void>((resolve) => this.#stream.once("drain", resolve)), this.#done]);
  }

  /** Resolves when the file is on the disk. */
  async close(): Promise<void> {
    await this.#flush();
    this.#stream.end();
    await this.#done;
    const file = await open(this.#path, "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Gives up. */
  destroy(): void {
    this.#stream.destroy();
  }
}
