// Loads files in two passes of ordinary mutations: first the nodes of all lines, then the references that had to wait for them.

import { type MaybePromise, QuernError } from "../../../core/index.ts";
import type { ImportMark } from "./import-mark.ts";
import type { ImportShape, LookUp } from "./import-shape.ts";
import type { ImportTarget } from "./import-target.ts";
import { type LineBatch, lastMatch, lineBatches, type Position } from "./line-batches.ts";
import { mentionOnce } from "./mention-once.ts";
import { type InputObject, readLine } from "./read-line.ts";

export interface ImportReport {
  /** Nodes made by this run. */
  added: number;
  /** Lines whose waiting references this run wrote. */
  linked: number;
  /** Nodes of lines that were there already, found by their keys. */
  before: number;
  /** Lines that an earlier run did, blank and bad ones included. */
  linesBefore: number;
  /** Lines that were left out, in part if only references were bad. */
  bad: number;
}

export interface ImportEvents {
  /** Told after every batch. `bytes` of the file, as they lie on disk. */
  progress(pass: ImportPass, file: string, bytes: number, lines: number): void;
  /** A bad line. Throw to stop there: at least all batches before it are kept. */
  bad(file: string, line: number, reason: string): void;
}
export type ImportPass = "nodes" | "references";

export interface ImportJob {
  readonly files: readonly string[];
  readonly shape: ImportShape;
  readonly target: ImportTarget;
  readonly events: ImportEvents;
}

export async function runImport(job: ImportJob): Promise<ImportReport> {
  const report: ImportReport = { added: 0, linked: 0, before: 0, linesBefore: 0, bad: 0 };
  const kept = await job.target.marks();
  const states: FileImport[] = [];
  for (const file of job.files) states.push(new FileImport(job, file, report, await lastMatch(file, kept)));
  for (const state of states) await state.addNodes();
  for (const state of states) await state.addReferences();
  return report;
}

/** One line's part in a mutation. */
interface Entry {
  readonly line: number;
  /** How many lines of the batch are done when this one is. */
  readonly end: number;
  readonly input: InputObject;
}

/** One batch on its way into the target. */
interface Writing {
  readonly mutation: string;
  readonly batch: LineBatch;
  /** What the mark becomes at a place in the file. */
  readonly markAt: (position: Position) => ImportMark;
  /** Takes out what can be seen to be bad in a batch that was refused. */
  readonly mend: (entries: readonly Entry[]) => MaybePromise<readonly Entry[]>;
  /** What is tried of a line that is refused as a whole. */
  readonly parts: (input: InputObject) => readonly InputObject[];
}

/** Mutations that may be on their way to the disk at once. */
const maxOpen = 4;

class FileImport {
  readonly #job: ImportJob;
  readonly #file: string;
  readonly #report: ImportReport;
  readonly #badLines = new Set<number>();
  readonly #badBefore: number;
  #mark: ImportMark | undefined;
  /** Mutations that are not durable yet. */
  #open: Promise<unknown>[] = [];

  constructor(job: ImportJob, file: string, report: ImportReport, mark: ImportMark | undefined) {
    this.#job = job;
    this.#file = file;
    this.#report = report;
    this.#mark = mark;
    this.#badBefore = mark?.bad ?? 0;
    report.linesBefore += mark?.lines ?? 0;
  }

  /** First pass. */
  async addNodes(): Promise<void> {
    const { shape, target, events } = this.#job;
    const mutation = `mutation ($input: [Add${shape.type}Input!]!) { add${shape.type}(input: $input) { numUids } }`;
    const markAt = (position: Position): ImportMark => ({ ...position, linked: this.#mark?.linked, bad: this.#badSoFar() });
    let end: Position | undefined;
    for await (const batch of lineBatches(this.#file, this.#mark)) {
      const entries = this.#read(batch, (text) => readLine(text, shape).node, { reports: true });
      const fresh = target.keepsMarks ? entries : await this.#unknown(entries);
      this.#report.added += await this.#writeBatch(fresh, { mutation, batch, markAt, mend: (all) => all, parts: () => [] });
      end = batch.after(batch.lines.length);
      events.progress("nodes", this.#file, batch.bytesRead, end.lines);
    }
    await this.#settle();
    if (end !== undefined && this.#mark?.offset !== end.offset) await this.#keep(markAt(end));
  }

  /** Second pass. */
  async addReferences(): Promise<void> {
    const { shape, events } = this.#job;
    const { key } = shape;
    if (key === undefined) return;
    const mutation = `mutation ($input: [Add${shape.type}Input!]!) { add${shape.type}(input: $input, upsert: true) { numUids } }`;
    const markAt = (position: Position): ImportMark => ({ ...(this.#mark ?? { ...position, bad: 0 }), linked: position });
    const parts = (input: InputObject) => singleReferences(input, shape);
    let end: Position | undefined;
    for await (const batch of lineBatches(this.#file, this.#mark?.linked)) {
      const entries = this.#read(batch, (text) => readLine(text, shape).links, { reports: false });
      // An upsert makes the node that it does not find: lines that were left out stay out.
      const present = this.#badSoFar() === 0 ? entries : await this.#present(entries);
      this.#report.linked += await this.#writeBatch(present, { mutation, batch, markAt, mend: (all) => this.#withoutDangling(all), parts });
      end = batch.after(batch.lines.length);
      events.progress("references", this.#file, batch.bytesRead, end.lines);
    }
    await this.#settle();
    if (end !== undefined && this.#mark?.linked?.offset !== end.offset) await this.#keep(markAt(end));
  }

  /** What the lines of a batch say; blank lines say nothing. */
  #read(batch: LineBatch, read: (text: string) => InputObject | undefined, { reports }: { readonly reports: boolean }): readonly Entry[] {
    return batch.lines.flatMap(({ number, text }, index) => {
      if (text.trim() === "" || this.#badLines.has(number)) return [];
      try {
        const input = read(text);
        return input === undefined ? [] : [{ line: number, end: index + 1, input }];
      } catch (error) {
        if (reports) this.#reportBad(number, error);
        return [];
      }
    });
  }

  /** Writes a batch in one transaction; when that is refused, what can be told of it at once is mended, and the rest found by halving. */
  async #writeBatch(entries: readonly Entry[], writing: Writing): Promise<number> {
    const inputs = mentionOnce(
      entries.map((entry) => entry.input),
      this.#job.shape.input,
    );
    const settled = entries.map((entry, i) => ({ ...entry, input: inputs[i] ?? entry.input }));
    if (await this.#writeWhole(settled, writing).then(nothing, refusal)) await this.#write(await writing.mend(entries), writing);
    return entries.filter((entry) => !this.#badLines.has(entry.line)).length;
  }

  /** Writes entries in one transaction; when that is refused, in halves, until the bad lines stand alone. */
  async #write(entries: readonly Entry[], writing: Writing): Promise<void> {
    const reason = await this.#writeWhole(entries, writing).then(nothing, refusal);
    const [first] = entries;
    if (reason === undefined || first === undefined) return;
    if (entries.length === 1) return await this.#writeParts(first, writing, reason);
    const middle = Math.ceil(entries.length / 2);
    await this.#write(entries.slice(0, middle), writing);
    await this.#write(entries.slice(middle), writing);
  }

  async #writeWhole(entries: readonly Entry[], writing: Writing): Promise<void> {
    const last = entries.at(-1);
    if (last !== undefined) {
      const input = entries.map((entry) => entry.input);
      await this.#mutate(input, writing, last.end);
    }
  }

  async #writeParts(entry: Entry, writing: Writing, reason: Error): Promise<void> {
    const parts = writing.parts(entry.input);
    if (parts.length < 2) return this.#reportBad(entry.line, reason);
    for (const part of parts) {
      const refused = await this.#mutate([part], writing, entry.end - 1).then(nothing, refusal);
      if (refused !== undefined) this.#reportBad(entry.line, refused);
    }
  }

  /** Resolves when the mutation cannot be refused any more; that it is durable shows later, so that the disk works while the next lines are read. */
  async #mutate(input: readonly InputObject[], { mutation, batch, markAt }: Writing, linesDone: number): Promise<void> {
    const now = this.#job.target.keepsMarks ? markAt(batch.after(linesDone)) : undefined;
    const step = now && { before: this.#mark, now };
    let staged: () => void = nothing;
    const isStaged = new Promise<void>((resolve) => {
      staged = resolve;
    });
    const durable = this.#job.target.run(mutation, { input }, { step, staged });
    await Promise.race([isStaged, durable]);
    this.#mark = now ?? this.#mark;
    this.#open.push(durable);
    if (this.#open.length > maxOpen) await this.#open.shift();
  }

  /** Waits until everything written is durable. */
  async #settle(): Promise<void> {
    await Promise.all(this.#open);
    this.#open = [];
  }

  async #keep(now: ImportMark): Promise<void> {
    if (this.#job.target.keepsMarks) await this.#job.target.mark({ before: this.#mark, now });
    this.#mark = now;
  }

  /** Entries whose node is not there yet: how a run over a server that keeps no marks goes on. */
  async #unknown(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const known = await this.#knownKeys(entries);
    const fresh = entries.filter((entry) => !known.has(this.#keyIn(entry)));
    this.#report.before += entries.length - fresh.length;
    return fresh;
  }

  async #present(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const known = await this.#knownKeys(entries);
    return entries.filter((entry) => known.has(this.#keyIn(entry)));
  }

  async #knownKeys(entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    const { lookUp } = this.#job.shape;
    return lookUp === undefined
      ? new Set()
      : await this.#existing(
          lookUp,
          entries.map((entry) => entry.input[lookUp.key]),
        );
  }

  /** Those of `keys` that name a node, as text. */
  async #existing({ query, key, keyList }: LookUp, keys: readonly unknown[]): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const text = `query ($keys: ${keyList}) { found: ${query}(filter: { ${key}: { in: $keys } }) { key: ${key} } }`;
    const { found } = await this.#job.target.run(text, { keys: [...new Set(keys)] });
    return new Set(Array.isArray(found) ? found.map((each: { key: unknown }) => String(each.key)) : []);
  }

  /** The entries without references to nodes that are not there; their lines are told. */
  async #withoutDangling(entries: readonly Entry[]): Promise<readonly Entry[]> {
    let left = entries;
    for (const [name, { lookUp }] of this.#job.shape.input.links) {
      if (lookUp === undefined) continue;
      const keysOf = ({ input }: Entry): readonly unknown[] => listed(input[name]).map((each) => each[lookUp.key]);
      const known = await this.#existing(lookUp, left.flatMap(keysOf)).then(itself, refusal);
      // Keys of a wrong kind: halving finds them.
      if (known instanceof Error) continue;
      left = left.map((entry) => {
        const missing = keysOf(entry).filter((key) => !known.has(String(key)));
        if (missing.length === 0) return entry;
        this.#reportBad(entry.line, new Error(`${name} refers to ${missing.join(", ")}, which is not there.`));
        const kept = listed(entry.input[name]).filter((each) => known.has(String(each[lookUp.key])));
        const { [name]: _, ...rest } = entry.input;
        return { ...entry, input: Array.isArray(entry.input[name]) ? { ...rest, [name]: kept } : rest };
      });
    }
    return left;
  }

  #keyIn(entry: Entry): string {
    return String(entry.input[this.#job.shape.key ?? ""]);
  }

  #badSoFar(): number {
    return this.#badBefore + this.#badLines.size;
  }

  #reportBad(line: number, error: unknown): void {
    if (!this.#badLines.has(line)) this.#report.bad += 1;
    this.#badLines.add(line);
    this.#job.events.bad(this.#file, line, error instanceof Error ? error.message : String(error));
  }
}

/** The same node with one reference at a time. */
function singleReferences(input: InputObject, { key, input: { links, required } }: ImportShape): readonly InputObject[] {
  const waiting = Object.entries(input).filter(([name]) => links.has(name) && !required.has(name));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => name === key || required.has(name)));
  return waiting.flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((each) => ({ ...rest, [name]: [each] })) : [{ ...rest, [name]: value }],
  );
}

function listed(value: unknown): readonly InputObject[] {
  if (value === null) return [];
  return value === undefined ? [] : Array.isArray(value) ? value : [value as InputObject];
}

/** What was refused, and why; other failures go on. */
function refusal(error: unknown): QuernError {
  if (error instanceof QuernError && error.code === "REQUEST_REFUSED") return error;
  throw error;
}

function nothing(): undefined {
  return undefined;
}

function itself<T>(value: T): T {
  return value;
}
