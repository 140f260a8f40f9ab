// Writes an analysed export to a store: nodes first, then links. A mark in each transaction makes it restartable.

import { join } from "node:path";
import { isObject } from "../../../core/plugin.ts";
import { type Change, type Link, type NodeRef, QuernError, type Snapshot, type Storage, type Uid } from "../../../core/storage.ts";
import { type Analysis, analysisFiles } from "./analyse.ts";
import { batches } from "./batches.ts";
import { LostKeys } from "./lost-keys.ts";
import { readLink, uidAt } from "./records.ts";
import type { Target } from "./target.ts";

/** Where the changes of an import go. */
export interface ImportStore {
  /** What an import noted last; undefined: nothing. */
  mark(): Promise<ImportMark | undefined>;
  /** Applies changes and notes `mark` in one transaction. It is refused when the stored mark is not `before`. */
  apply(changes: readonly Change[], step: { readonly before: ImportMark | undefined; readonly mark: ImportMark }): Promise<void>;
  /** Writes all links at once, and notes `mark` with them. False: nothing was written. Absent: the store cannot. */
  loadLinks?(
    links: AsyncIterable<readonly Link[]>,
    load: { readonly mark: () => ImportMark; readonly progress: WritingOptions["progress"] },
  ): Promise<boolean>;
  /** Takes the uids up to this one out of circulation. */
  claim(highest: Uid): Promise<void>;
  /** Those of `uids` that nodes have. */
  taken(uids: readonly Uid[]): Promise<readonly Uid[]>;
  /** The number that is added to every uid: above all that were ever given. */
  freshOffset(): Promise<number>;
  /** Nodes by type. */
  count(): Promise<Readonly<Record<string, number>>>;
  /** What the store holds now; the caller closes it. Absent: it cannot be read from here. */
  snapshot?(): Snapshot;
  /** Nodes or links that one call of `apply` takes at most. */
  readonly batchSize: number;
}

/** Progress of one import, stored with the data. */
export interface ImportMark {
  readonly fingerprint: string;
  /** `update`: a later export is being brought in. */
  readonly phase: "nodes" | "links" | "done" | "update";
  /** Lines of the phase's file that are written. */
  readonly lines: number;
  /** Added to every uid. */
  readonly offset: number;
  /** The nodes from the one after `offset` up to this one are of the import, or of nobody. Absent: the store held others among them before. */
  readonly until?: Uid;
}

export interface WritingOptions {
  readonly target: Target;
  readonly folder: string;
  readonly fingerprint: string;
  readonly analysis: Analysis;
  readonly store: ImportStore;
  /** True: nodes get new uids. */
  readonly newUids: boolean;
  readonly progress: (step: string, done: number, total: number) => void;
}

const localBatchSize = 1_000;

/** @returns false when an earlier run has written everything */
export async function writeStore(options: WritingOptions): Promise<boolean> {
  const kept = await options.store.mark();
  const found = kept?.fingerprint === options.fingerprint ? kept : undefined;
  if (found?.phase === "done") return false;
  if (kept?.phase === "update") throw unfinished("--update");
  if (kept !== undefined && found === undefined && kept.phase !== "done") throw unfinished();
  const writing = new StoreWriting(options, kept, found);
  if (found === undefined) await writing.begin();
  await writing.nodes();
  await writing.links();
  await writing.finish();
  return true;
}

export function unfinished(option?: "--update"): QuernError {
  return new QuernError("CONFIG_INVALID", "The store holds a part of another import, which was interrupted.", {
    hint: `Run that import again${option === undefined ? "" : ` with ${option}`} to finish it, or import into an empty store.`,
  });
}

class StoreWriting {
  readonly #options: WritingOptions;
  /** As stored. */
  #mark: ImportMark | undefined;
  /** Where an earlier run of this import stopped. */
  readonly #from: ImportMark | undefined;
  #offset: number;
  #until: Uid | undefined;

  constructor(options: WritingOptions, stored: ImportMark | undefined, from: ImportMark | undefined) {
    this.#options = options;
    this.#mark = stored;
    this.#from = from;
    this.#offset = from?.offset ?? 0;
    this.#until = from?.until;
  }

  /** Nothing is written before it is sure that no uid is taken. */
  async begin(): Promise<void> {
    const { store, newUids, folder, analysis } = this.#options;
    const isAlone = newUids || Object.values(await store.count()).every((count) => count === 0);
    if (newUids) this.#offset = await store.freshOffset();
    else {
      for await (const lines of batches(join(folder, analysisFiles.nodes), 0, localBatchSize)) {
        const [taken] = await store.taken(lines.map((line) => uidAt(line, 0)));
        if (taken !== undefined) throw uidTaken(taken);
      }
    }
    if (isAlone) this.#until = this.#offset + analysis.highestUid;
    await this.#apply([], "nodes", 0);
  }

  async nodes(): Promise<void> {
    if (this.#from !== undefined && this.#from.phase !== "nodes") return;
    const { target, folder, analysis, store, progress } = this.#options;
    const lost = new LostKeys(join(folder, analysisFiles.lostKeys), target);
    let done = this.#from?.lines ?? 0;
    for await (const lines of batches(join(folder, analysisFiles.nodes), done, store.batchSize)) {
      const changes: Change[] = [];
      for (const line of lines) changes.push(await this.#creation(line, lost));
      done += lines.length;
      await this.#apply(changes, "nodes", done);
      progress("nodes", done, analysis.nodeCount);
    }
    await lost.close();
  }

  async #creation(line: string, lost: LostKeys): Promise<Change> {
    const { target } = this.#options;
    const { uid, type, values } = await lost.nodeOf(line, target);
    return { kind: "create", uid: uid + this.#offset, type: typeName(target, type), fields: Object.fromEntries(values) };
  }

  async links(): Promise<void> {
    const { store, progress } = this.#options;
    const begin = this.#from?.phase === "links" ? this.#from.lines : 0;
    if (begin === 0 && store.loadLinks !== undefined) {
      let done = 0;
      const mark = () => this.#markAt("links", done);
      const isWritten = await store.loadLinks(
        this.#linkBatches(0, (lines) => (done = lines)),
        { mark, progress },
      );
      if (isWritten) {
        this.#mark = mark();
        return;
      }
    }
    let done = begin;
    for await (const changes of this.#linkBatches(begin, (lines) => (done = lines))) await this.#apply(changes, "links", done);
  }

  /** @param reached called before each batch with the number of lines up to its end */
  async *#linkBatches(begin: number, reached: (lines: number) => void): AsyncGenerator<readonly Link[]> {
    const { folder, analysis, store, progress } = this.#options;
    let done = begin;
    for await (const lines of batches(join(folder, analysisFiles.links), begin, store.batchSize)) {
      done += lines.length;
      reached(done);
      yield lines.map((line) => this.#linkOf(line));
      progress("links", done, analysis.links);
    }
  }

  #linkOf(line: string): Link {
    const { target } = this.#options;
    const { end, from, fromType, to, toType } = readLink(line);
    const name = target.endList[end]?.end.name ?? "";
    const [types, offset] = [{ fromType: typeName(target, fromType), toType: typeName(target, toType) }, this.#offset];
    return { kind: "link", end: name, from: from + offset, to: to + offset, ...types };
  }

  async finish(): Promise<void> {
    await this.#options.store.claim(this.#options.analysis.highestUid + this.#offset);
    await this.#apply([], "done", 0);
  }

  async #apply(changes: readonly Change[], phase: ImportMark["phase"], lines: number): Promise<void> {
    const mark = this.#markAt(phase, lines);
    await this.#options.store.apply(changes, { before: this.#mark, mark });
    this.#mark = mark;
  }

  #markAt(phase: ImportMark["phase"], lines: number): ImportMark {
    const until = this.#until === undefined ? {} : { until: this.#until };
    return { fingerprint: this.#options.fingerprint, phase, lines, offset: this.#offset, ...until };
  }
}

export function typeName(target: Target, index: number): string {
  return target.typeList[index]?.name ?? "";
}

export function uidTaken(uid: Uid): QuernError {
  return new QuernError("CONFIG_INVALID", `The store has a node 0x${uid.toString(16)} already, and an import keeps the uids of the export.`, {
    hint: "Import into an empty store, give the nodes new uids with --new-uids, or bring a later export into the store of an earlier one with --update.",
  });
}

const markName = "import/dgraph";

/** The store of a kernel that this process has opened. */
export function openImportStore(storage: Storage, { target, version }: { readonly target: Target; readonly version: number }): ImportStore {
  const types = target.typeList.map(({ name }) => name);
  return {
    batchSize: localBatchSize,
    snapshot: () => storage.snapshot({ version }),
    async mark() {
      const snapshot = storage.snapshot({ version });
      try {
        return parseMark(await snapshot.meta(markName));
      } finally {
        snapshot.close();
      }
    },
    async apply(changes, { before, mark }) {
      await storage.transact(
        async (transaction) => {
          const stored = parseMark(await transaction.meta(markName));
          if (JSON.stringify(stored) !== JSON.stringify(before)) throw concurrent();
          await transaction.hold(heldBy(changes));
          await transaction.write(changes);
          await transaction.setMeta(markName, { ...mark });
        },
        { version },
      );
    },
    ...(storage.loadLinks && {
      async loadLinks(links, { mark, progress }) {
        const meta = () => ({ name: markName, value: { ...mark() } });
        return (await storage.loadLinks?.({ version, links, meta, progress: ({ what, done, total }) => progress(what, done, total) })) ?? false;
      },
    }),
    async claim(highest) {
      const [type] = types;
      if (type === undefined || highest === 0) return;
      await storage.transact(
        async (transaction) => {
          const { uids } = await transaction.load({ uids: [highest], types, fields: [] });
          if (uids.length > 0) return;
          await transaction.write([{ kind: "create", uid: highest, type, fields: {} }]);
          await transaction.write([{ kind: "remove", uid: highest, type }]);
        },
        { version },
      );
    },
    async taken(uids) {
      const snapshot = storage.snapshot({ version });
      try {
        return (await snapshot.load({ uids, types, fields: [] })).uids;
      } finally {
        snapshot.close();
      }
    },
    async freshOffset() {
      const { result } = await storage.transact((transaction) => transaction.uids(1), { version });
      return result[0] ?? 0;
    },
    async count() {
      const snapshot = storage.snapshot({ version });
      try {
        const counts: [string, number][] = [];
        for (const { name, isHidden } of target.typeList) {
          const [row] = await snapshot.aggregate({ over: { types: [name] }, measures: [{ kind: "count" }] });
          const count = Number(row?.[0] ?? 0);
          if (count > 0 || !isHidden) counts.push([name, count]);
        }
        return Object.fromEntries(counts);
      } finally {
        snapshot.close();
      }
    },
  };
}

/** Nodes that are linked must not be removed meanwhile. */
function heldBy(changes: readonly Change[]): readonly NodeRef[] {
  return changes.flatMap((change) =>
    change.kind === "link"
      ? [
          { uid: change.from, type: change.fromType },
          { uid: change.to, type: change.toType },
        ]
      : [],
  );
}

function concurrent(): QuernError {
  return new QuernError("CONFIG_INVALID", "Another import writes to this store at the same time; let it finish first.");
}

export function parseMark(stored: unknown): ImportMark | undefined {
  if (!isObject(stored)) return undefined;
  const { fingerprint, phase, lines, offset, until } = stored;
  if (typeof fingerprint !== "string" || typeof lines !== "number" || typeof offset !== "number") return undefined;
  if (phase !== "nodes" && phase !== "links" && phase !== "done" && phase !== "update") return undefined;
  return { fingerprint, phase, lines, offset, ...(typeof until === "number" && { until }) };
}
