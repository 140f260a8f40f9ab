// Which live queries a commit invalidates: the dependencies of each query, and the commits that happened while queries were running.

import { type Layout, type LayoutIndex, layoutIndexOf, type WakeCause } from "../../../../core/plugin.ts";
import { CommitDelta } from "../commits/commit-delta.ts";
import { dependenciesOfRead, isDependencyOf, type Read } from "../dependencies/dependencies-of.ts";
import type { ReadLog } from "../dependencies/recording-snapshot.ts";
import type { Registration } from "../dependencies/registration.ts";
import type { SharedQuery } from "../sharing/shared-query.ts";
import { affects } from "./affects.ts";
import { DependencyRegistry } from "./dependency-registry.ts";
import { FieldTypes } from "./field-types.ts";
import { anything, wokenBy } from "./wake.ts";

/** How many deltas are kept one by one while queries run; beyond that, one that matches everything. */
const maxRecent = 200;

/** A run that has not ended. */
export interface RunningQuery {
  /** How many deltas had been processed when it began. */
  readonly begunAfter: number;
}

export interface TestCounters {
  /** How often a dependency was tested against a node that a commit had changed. */
  tests: number;
}

interface RecentDelta {
  /** Its place among all deltas. */
  readonly number: number;
  readonly delta: CommitDelta;
}

export class InvalidationIndex {
  readonly layout: LayoutIndex;
  readonly registry: DependencyRegistry<SharedQuery>;
  /** Queries that read data which change records do not cover: every commit invalidates them. */
  readonly #untracked = new Set<SharedQuery>();
  /** Commits that happened while queries that still run were running: their snapshots may be older. */
  #recent: RecentDelta[] = [];
  #deltas = 0;
  /** In the order in which they began. Few, and a list: V8 makes a `Set` new after each few that come and go. */
  readonly #running: RunningQuery[] = [];
  readonly #counters: TestCounters;

  constructor(layout: Layout, counters: TestCounters) {
    this.#counters = counters;
    this.layout = layoutIndexOf(layout);
    this.registry = new DependencyRegistry(this.layout, new FieldTypes(layout));
  }

  beginRun(): RunningQuery {
    const running = { begunAfter: this.#deltas };
    this.#running.push(running);
    return running;
  }

  endRun(running: RunningQuery): void {
    this.#running.splice(this.#running.indexOf(running), 1);
    if (this.#recent.length === 0) return;
    const [oldest] = this.#running;
    const first = this.#recent.findIndex(({ number }) => oldest !== undefined && number > oldest.begunAfter);
    this.#recent = first < 0 ? [] : this.#recent.slice(first);
  }

  /**
   * Replaces the dependencies of `query` by those of its last run.
   *
   * @returns whether a commit during the run may have changed the data
   */
  update(query: SharedQuery, reads: ReadLog, { begunAfter }: RunningQuery): boolean {
    const before = query.registrations;
    query.registrations = this.#registered(query, reads);
    for (const entry of before.slice(query.registrations.length)) this.registry.remove(entry);
    if (reads.untracked) this.#untracked.add(query);
    return this.#recent.some(({ number, delta }) => number > begunAfter && delta.token > query.at && this.#isAffected(delta, query));
  }

  /** What is kept of the last run stands at the same place. */
  #registered(query: SharedQuery, { list }: ReadLog): readonly Registration<SharedQuery>[] {
    const before = query.registrations;
    if (list.length === before.length && list.every((read, i) => this.#isKept(read, before[i]))) return before;
    const registered: Registration<SharedQuery>[] = [];
    for (const read of list) {
      const known = before[registered.length];
      if (known && this.#isKept(read, known)) registered.push(known);
      else for (const each of dependenciesOfRead(read, this.layout)) registered.push(this.registry.replace(before[registered.length], each, query));
    }
    return registered;
  }

  #isKept(read: Read, known: Registration<SharedQuery> | undefined): boolean {
    return known !== undefined && isDependencyOf(read, known.dependency, this.layout);
  }

  forget(query: SharedQuery): void {
    this.#untracked.delete(query);
    for (const entry of query.registrations) this.registry.remove(entry);
    query.registrations = [];
  }

  /** Calls `invalidate` with each query that `delta` may affect, possibly more than once. */
  visitAffected(delta: CommitDelta, invalidate: (query: SharedQuery, cause: WakeCause) => void): void {
    const { token, nodes } = delta;
    for (const query of this.#untracked) if (query.at < token) invalidate(query, anything);
    for (const type of delta.types) for (const query of this.registry.ownersOf(type)) if (query.at < token) invalidate(query, { kind: "type", type });
    for (const node of nodes.values()) {
      // One for all queries that the node wakes.
      let known: WakeCause | undefined;
      const cause = (): WakeCause => {
        known ??= wokenBy(node);
        return known;
      };
      if (!node.removed && !node.isLoaded && node.type !== undefined) {
        for (const query of this.registry.ownersOf(node.type)) if (query.at < node.token) invalidate(query, cause());
      }
      this.registry.find(node, nodes, ({ dependency, owner }) => {
        if (owner.isStale || owner.isOver || node.token <= owner.at) return;
        this.#counters.tests++;
        if (affects(dependency, node, { layout: this.layout, since: owner.at, node: (uid) => nodes.get(uid) })) invalidate(owner, cause());
      });
    }
  }

  /** Queries that run now are tested against `delta` when they finish. */
  recordDuringRuns(delta: CommitDelta): void {
    if (this.#running.length === 0) return;
    if (this.#recent.length >= maxRecent) this.#recent = [{ number: this.#deltas, delta: this.#everything() }];
    this.#record(delta);
    for (const each of this.#recent) if (each.delta.everything) each.delta.token = delta.token;
  }

  #record(delta: CommitDelta): void {
    this.#recent.push({ number: ++this.#deltas, delta });
  }

  /** Queries that run now are stale when they finish: anything may have changed. */
  recordUnknownChange(): void {
    const delta = this.#everything();
    delta.token = "\uffff";
    if (this.#running.length > 0) this.#record(delta);
  }

  #everything(): CommitDelta {
    const delta = new CommitDelta(this.layout);
    delta.everything = true;
    return delta;
  }

  #isAffected(delta: CommitDelta, query: SharedQuery): boolean {
    if (delta.everything || this.#untracked.has(query)) return true;
    const { nodes } = delta;
    const context = { layout: this.layout, since: query.at, node: (uid: number) => nodes.get(uid) };
    for (const type of delta.types) if (query.registrations.some((each) => this.registry.isOf(each, type))) return true;
    for (const node of nodes.values()) {
      if (node.token <= query.at) continue;
      this.#counters.tests += query.registrations.length;
      if (query.registrations.some(({ dependency }) => affects(dependency, node, context))) return true;
    }
    return false;
  }
}
