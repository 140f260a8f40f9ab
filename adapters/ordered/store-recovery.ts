// After a write failed (the disk is full), the store takes no more until it is opened anew. Does that beside the readers, as soon as it is
// likely to work, so that service resumes without a restart.

import type {
  AggregateRequest,
  Batch,
  CommitToken,
  FindRequest,
  FollowRequest,
  Json,
  Links,
  LoadRequest,
  MeasureRow,
  Snapshot,
} from "../../core/index.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import type { OrderedStore } from "./store.ts";

/** How long readers of the old one may take to end. Who takes longer gets `STORE_CLOSED`. */
const readersMayTakeMs = 5_000;
/** Between two looks at whether there is room again. */
const betweenTriesMs = 1_000;

export class StoreRecovery {
  readonly #store: OrderedStore;
  readonly #options: () => DatabaseOptions;
  #triedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<Database> | undefined;

  constructor(store: OrderedStore, options: () => DatabaseOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Set while the old database is let go of and the new one is not there yet: who wants to read waits. */
  get running(): Promise<Database> | undefined {
    return this.#running;
  }

  /**
   * The database opened anew after `failed`. `handOver` gets it before anybody waits no more.
   *
   * @throws QuernError `STORE_UNAVAILABLE` when it is not time yet
   */
  async run(failed: Database, handOver: (fresh: Database) => void): Promise<Database> {
    if (this.#running !== undefined) return await this.#running;
    const now = performance.now();
    if (now - this.#triedAt < betweenTriesMs) throw failed.engine.failure;
    this.#triedAt = now;
    if (!(await this.#store.canReopen?.())) throw failed.engine.failure;
    this.#running ??= this.#reopen(failed)
      .then((fresh) => {
        handOver(fresh);
        return fresh;
      })
      .finally(() => {
        this.#running = undefined;
      });
    return await this.#running;
  }

  async #reopen(failed: Database): Promise<Database> {
    await failed.engine.quiet(readersMayTakeMs);
    await failed.close();
    await this.#store.close();
    await this.#store.open();
    const fresh = new Database(this.#store, { ...this.#options(), feed: failed.feed });
    fresh.claimUid(failed.nextUid - 1);
    const { catalog } = failed;
    if (catalog.document !== undefined && fresh.catalog.version === catalog.version) fresh.handIn(failed.schema.layout);
    // The commit that failed may be there.
    fresh.feed.lose(fresh.latest());
    return fresh;
  }
}

/** A snapshot that was asked for while the store was being opened anew: everything it is asked waits for the real one. */
export class DeferredSnapshot implements Snapshot {
  readonly at: CommitToken;
  readonly #snapshot: Promise<Snapshot>;

  constructor(at: CommitToken, snapshot: Promise<Snapshot>) {
    this.at = at;
    this.#snapshot = snapshot;
    snapshot.catch(() => undefined);
  }

  async find(request: FindRequest): Promise<Batch> {
    return await (await this.#snapshot).find(request);
  }

  async follow(request: FollowRequest): Promise<Links> {
    return await (await this.#snapshot).follow(request);
  }

  async load(request: LoadRequest): Promise<Batch> {
    return await (await this.#snapshot).load(request);
  }

  async aggregate(request: AggregateRequest): Promise<readonly MeasureRow[]> {
    return await (await this.#snapshot).aggregate(request);
  }

  async meta(name: string): Promise<Json | undefined> {
    return await (await this.#snapshot).meta(name);
  }

  close(): void {
    void this.#snapshot.then(
      (snapshot) => snapshot.close(),
      () => undefined,
    );
  }
}
