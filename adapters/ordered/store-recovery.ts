// After a failed write (a full disk) the store accepts no write until it is opened again. Opens it again while readers finish, as soon as that is
// likely to succeed, so that service resumes without a restart.

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
} from "../../core/storage.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import type { OrderedStore } from "./store.ts";

/** How long readers of the old database may take to end. Slower ones get `STORE_CLOSED`. */
const readersMayTakeMs = 5_000;
/** The time between two attempts. */
const betweenTriesMs = 1_000;

export class StoreRecovery {
  readonly #store: OrderedStore;
  readonly #options: () => DatabaseOptions;
  readonly #revokeReaders: () => Promise<void>;
  #triedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<Database> | undefined;

  /** @param revokeReaders closes the store on all other threads */
  constructor(store: OrderedStore, options: () => DatabaseOptions, revokeReaders: () => Promise<void>) {
    this.#store = store;
    this.#options = options;
    this.#revokeReaders = revokeReaders;
  }

  /** Set while the old database closes and the new one opens: readers wait for it. */
  get running(): Promise<Database> | undefined {
    return this.#running;
  }

  /**
   * Opens the database again after `failed`. Calls `handOver` with the new one before waiting readers go on.
   *
   * @throws QuernError `STORE_UNAVAILABLE` when the last attempt was less than a second ago, or the store cannot be written yet
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
    await this.#revokeReaders();
    await this.#store.close();
    await this.#store.open();
    const fresh = new Database(this.#store, { ...this.#options(), feed: failed.feed });
    fresh.claimUid(failed.nextUid - 1);
    const { catalog } = failed;
    if (catalog.document !== undefined && fresh.catalog.version === catalog.version) fresh.handIn(failed.schema.layout);
    // The failed commit may be in the store.
    fresh.feed.lose(fresh.latest());
    return fresh;
  }
}

/** A snapshot that was opened during a recovery: each read waits for the real snapshot. */
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
