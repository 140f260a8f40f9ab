// A snapshot that records every read.

import {
  type AggregateRequest,
  andThen,
  type Batch,
  type CommitToken,
  type FindRequest,
  type FollowRequest,
  type Group,
  type GroupRequest,
  type Json,
  type LayoutIndex,
  type Links,
  type LoadRequest,
  type MaybePromise,
  type MeasureRow,
  type Page,
  type Place,
  type Predicate,
  placeAsCondition,
  QuernError,
  run,
  type Snapshot,
} from "../../../../core/plugin.ts";
import type { Read } from "./dependencies-of.ts";
import type { Reached } from "./dependency.ts";
import { farSemiJoins } from "./dependency-key.ts";
import { reachedPartners } from "./reached-partners.ts";

/** The reads of one run. */
export class ReadLog {
  readonly list: Read[] = [];
  /** The run read data that change records do not cover. */
  untracked = false;
  /** The commit that the run reflects; of several snapshots the oldest. */
  at: CommitToken | undefined;

  observe(at: CommitToken): void {
    if (this.at === undefined || at < this.at) this.at = at;
  }
}

export class RecordingSnapshot implements Snapshot {
  readonly #snapshot: Snapshot;
  readonly #reads: ReadLog;
  readonly #layout: LayoutIndex;

  constructor(snapshot: Snapshot, reads: ReadLog, layout: LayoutIndex) {
    this.#snapshot = snapshot;
    this.#reads = reads;
    this.#layout = layout;
    reads.observe(snapshot.at);
  }

  get at(): CommitToken {
    return this.#snapshot.at;
  }

  find(request: FindRequest): MaybePromise<Batch> {
    return andThen(this.#reached(request.where), (reached) => this.#find(request, reached));
  }

  #find(request: FindRequest, reached: Reached | undefined): MaybePromise<Batch> {
    const { page, order, nearest } = request;
    const note = (found: Batch, edge: Place | undefined) => this.#found({ request, found, edge, reached });
    if (!page || nearest) return andThen(this.#snapshot.find(request), (found) => note(found, undefined));
    if (!order) return andThen(this.#snapshot.find(request), (found) => note(found, isFull(page, found) ? edgeOf(page, found, []) : undefined));
    // The sort keys of the last row decide later which nodes are beyond the page.
    const fields = [...request.fields, ...order.map((key) => key.field)];
    return andThen(this.#snapshot.find({ ...request, fields }), (wide) => {
      const found = { ...wide, columns: wide.columns.slice(0, request.fields.length) };
      const keys = wide.columns.slice(request.fields.length);
      return note(found, isFull(page, found) ? edgeOf(page, found, keys) : undefined);
    });
  }

  #found({ request, found, ...rest }: Omit<Extract<Read, { kind: "find" }>, "kind">): Batch {
    this.#reads.list.push({ kind: "find", request: placeAsCondition(request), found, ...rest });
    return found;
  }

  #reached(where: Predicate | undefined): MaybePromise<Reached | undefined> {
    const far = where === undefined ? [] : farSemiJoins(where, this.#layout);
    return far.length === 0 ? undefined : run(reachedPartners(far, this.#snapshot, this.#layout));
  }

  follow(request: FollowRequest): MaybePromise<Links> {
    return andThen(this.#reached(request.where), (reached) =>
      andThen(this.#snapshot.follow(request), (links) => {
        this.#reads.list.push({ kind: "follow", request: placeAsCondition(request), found: links.nodes, reached });
        return links;
      }),
    );
  }

  load(request: LoadRequest): MaybePromise<Batch> {
    return andThen(this.#snapshot.load(request), (found) => {
      this.#reads.list.push({ kind: "load", request, found });
      return found;
    });
  }

  aggregate(request: AggregateRequest): MaybePromise<readonly MeasureRow[]> {
    return andThen(this.#reached(request.over.where), (reached) => {
      this.#reads.list.push({ kind: "aggregate", request, reached });
      return this.#snapshot.aggregate(request);
    });
  }

  group(request: GroupRequest): MaybePromise<readonly Group[]> {
    return andThen(this.#reached(request.over.where), (reached) => {
      if (!this.#snapshot.group) throw new QuernError("INTERNAL", "A snapshot was recorded before it could group.");
      this.#reads.list.push({ kind: "group", request, reached });
      return this.#snapshot.group(request);
    });
  }

  meta(name: string): MaybePromise<Json | undefined> {
    this.#reads.untracked = true;
    return this.#snapshot.meta(name);
  }

  close(): void {
    this.#snapshot.close();
  }
}

function isFull(page: Page, { uids }: Batch): boolean {
  const limit = "last" in page ? page.last : page.first;
  return limit !== undefined && uids.length >= limit;
}

function edgeOf(page: Page, { uids }: Batch, keys: Batch["columns"]): Place | undefined {
  const row = "last" in page ? 0 : uids.length - 1;
  const uid = uids[row];
  return uid === undefined ? undefined : { uid, keys: keys.map((column) => column[row]) };
}
