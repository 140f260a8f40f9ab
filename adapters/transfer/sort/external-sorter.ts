// Sorts more text than memory holds: sorted runs on the disk, merged when they are read.

import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";

export interface SorterOptions {
  /** The folder of the runs. */
  readonly folder: string;
  /** The beginning of the names of its files. */
  readonly name: string;
  /** Characters that a run holds at most; so many are in memory. */
  readonly maxRunLength?: number;
}

const defaultRunLength = 32 << 20;
/** Runs that are read at the same time. */
const maxFanIn = 64;

/**
 * Lines in ascending order of their UTF-16 units. A line holds no line feed. The caller puts what it sorts by at the beginning, in ASCII.
 *
 *     const sorter = new ExternalSorter({ folder, name: "links" });
 *     await sorter.add("00000000000005 boat");
 *     for await (const line of sorter.lines()) console.log(line);
 */
export class ExternalSorter {
  readonly #options: Required<SorterOptions>;
  #waiting: string[] = [];
  #length = 0;
  #runs: string[] = [];
  #made = 0;

  constructor(options: SorterOptions) {
    this.#options = { maxRunLength: defaultRunLength, ...options };
  }

  /** Resolves at once unless a run is full; then when it is on the disk. */
  add(line: string): Promise<void> | undefined {
    this.#waiting.push(line);
    this.#length += line.length;
    return this.#length < this.#options.maxRunLength ? undefined : this.#spill();
  }

  /** All lines, sorted. Nothing is added any more. The runs are removed at the end. */
  async *lines(): AsyncGenerator<string> {
    if (this.#runs.length === 0) {
      yield* this.#waiting.sort(byUnits);
      this.#waiting = [];
      return;
    }
    await this.#spill();
    while (this.#runs.length > maxFanIn) await this.#mergeSome();
    try {
      yield* merge(this.#runs.map(runLines));
    } finally {
      await Promise.all(this.#runs.map((run) => rm(run, { force: true })));
      this.#runs = [];
    }
  }

  async #spill(): Promise<void> {
    const lines = this.#waiting.sort(byUnits);
    this.#waiting = [];
    this.#length = 0;
    if (lines.length > 0) this.#runs.push(await this.#write(lines));
  }

  async #mergeSome(): Promise<void> {
    const some = this.#runs.splice(0, maxFanIn);
    this.#runs.push(await this.#write(merge(some.map(runLines))));
    await Promise.all(some.map((run) => rm(run, { force: true })));
  }

  async #write(lines: Iterable<string> | AsyncIterable<string>): Promise<string> {
    this.#made += 1;
    const path = join(this.#options.folder, `${this.#options.name}-${this.#made}.run`);
    await writeLines(path, lines);
    return path;
  }
}

const charactersAtOnce = 1 << 18;

/** Writes lines to a file. Waits for the disk. */
async function writeLines(path: string, lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const writer = new LineWriter(path);
  try {
    for await (const line of lines) {
      const full = writer.add(line);
      if (full !== undefined) await full;
    }
  } finally {
    await writer.close();
  }
}

/** A file that is written line by line. */
export class LineWriter {
  readonly #file;
  #failure: unknown;
  #text: string[] = [];
  #length = 0;

  constructor(path: string) {
    this.#file = createWriteStream(path);
    this.#file.on("error", (reason) => {
      this.#failure = reason;
    });
  }

  add(line: string): Promise<void> | undefined {
    this.#text.push(line);
    this.#length += line.length;
    return this.#length < charactersAtOnce ? undefined : this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const text = `${this.#text.join("\n")}\n`;
    this.#text = [];
    this.#length = 0;
    await new Promise<void>((resolve, reject) => this.#file.write(text, (error) => (error ? reject(error) : resolve())));
  }

  async close(): Promise<void> {
    if (this.#text.length > 0 && this.#failure === undefined) await this.#flush();
    this.#file.end();
    await finished(this.#file);
  }
}

/** The lines of a file that `writeLines` has written. */
export async function* runLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path, { highWaterMark: 1 << 17, encoding: "utf8" });
  let rest = "";
  try {
    for await (const chunk of file as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    file.destroy();
  }
}

interface Head {
  line: string;
  readonly source: AsyncGenerator<string>;
}

/** Merges sorted sources with a binary heap. */
async function* merge(sources: readonly AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heap: Head[] = [];
  try {
    for (const source of sources) {
      const { value, done } = await source.next();
      if (done !== true) heap.push({ line: value, source });
    }
    for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap, i);
    for (let top = heap[0]; top !== undefined; top = heap[0]) {
      yield top.line;
      const { value, done } = await top.source.next();
      if (done !== true) top.line = value;
      else {
        const last = heap.pop();
        if (last !== undefined && last !== top) heap[0] = last;
      }
      sink(heap, 0);
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}

function sink(heap: Head[], from: number): void {
  let at = from;
  for (;;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    let least = at;
    if (isLess(heap[left], heap[least])) least = left;
    if (isLess(heap[right], heap[least])) least = right;
    if (least === at) return;
    const [a, b] = [heap[at], heap[least]];
    if (a === undefined || b === undefined) return;
    heap[at] = b;
    heap[least] = a;
    at = least;
  }
}

function isLess(a: Head | undefined, b: Head | undefined): boolean {
  return a !== undefined && b !== undefined && a.line < b.line;
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
