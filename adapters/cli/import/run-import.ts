// Loads files in two passes: first the nodes of all lines, then the references between them. A pass consists of ordinary mutations, or writes the same
// without them.

import { type MaybePromise, QuernError } from "../../../core/index.ts";
import type { BulkBatch, GatheredBatch, KeyedLinks } from "../../transfer/index.ts";
import type { ImportMark } from "./import-mark.ts";
import type { ImportShape, LookUp } from "./import-shape.ts";
import type { GatheredBatches, ImportTarget, LinksAtOnce, MarkStep, PlainWriting, WriteOptions } from "./import-target.ts";
import { type LineBatch, lastMatch, lineBatches, type Position } from "./line-batches.ts";
import { mentionOnce } from "./mention-once.ts";
import { type InputObject, readLine } from "./read-line.ts";
import { ReferencesAtOnce } from "./references-at-once.ts";

export interface ImportReport {
  /** Nodes created by this run. */
  added: number;
  /** Lines whose deferred references this run wrote. */
  linked: number;
  /** Lines whose nodes already existed, found by their keys. */
  before: number;
  /** Lines that an earlier run processed, blank and invalid ones included. */
  linesBefore: number;
  /** Lines that were skipped, or of which only invalid references were skipped. */
  bad: number;
}

export interface ImportEvents {
  /** Called after every batch. `bytes`: bytes of the file read so far, compressed if the file is. */
  progress(pass: ImportPass, file: string, bytes: number, lines: number): void;
  /** Called for an invalid line. Throw to stop the import; all earlier batches stay loaded. */
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
  await new Passes(states, job.target.links).run();
  return report;
}

/** The two passes over all files. */
class Passes {
  readonly #states: readonly FileImport[];
  readonly #links: LinksAtOnce | undefined;

  constructor(states: readonly FileImport[], links: LinksAtOnce | undefined) {
    this.#states = states;
    this.#links = links;
  }

  async run(): Promise<void> {
    let gathered = this.#states.every(({ isNew }) => isNew) ? this.#links?.gather() : undefined;
    const add = (batch: GatheredBatch) => {
      if (gathered?.add(batch) === false) gathered = undefined;
      return gathered !== undefined;
    };
    for (const state of this.#states) await state.addNodes(gathered && { takesKeys: gathered.takesKeys, add });
    if (gathered !== undefined) await this.#settle(gathered.write(this.#steps));
    else if (this.#links !== undefined && this.#states.every(({ mayLinkAtOnce }) => mayLinkAtOnce))
      await this.#settle(this.#links.write(this.#batches(), this.#steps));
    for (const state of this.#states) await state.addReferences();
  }

  async *#batches(): AsyncGenerator<BulkBatch> {
    for (const state of this.#states) yield* state.referenceBatches();
  }

  /** A mark covers everything before it: with batches left, only the end of the second pass marks. */
  readonly #steps = (): readonly MarkStep[] => (this.#left > 0 ? [] : this.#states.flatMap((state) => state.linkStep ?? []));

  get #left(): number {
    return this.#states.reduce((sum, { atOnce }) => sum + atOnce.left, 0);
  }

  async #settle(written: Promise<boolean>): Promise<void> {
    const isWritten = await written;
    for (const state of this.#states) state.linkedAtOnce(isWritten ? { isMarked: this.#left === 0 } : undefined);
  }
}

/** The input of one line. */
interface Entry {
  readonly line: number;
  /** The number of lines of the batch up to and including this one. */
  readonly end: number;
  readonly input: InputObject;
}

/** The references of one line, in one form or the other. */
interface References {
  readonly line: number;
  readonly keyed: KeyedLinks | undefined;
  readonly links: InputObject | undefined;
}

/** Takes the references of each batch, as long as `add` returns true. */
type Gathering = Pick<GatheredBatches, "takesKeys" | "add">;

/** How to write one batch. */
interface Writing {
  readonly mutation: string;
  /** Does the same for plain objects. */
  readonly plain: keyof PlainWriting;
  readonly batch: LineBatch;
  /** The mark for a position in the file. */
  readonly markAt: (position: Position) => ImportMark;
  /** Removes recognizably invalid parts of a refused batch. */
  readonly mend: (entries: readonly Entry[]) => MaybePromise<readonly Entry[]>;
  /** The parts to try separately of a line that is refused as a whole. */
  readonly parts: (input: InputObject) => readonly InputObject[];
}

/** Mutations that may be in flight at the same time. */
const maxInFlight = 4;

/**
 * Lines of a batch where the storage commits several batches at once. Four batches of a thousand lines are more than the young generation of the heap
 * holds: they took a seventh more processor time.
 */
const smallBatch = 250;

/** After so many batches, one after another, that were not plain, further ones are not tried. */
const maxPlainMisses = 8;

class FileImport {
  readonly #job: ImportJob;
  readonly #file: string;
  readonly #report: ImportReport;
  readonly #badLines = new Set<number>();
  readonly #badBefore: number;
  #mark: ImportMark | undefined;
  /** Mutations that are not durable yet. */
  #inFlight: Promise<unknown>[] = [];
  #plainMisses = 0;
  atOnce = new ReferencesAtOnce();
  #isLinked = false;

  constructor(job: ImportJob, file: string, report: ImportReport, mark: ImportMark | undefined) {
    this.#job = job;
    this.#file = file;
    this.#report = report;
    this.#mark = mark;
    this.#badBefore = mark?.bad ?? 0;
    report.linesBefore += mark?.lines ?? 0;
  }

  /** First pass. */
  async addNodes(gather?: Gathering): Promise<void> {
    const { shape, target, events } = this.#job;
    const mutation = `mutation ($input: [Add${shape.type}Input!]!) { add${shape.type}(input: $input) { numUids } }`;
    const markAt = (position: Position): ImportMark => ({ ...position, linked: this.#mark?.linked, bad: this.#badCount() });
    let end: Position | undefined;
    let gathers = gather !== undefined;
    for await (const batch of this.#lineBatches(this.#mark)) {
      const references: References[] = [];
      const read = (text: string, line: number) => {
        const parsed = readLine(text, shape);
        const { node } = parsed;
        const keyed = gathers && gather?.takesKeys ? parsed.keyed : undefined;
        const links = gathers && keyed === undefined ? parsed.links : undefined;
        if (keyed !== undefined || links !== undefined) references.push({ line, keyed, links });
        return node;
      };
      const entries = this.#read(batch, read, { reports: true });
      const fresh = target.keepsMarks ? entries : await this.#unknown(entries);
      this.#report.added += await this.#writeBatch(fresh, { mutation, plain: "create", batch, markAt, mend: (all) => all, parts: () => [] });
      end = batch.after(batch.lines.length);
      if (gathers) gathers = this.#gather(references, end, gather);
      events.progress("nodes", this.#file, batch.bytesRead, end.lines);
    }
    await this.#flush();
    if (end !== undefined && this.#mark?.offset !== end.offset) await this.#keep(markAt(end));
  }

  /** Lines that were refused have no references: their key may be that of another node. @returns whether more is gathered */
  #gather(references: readonly References[], end: Position, gather: Gathering | undefined): boolean {
    const written = references.filter(({ line }) => !this.#badLines.has(line));
    const left = this.atOnce.batch(end, written.length);
    if (written.length === 0) return true;
    const keyed = written.flatMap((each) => (each.keyed === undefined ? [] : [each.keyed]));
    const links = written.flatMap((each) => (each.links === undefined ? [] : [each.links]));
    return gather?.add({ objects: mentionOnce(links, this.#job.shape.input), keyed, left }) ?? false;
  }

  #lineBatches(from?: Position): AsyncGenerator<LineBatch> {
    return lineBatches(this.#file, from, this.#job.target.links === undefined ? undefined : smallBatch);
  }

  /** Whether no earlier run has written anything. */
  get isNew(): boolean {
    return this.#job.shape.key !== undefined && this.#mark === undefined;
  }

  /** Whether no earlier run has begun the second pass. */
  get mayLinkAtOnce(): boolean {
    return this.#job.shape.key !== undefined && this.#mark?.linked === undefined;
  }

  /** The references of the file, in batches of lines. */
  async *referenceBatches(): AsyncGenerator<BulkBatch> {
    const { shape, events } = this.#job;
    this.atOnce = new ReferencesAtOnce();
    for await (const batch of this.#lineBatches()) {
      const end = batch.after(batch.lines.length);
      const entries = this.#read(batch, (text) => readLine(text, shape).links, { reports: false });
      const left = this.atOnce.batch(end, entries.length);
      if (entries.length > 0) yield { objects: mentionOnce(entries.map(inputOf), shape.input), left };
      events.progress("references", this.#file, batch.bytesRead, end.lines);
    }
  }

  /** The mark at the end of the second pass. */
  get linkStep(): MarkStep | undefined {
    const now = this.atOnce.end && this.#linkMarkAt(this.atOnce.end);
    return now && { before: this.#mark, now };
  }

  #linkMarkAt(position: Position): ImportMark {
    return { ...(this.#mark ?? { ...position, bad: 0 }), linked: position };
  }

  /** @param written undefined when nothing was written at once */
  linkedAtOnce(written: { readonly isMarked: boolean } | undefined): void {
    if (written === undefined) this.atOnce = new ReferencesAtOnce();
    this.#report.linked += this.atOnce.lines;
    if (written?.isMarked !== true) return;
    this.#isLinked = true;
    this.#mark = this.linkStep?.now ?? this.#mark;
  }

  /** Second pass. */
  async addReferences(): Promise<void> {
    const { shape, events } = this.#job;
    const { key } = shape;
    if (key === undefined || this.#isLinked) return;
    const mutation = `mutation ($input: [Add${shape.type}Input!]!) { add${shape.type}(input: $input, upsert: true) { numUids } }`;
    const markAt = (position: Position) => this.#linkMarkAt(position);
    const parts = (input: InputObject) => singleReferences(input, shape);
    let end: Position | undefined;
    this.#plainMisses = 0;
    for await (const batch of this.#lineBatches(this.#mark?.linked)) {
      end = batch.after(batch.lines.length);
      if (this.atOnce.has(end)) continue;
      const entries = this.#read(batch, (text) => readLine(text, shape).links, { reports: false });
      // An upsert creates a missing node, so lines that were skipped must be skipped here too.
      const present = this.#badCount() === 0 ? entries : await this.#present(entries);
      const mend = (all: readonly Entry[]) => this.#withoutDangling(all);
      this.#report.linked += await this.#writeBatch(present, { mutation, plain: "link", batch, markAt, mend, parts });
      events.progress("references", this.#file, batch.bytesRead, end.lines);
    }
    await this.#flush();
    if (end !== undefined && this.#mark?.linked?.offset !== end.offset) await this.#keep(markAt(end));
  }

  /** The inputs of a batch. Blank lines and known invalid lines have none. */
  #read(
    batch: LineBatch,
    read: (text: string, line: number) => InputObject | undefined,
    { reports }: { readonly reports: boolean },
  ): readonly Entry[] {
    return batch.lines.flatMap(({ number, text }, index) => {
      if (text.trim() === "" || this.#badLines.has(number)) return [];
      try {
        const input = read(text, number);
        return input === undefined ? [] : [{ line: number, end: index + 1, input }];
      } catch (error) {
        if (reports) this.#reportBad(number, error);
        return [];
      }
    });
  }

  /** Writes a batch in one transaction. If it is refused, removes recognizably invalid parts, and finds the others by bisection. */
  async #writeBatch(entries: readonly Entry[], writing: Writing): Promise<number> {
    const inputs = mentionOnce(entries.map(inputOf), this.#job.shape.input);
    if (!(await this.#writePlain(inputs, writing, entries.at(-1)?.end))) {
      const settled = entries.map((entry, i) => ({ ...entry, input: inputs[i] ?? entry.input }));
      if (await this.#writeWhole(settled, writing).then(nothing, refusal)) await this.#write(await writing.mend(entries), writing);
    }
    return entries.filter((entry) => !this.#badLines.has(entry.line)).length;
  }

  /** Writes entries in one transaction. If it is refused, writes each half, down to single lines. */
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

  async #mutate(input: readonly InputObject[], writing: Writing, linesDone: number): Promise<void> {
    await this.#send((options) => this.#job.target.run(writing.mutation, { input }, options), writing, linesDone);
  }

  /** Writes a batch without a mutation. @returns false when nothing was written */
  async #writePlain(input: readonly InputObject[], writing: Writing, linesDone: number | undefined): Promise<boolean> {
    const { plain } = this.#job.target;
    if (plain === undefined || linesDone === undefined || this.#plainMisses >= maxPlainMisses) return false;
    const isWritten = await this.#send((options) => plain[writing.plain](input, options), writing, linesDone);
    this.#plainMisses = isWritten ? 0 : this.#plainMisses + 1;
    return isWritten;
  }

  /**
   * Resolves when the write can no longer be refused. Durability is awaited later, so that the next lines are read while the disk works.
   *
   * @param send resolves with false when it wrote nothing
   * @returns whether it was written
   */
  async #send(send: (options: WriteOptions) => Promise<unknown>, { batch, markAt }: Writing, linesDone: number): Promise<boolean> {
    const now = this.#job.target.keepsMarks ? markAt(batch.after(linesDone)) : undefined;
    const step = now && { before: this.#mark, now };
    let staged: () => void = nothing;
    const isStaged = new Promise<void>((resolve) => {
      staged = resolve;
    });
    const durable = send({ step, staged });
    if ((await Promise.race([isStaged, durable])) === false) return false;
    this.#mark = now ?? this.#mark;
    this.#inFlight.push(durable);
    if (this.#inFlight.length > maxInFlight) await this.#inFlight.shift();
    return true;
  }

  /** Waits until all writes are durable. */
  async #flush(): Promise<void> {
    await Promise.all(this.#inFlight);
    this.#inFlight = [];
  }

  async #keep(now: ImportMark): Promise<void> {
    if (this.#job.target.keepsMarks) await this.#job.target.mark({ before: this.#mark, now });
    this.#mark = now;
  }

  /** Entries whose node does not exist yet. Continues an import on a target without marks. */
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

  /** The `keys` that name an existing node, as text. */
  async #existing({ query, key, keyList }: LookUp, keys: readonly unknown[]): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const text = `query ($keys: ${keyList}) { found: ${query}(filter: { ${key}: { in: $keys } }) { key: ${key} } }`;
    const { found } = await this.#job.target.run(text, { keys: [...new Set(keys)] });
    return new Set(Array.isArray(found) ? found.map((each: { key: unknown }) => String(each.key)) : []);
  }

  /** Removes references to nodes that do not exist, and reports their lines. */
  async #withoutDangling(entries: readonly Entry[]): Promise<readonly Entry[]> {
    let left = entries;
    for (const [name, { lookUp }] of this.#job.shape.input.links) {
      if (lookUp === undefined) continue;
      const keysOf = ({ input }: Entry): readonly unknown[] => listed(input[name]).map((each) => each[lookUp.key]);
      const known = await this.#existing(lookUp, left.flatMap(keysOf)).then(itself, refusal);
      // The lookup refuses keys of a wrong type; bisection finds their lines.
      if (known instanceof Error) continue;
      left = left.map((entry) => {
        const missing = keysOf(entry).filter((key) => !known.has(String(key)));
        if (missing.length === 0) return entry;
        this.#reportBad(entry.line, new Error(`${name} refers to ${missing.join(", ")}, which does not exist.`));
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

  #badCount(): number {
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

/** Returns a refusal; rethrows any other error. */
function refusal(error: unknown): QuernError {
  if (error instanceof QuernError && error.code === "REQUEST_REFUSED") return error;
  throw error;
}

function inputOf({ input }: Entry): InputObject {
  return input;
}

function nothing(): undefined {
  return undefined;
}

function itself<T>(value: T): T {
  return value;
}
