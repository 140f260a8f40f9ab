// Which live queries a commit concerns: what each of them has read, and what was committed while some were running.

import type { Layout } from "../contracts/layout.ts";
import { type LayoutIndex, layoutIndexOf } from "../query/layout-index/layout-index.ts";
import { affects } from "./affects.ts";
import { CommitDelta } from "./commit-delta.ts";
import { dependenciesOf } from "./dependencies-of.ts";
import { DependencyRegistry } from "./dependency-registry.ts";
import type { ReadLog } from "./recording-snapshot.ts";
import type { SharedQuery } from "./shared-query.ts";

/** While queries run, so many looks are kept one by one. */
const maxRecent = 200;

export class InvalidationIndex {
  readonly layout: LayoutIndex;
  readonly registry: DependencyRegistry<SharedQuery>;
  /** Queries that read things of which no commit tells. */
  readonly #untold = new Set<SharedQuery>();
  /** What was committed while some query was running: it may have run on older data. */
  #recent: CommitDelta[] = [];
  #running = 0;

  constructor(layout: Layout) {
    this.layout = layoutIndexOf(layout);
    this.registry = new DependencyRegistry(this.layout);
  }

  runBegins(): void {
    this.#running++;
  }

  runEnds(): void {
    this.#running--;
    if (this.#running === 0) this.#recent = [];
  }

  /**
   * Takes down what a run of `group` has read.
   *
   * @returns whether that was touched while it ran
   */
  renew(group: SharedQuery, reads: ReadLog): boolean {
    const before = group.entries;
    group.entries = dependenciesOf(reads.list, this.layout).map((watch, i) => this.registry.renew(before[i], watch, group));
    for (const entry of before.slice(group.entries.length)) this.registry.remove(entry);
    if (reads.untold) this.#untold.add(group);
    return this.#recent.some((touches) => touches.token > group.at && this.#concerns(touches, group));
  }

  forget(group: SharedQuery): void {
    this.#untold.delete(group);
    for (const entry of group.entries) this.registry.remove(entry);
    group.entries = [];
  }

  /** Calls `wake` with those that `touches` may concern; some of them more than once. */
  each(touches: CommitDelta, wake: (group: SharedQuery) => void): void {
    const { token, nodes } = touches;
    for (const group of this.#untold) if (group.at < token) wake(group);
    for (const type of touches.types) for (const group of this.registry.ownersOf(type)) if (group.at < token) wake(group);
    for (const node of nodes.values()) {
      this.registry.find(node, nodes, ({ watch, owner }) => {
        if (owner.woken || owner.isOver || node.token <= owner.at) return;
        if (affects(watch, node, { layout: this.layout, since: owner.at, node: (uid) => nodes.get(uid) })) wake(owner);
      });
    }
  }

  /** Whatever runs now will be asked about `touches` when it is done. */
  keep(touches: CommitDelta): void {
    if (this.#running === 0) return;
    if (this.#recent.length >= maxRecent) this.#recent = [this.#everything()];
    this.#recent.push(touches);
    for (const each of this.#recent) if (each.everything) each.token = touches.token;
  }

  /** Anything may have changed, at any time. */
  keepEverything(): void {
    const touches = this.#everything();
    touches.token = "\uffff";
    if (this.#running > 0) this.#recent.push(touches);
  }

  #everything(): CommitDelta {
    const touches = new CommitDelta(this.layout);
    touches.everything = true;
    return touches;
  }

  #concerns(touches: CommitDelta, group: SharedQuery): boolean {
    if (touches.everything || this.#untold.has(group)) return true;
    const { nodes } = touches;
    const look = { layout: this.layout, since: group.at, node: (uid: number) => nodes.get(uid) };
    for (const type of touches.types) for (const owner of this.registry.ownersOf(type)) if (owner === group) return true;
    for (const node of nodes.values()) {
      if (node.token > group.at && group.entries.some(({ watch }) => affects(watch, node, look))) return true;
    }
    return false;
  }
}
