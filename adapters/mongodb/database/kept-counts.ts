// Counts that took many keys of an index, and what commits have changed of them since: to ask for one again reads nothing. They are in memory alone, so that
// no writer waits for another one's counter.

import type { ChangeRecord, CommitToken } from "../../../core/storage.ts";
import { entriesName, linksName, nodesName, subjectOf } from "../read/known-counts.ts";

interface KeptCount {
  /** The commits up to this one are in `count`. */
  at: CommitToken;
  count: number;
  /** What later commits add, in their order. */
  later: { readonly token: CommitToken; readonly by: number }[];
  readonly countedAt: number;
}

const mostCounts = 10_000;
/** Changes of a count that are apart, for views of an earlier time. */
const mostLater = 256;
/** What writes past Quern did is seen after a minute. */
const goodForMs = 60_000;

export class KeptCounts {
  readonly #counts = new Map<string, KeptCount>();
  /** Types, edges and indexes that counts are about. A record may have hundreds of thousands of entries of others. */
  readonly #subjects = new Set<string>();
  /** Up to this time, data may have changed that no record names. */
  #forgotten: CommitToken = "";
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  has(name: string): boolean {
    return this.#fresh(name) !== undefined;
  }

  /** The count at a time; undefined: unknown. @param delivered all commits up to this one were taken */
  at(name: string, token: CommitToken, delivered: CommitToken): number | undefined {
    const kept = this.#fresh(name);
    if (kept === undefined || token < kept.at || (token > kept.at && token > delivered)) return undefined;
    this.#counts.delete(name);
    this.#counts.set(name, kept);
    return kept.later.reduce((count, change) => (change.token <= token ? count + change.by : count), kept.count);
  }

  #fresh(name: string): KeptCount | undefined {
    const kept = this.#counts.get(name);
    if (kept === undefined || this.#now() - kept.countedAt < goodForMs) return kept;
    this.#counts.delete(name);
    return undefined;
  }

  /** @param since the commits after `token` that were delivered already */
  keep(counts: ReadonlyMap<string, number>, token: CommitToken, since: readonly ChangeRecord[]): void {
    if (token < this.#forgotten || since.some(({ kind }) => kind === "coarse")) return;
    const fresh = new Map<string, KeptCount>();
    for (const [name, count] of counts) fresh.set(name, { at: token, count, later: [], countedAt: this.#now() });
    for (const name of counts.keys()) this.#subjects.add(subjectOf(name));
    for (const record of since) applyTo(fresh, this.#subjects, record);
    for (const [name, count] of fresh) {
      if ((this.#counts.get(name)?.at ?? "") > token) continue;
      this.#counts.delete(name);
      this.#counts.set(name, count);
    }
    for (const name of this.#counts.keys()) {
      if (this.#counts.size <= mostCounts) return;
      this.#counts.delete(name);
    }
  }

  take(record: ChangeRecord): void {
    if (this.#counts.size === 0) return;
    if (record.kind === "coarse") this.forget(record.token);
    else applyTo(this.#counts, this.#subjects, record);
  }

  /** Data have changed that no record names, until this time. */
  forget(until: CommitToken): void {
    if (until > this.#forgotten) this.#forgotten = until;
    this.#counts.clear();
    this.#subjects.clear();
  }
}

function applyTo(counts: ReadonlyMap<string, KeptCount>, subjects: ReadonlySet<string>, record: ChangeRecord): void {
  if (record.kind === "coarse") return;
  const { token, nodes, edges, entries } = record;
  const change = (name: string, by: 1 | -1) => {
    const kept = counts.get(name);
    if (kept !== undefined && token > kept.at) add(kept, token, by);
  };
  for (const { type, what } of nodes) if (what !== "changed" && subjects.has(type)) change(nodesName(type), what === "created" ? 1 : -1);
  for (const { edge, from, to, on } of edges) {
    if (!subjects.has(edge)) continue;
    change(linksName(edge, 0, from), on ? 1 : -1);
    change(linksName(edge, 1, to), on ? 1 : -1);
  }
  for (const { index, key, on } of entries) if (subjects.has(index)) change(entriesName(index, key), on ? 1 : -1);
}

function add(kept: KeptCount, token: CommitToken, by: number): void {
  const { later } = kept;
  const last = later.at(-1);
  if (last?.token === token) later[later.length - 1] = { token, by: last.by + by };
  else later.push({ token, by });
  if (later.length <= mostLater) return;
  for (const change of later.splice(0, mostLater / 2)) {
    kept.at = change.token;
    kept.count += change.by;
  }
}
