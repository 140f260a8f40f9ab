// After a failed write (a full disk, an error of the disk) the store accepts no write until it is opened again. Opens it again while readers finish,
// as soon as that is likely to succeed, so that service resumes without a restart. Until then reads go on from the open store. Where the store has been
// closed and does not open, it is tried again for as long as the storage is open.

import {
  type AggregateRequest,
  type Batch,
  type CommitToken,
  type FindRequest,
  type FollowRequest,
  type Json,
  type Links,
  type LoadRequest,
  type MeasureRow,
  QuernError,
  Retries,
  type Snapshot,
  type StoreTrouble,
} from "../../core/storage.ts";
import { Database, type DatabaseOptions } from "./database/database.ts";
import type { OrderedStore } from "./ground/store.ts";

/** How long readers of the old database may take to end. Slower ones get `STORE_CLOSED`. */
const readersMayTakeMs = 5_000;
/** The time between two attempts that writes ask for. */
const betweenTriesMs = 1_000;

export interface StoreRecoveryOptions {
  readonly store: OrderedStore;
  readonly databaseOptions: () => DatabaseOptions;
  /** Closes the store on all other threads. */
  readonly revokeReaders: () => Promise<void>;
  /** Takes the new database in the place of `failed`, before waiting readers go on. */
  readonly handOver: (fresh: Database, failed: Database) => void;
  /** Called when the trouble begins, becomes another one, or is over (undefined). */
  readonly troubled: (trouble: StoreTrouble | undefined) => void;
}

export class StoreRecovery {
  readonly #options: StoreRecoveryOptions;
  /** The database whose write failed, until another one has taken its place. */
  #failed: Database | undefined;
  #trouble: StoreTrouble | undefined;
  #isStopped = true;
  #triedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<Database> | undefined;
  /** Nobody may write while the store cannot be written: without a write, nothing else would find out that it can. */
  readonly #retries = new Retries(() => this.#retry());

  constructor(options: StoreRecoveryOptions) {
    this.#options = options;
  }

  /** Set while the old database closes and the new one opens: readers wait for it. */
  get running(): Promise<Database> | undefined {
    return this.#running;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  /** @throws QuernError `STORE_UNAVAILABLE` while the store is closed, because it could not be opened again */
  assertOpen(): void {
    if (this.#trouble?.kind === "lost" && this.#running === undefined) throw storeLost(this.#trouble.reason);
  }

  /** The storage is open. */
  start(): void {
    this.#isStopped = false;
  }

  /** A write of this database has failed: tries to open the store again from now on. */
  begin(failed: Database): void {
    if (this.#isStopped || this.#failed === failed) return;
    this.#failed = failed;
    this.#note("read-only", writeReason(failed.engine.failure?.cause));
    this.#retries.start();
  }

  /** The storage closes: nothing is opened again. Resolves when no attempt is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#retries.stop();
    await this.#running?.catch(() => undefined);
    this.#failed = undefined;
    this.#trouble = undefined;
  }

  /**
   * Opens the store again.
   *
   * @returns the new database
   * @throws QuernError `STORE_UNAVAILABLE` when the last attempt was less than a second ago, or the store cannot be written yet
   */
  async run(failed: Database): Promise<Database> {
    this.begin(failed);
    if (this.#running !== undefined) return await this.#running;
    const now = performance.now();
    if (now - this.#triedAt < betweenTriesMs) throw this.#refusal(failed);
    return await this.#attempt(failed);
  }

  async #retry(): Promise<void> {
    if (this.#failed !== undefined) await (this.#running ?? this.#attempt(this.#failed));
  }

  #refusal({ engine }: Database): unknown {
    return this.#trouble?.kind === "lost" ? storeLost(this.#trouble.reason) : engine.failure;
  }

  /** A store that is open and can be read stays open until it can likely be written. */
  async #attempt(failed: Database): Promise<Database> {
    this.#triedAt = performance.now();
    const isLikely = this.#trouble?.kind === "lost" || (await this.#options.store.canReopen?.());
    if (!isLikely || this.#isStopped) throw this.#refusal(failed);
    this.#running ??= this.#reopen(failed).finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  async #reopen(failed: Database): Promise<Database> {
    try {
      await this.#close(failed);
      const fresh = await this.#open(failed);
      this.#failed = undefined;
      this.#trouble = undefined;
      this.#options.handOver(fresh, failed);
      this.#options.troubled(undefined);
      return fresh;
    } catch (cause) {
      const reason = openReason(cause);
      this.#note("lost", reason);
      throw storeLost(reason, cause);
    }
  }

  async #close(failed: Database): Promise<void> {
    await failed.engine.quiet(readersMayTakeMs);
    await failed.close();
    await this.#options.revokeReaders();
    await this.#options.store.close();
  }

  async #open(failed: Database): Promise<Database> {
    const { store, databaseOptions } = this.#options;
    await store.open();
    try {
      const fresh = new Database(store, { ...databaseOptions(), feed: failed.feed });
      fresh.claimUid(failed.nextUid - 1);
      const { catalog } = failed;
      if (catalog.document !== undefined && fresh.catalog.version === catalog.version) fresh.handIn(failed.schema.layout);
      // The failed commit may be in the store.
      fresh.feed.lose(fresh.latest());
      return fresh;
    } catch (reason) {
      await store.close();
      throw reason;
    }
  }

  #note(kind: StoreTrouble["kind"], reason: string): void {
    if (this.#trouble?.kind === kind && this.#trouble.reason === reason) return;
    const since = this.#trouble?.kind === kind ? this.#trouble.since : performance.now();
    this.#trouble = { kind, reason, since };
    this.#options.troubled(this.#trouble);
  }
}

/** Clients read what a store says of a write: it names no place. */
function writeReason(cause: unknown): string {
  return cause instanceof QuernError ? cause.message : "the system refuses";
}

/** What a store says of its opening may name a place; the part for everybody is beside it. */
function openReason(cause: unknown): string {
  const reason = cause instanceof QuernError ? cause.details.reason : undefined;
  return typeof reason === "string" ? reason : "the system refuses";
}

function storeLost(reason: string, cause?: unknown): QuernError {
  const message = `the store is not open: ${reason}; it is opened again as soon as that is possible`;
  return new QuernError("STORE_UNAVAILABLE", message, { details: { reason }, ...(cause !== undefined && { cause }) });
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
