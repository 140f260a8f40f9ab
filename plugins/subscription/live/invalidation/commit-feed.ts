// Reads the storage's change records, in batches: one batch for each turn of the event loop becomes one `CommitDelta` with its nodes loaded.

import {
  type ChangeRecord,
  type CommitToken,
  type Gap,
  type LayoutIndex,
  type LiveHost,
  QuernError,
  run,
  type ServedSchema,
} from "../../../../core/plugin.ts";
import { CommitDelta } from "../commits/commit-delta.ts";
import type { DependencyRegistry } from "./dependency-registry.ts";
import { loadTouched } from "./load-touched.ts";

export interface CommitFeedOptions<Owner> {
  readonly host: LiveHost;
  readonly schema: ServedSchema;
  readonly layout: LayoutIndex;
  readonly registry: DependencyRegistry<Owner>;
  /** Called with the delta of each batch. */
  readonly onDelta: (delta: CommitDelta) => void;
  /** Called when the store could not be read: anything may have changed. */
  readonly onReadFailure: () => void;
}

/** How many records may be processed again because a snapshot was ahead of them. */
const maxCarried = 1_000;

/** A record to process again with the next batch. */
interface Carried {
  readonly event: ChangeRecord | Gap;
  /** The commit that the snapshot reflected. */
  readonly until: CommitToken;
}

export class CommitFeed<Owner> {
  readonly #options: CommitFeedOptions<Owner>;
  #stopListening: (() => void) | undefined;
  #pending: (ChangeRecord | Gap)[] = [];
  #carried: readonly Carried[] = [];
  #processedUpTo: CommitToken = "";
  #isProcessing = false;

  constructor(options: CommitFeedOptions<Owner>) {
    this.#options = options;
  }

  /** The newest commit that was processed. */
  get processedUpTo(): CommitToken {
    return this.#processedUpTo;
  }

  get isProcessing(): boolean {
    return this.#isProcessing;
  }

  listen(): void {
    this.#stopListening ??= this.#options.host.changes((event) => this.#enqueue(event));
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#pending = [];
    this.#carried = [];
  }

  #enqueue(event: ChangeRecord | Gap): void {
    if (event.kind === "gap")
      this.#options.host.log.warn("live", "the store lost commit records; all live queries are read again", { token: event.token });
    this.#pending.push(event);
    if (this.#isProcessing) return;
    this.#isProcessing = true;
    setImmediate(() => void this.#process());
  }

  /** Processes everything that was committed since the last batch. */
  async #process(): Promise<void> {
    const delta = new CommitDelta(this.#options.layout);
    const events = this.#pending;
    this.#pending = [];
    for (const { event } of this.#carried) delta.add(event);
    for (const event of events) delta.add(event);
    try {
      await this.#load(delta, events);
      this.#processedUpTo = delta.token;
      this.#options.onDelta(delta);
    } catch (thrown) {
      if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") this.#options.host.log.fault(thrown);
      this.#options.onReadFailure();
    }
    this.#isProcessing = this.#pending.length > 0;
    if (this.#isProcessing) setImmediate(() => void this.#process());
  }

  async #load(delta: CommitDelta, events: readonly (ChangeRecord | Gap)[]): Promise<void> {
    const { token } = delta;
    const carried = this.#carried;
    this.#carried = [];
    const { host, schema, registry, layout } = this.#options;
    if (delta.nodes.size === 0 || this.#stopListening === undefined) return;
    const snapshot = host.snapshot(schema, token);
    try {
      await run(loadTouched(delta, { registry, layout, snapshot }));
    } finally {
      snapshot.close();
    }
    // The snapshot may reflect commits whose records are not here yet. These records say what the commits removed, so this batch is processed again with them.
    const { at } = snapshot;
    this.#carried = [...carried.filter((each) => each.until > token), ...(at > token ? events.map((event) => ({ event, until: at })) : [])];
    if (this.#carried.length > maxCarried) {
      this.#carried = [];
      delta.everything = true;
    }
  }
}
