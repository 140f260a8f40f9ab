// What was committed, looked at once in each turn of the event loop: which nodes it touched, and what they were and are.

import type { ChangeRecord, Gap } from "../contracts/change-record.ts";
import type { Storage } from "../contracts/storage.ts";
import { QuernError } from "../ground/errors.ts";
import { isPromise } from "../ground/maybe-promise.ts";
import type { CommitToken } from "../ground/values/value.ts";
import type { LayoutIndex } from "../query/layout-index/layout-index.ts";
import type { Log } from "../telemetry/log.ts";
import { CommitDelta } from "./commit-delta.ts";
import type { DependencyRegistry } from "./dependency-registry.ts";
import { loadTouched } from "./load-touched.ts";

export interface CommitsOptions<Owner> {
  readonly storage: Storage;
  /** Of the layout. */
  readonly version: number;
  readonly layout: LayoutIndex;
  readonly registry: DependencyRegistry<Owner>;
  readonly log: Log;
  /** Hears of what a look found. */
  readonly touched: (touches: CommitDelta) => void;
  /** The store could not be looked at: anything may have changed. */
  readonly blind: () => void;
}

/** Commits that a view showed before they were told are looked at again with those after them, up to so many. */
const maxCarried = 1_000;

interface Carried {
  readonly event: ChangeRecord | Gap;
  /** The commit that the view showed. */
  readonly until: CommitToken;
}

export class Commits<Owner> {
  readonly #options: CommitsOptions<Owner>;
  #stopListening: (() => void) | undefined;
  #pending: (ChangeRecord | Gap)[] = [];
  #carried: readonly Carried[] = [];
  #lookedAt: CommitToken = "";
  #isLooking = false;

  constructor(options: CommitsOptions<Owner>) {
    this.#options = options;
  }

  /** The newest commit that was looked at. */
  get lookedAt(): CommitToken {
    return this.#lookedAt;
  }

  get isLooking(): boolean {
    return this.#isLooking;
  }

  listen(): void {
    this.#stopListening ??= this.#options.storage.changes((event) => this.#committed(event));
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#pending = [];
    this.#carried = [];
  }

  #committed(event: ChangeRecord | Gap): void {
    if (event.kind === "gap")
      this.#options.log.warn("live", "the store could not tell every commit; all live queries read again", { token: event.token });
    this.#pending.push(event);
    if (this.#isLooking) return;
    this.#isLooking = true;
    setImmediate(() => void this.#look());
  }

  /** Everything that was committed since the last look, at once. */
  async #look(): Promise<void> {
    const touches = new CommitDelta(this.#options.layout);
    const events = this.#pending;
    this.#pending = [];
    for (const { event } of this.#carried) touches.add(event);
    for (const event of events) touches.add(event);
    try {
      await this.#load(touches, events);
      this.#lookedAt = touches.token;
      this.#options.touched(touches);
    } catch (thrown) {
      if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") this.#options.log.fault(thrown);
      this.#options.blind();
    }
    this.#isLooking = this.#pending.length > 0;
    if (this.#isLooking) setImmediate(() => void this.#look());
  }

  async #load(touches: CommitDelta, events: readonly (ChangeRecord | Gap)[]): Promise<void> {
    const { token } = touches;
    const carried = this.#carried;
    this.#carried = [];
    const { storage, version, registry, layout } = this.#options;
    if (touches.nodes.size === 0 || this.#stopListening === undefined) return;
    const snapshot = storage.snapshot({ version, after: token });
    try {
      const loaded = loadTouched(touches, { registry, layout, snapshot });
      if (isPromise(loaded)) await loaded;
    } finally {
      snapshot.close();
    }
    // The view shows commits that were not told yet. What they took away is told with the next ones, so these are looked at again with them.
    const { at } = snapshot;
    this.#carried = [...carried.filter((each) => each.until > token), ...(at > token ? events.map((event) => ({ event, until: at })) : [])];
    if (this.#carried.length > maxCarried) {
      this.#carried = [];
      touches.everything = true;
    }
  }
}
