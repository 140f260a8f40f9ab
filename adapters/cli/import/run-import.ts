// Loads files in two passes of ordinary mutations: first the nodes of all lines, then the references that had to wait for them.

import { QuernError } from "../../../core/index.ts";
import type { ImportMark } from "./import-mark.ts";
import type { ImportShape } from "./import-shape.ts";
import type { ImportTarget } from "./import-target.ts";
import { type LineBatch, lastMatch, lineBatches, type Position } from "./line-batches.ts";
import { type InputObject, readLine } from "./read-line.ts";

export interface ImportReport {
  /** Nodes made by this run. */
  added: number;
  /** Lines whose waiting references this run wrote. */
  linked: number;
  /** Lines that an earlier run had brought in already. */
  before: number;
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
  const report: ImportReport = { added: 0, linked: 0, before: 0, bad: 0 };
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
  /** What is tried of a line that is refused as a whole. */
  readonly parts: (input: InputObject) => readonly InputObject[];
}

class FileImport {
  readonly #job: ImportJob;
  readonly #file: string;
  readonly #report: ImportReport;
  readonly #badLines = new Set<number>();
  readonly #badBefore: number;
  #mark: ImportMark | undefined;

  constructor(job: ImportJob, file: string, report: ImportReport, mark: ImportMark | undefined) {
    this.#job = job;
    this.#file = file;
    this.#report = report;
    this.#mark = mark;
    this.#badBefore = mark?.bad ?? 0;
    report.before += mark?.lines ?? 0;
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
      this.#report.added += await this.#write(fresh, { mutation, batch, markAt, parts: () => [] });
      end = batch.after(batch.lines.length);
      events.progress("nodes", this.#file, batch.bytesRead, end.lines);
    }
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
      this.#report.linked += await this.#write(present, { mutation, batch, markAt, parts });
      end = batch.after(batch.lines.length);
      events.progress("references", this.#file, batch.bytesRead, end.lines);
    }
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

  /** Writes entries in one transaction; when that is refused, in halves, until the bad lines stand alone. @returns how many lines were written whole */
  async #write(entries: readonly Entry[], writing: Writing): Promise<number> {
    const last = entries.at(-1);
    if (last === undefined) return 0;
    try {
      await this.#mutate(
        entries.map((entry) => entry.input),
        writing,
        last.end,
      );
      return entries.length;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (entries.length === 1) return await this.#writeParts(last, writing, error);
      const middle = Math.ceil(entries.length / 2);
      return (await this.#write(entries.slice(0, middle), writing)) + (await this.#write(entries.slice(middle), writing));
    }
  }

  async #writeParts(entry: Entry, writing: Writing, refusal: Error): Promise<number> {
    const parts = writing.parts(entry.input);
    if (parts.length < 2) this.#reportBad(entry.line, refusal);
    else {
      for (const part of parts) {
        await this.#mutate([part], writing, entry.end - 1).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
          this.#reportBad(entry.line, error);
        });
      }
    }
    return 0;
  }

  async #mutate(input: readonly InputObject[], { mutation, batch, markAt }: Writing, linesDone: number): Promise<void> {
    const now = this.#job.target.keepsMarks ? markAt(batch.after(linesDone)) : undefined;
    await this.#job.target.run(mutation, { input }, now && { before: this.#mark, now });
    this.#mark = now ?? this.#mark;
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
    const { shape, target } = this.#job;
    const { type, key, keyList } = shape;
    if (key === undefined || keyList === undefined || entries.length === 0) return new Set();
    const query = `query ($keys: ${keyList}) { found: query${type}(filter: { ${key}: { in: $keys } }) { key: ${key} } }`;
    const { found } = await target.run(query, { keys: entries.map((entry) => entry.input[key] ?? null) });
    return new Set(Array.isArray(found) ? found.map((each: { key: unknown }) => String(each.key)) : []);
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

function isRefusal(error: unknown): error is QuernError {
  return error instanceof QuernError && error.code === "REQUEST_REFUSED";
}
