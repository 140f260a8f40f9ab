// Runs work in a transaction of the database. Retries after a conflict; after a broken connection, finds out whether the commit happened.

import { setTimeout as pause } from "node:timers/promises";
import { type ClientSession, MongoError, MongoNetworkError, MongoServerError } from "mongodb";
import {
  type ChangeRecord,
  type CommitToken,
  type Committed,
  type MaybePromise,
  QuernError,
  type ReadOptions,
  type Transaction,
  type Uid,
} from "../../../core/storage.ts";
import { ChangeLog, cachedRecord, RecordedCommit } from "../../storage-kit/index.ts";
import { cacheWasFull, commitFailed, endedByServer, isBrokenSocket, isDuplicate, isLostRace, storeError } from "../connection/store-error.ts";
import type { ChangeDoc, CommitStream } from "../database/commit-stream.ts";
import type { Database } from "../database/database.ts";
import { openGate } from "../database/open-gate.ts";
import { timeOf, tokenOf } from "../database/time.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";
import { changesCollection } from "../layout/names.ts";
import type { KeptDocuments } from "../read/kept-documents.ts";
import { Reader } from "../read/reader.ts";
import { isInterrupted, isPassing, JoinedTooLong, SessionSource, TimedSource } from "../session/source.ts";
import { WritesApart } from "../session/write-models.ts";
import { CommitRecord, hasNoGuard, RefusedByGate } from "../write/commit-record.ts";
import { DuplicateKey, explainDuplicate } from "../write/flush.ts";
import { Holds } from "../write/holds.ts";
import { Contended, KeyedMutex, lockViewOf } from "../write/keyed-mutex.ts";
import { LinkLocks } from "../write/link-locks.ts";
import { NodeStates } from "../write/node-states.ts";
import { Writer } from "../write/writer.ts";
import { AbandonedTransactions } from "./abandoned-transactions.ts";
import { CachePressure } from "./cache-pressure.ts";
import { RetryThrottle } from "./retry-throttle.ts";
import { MongoSnapshot, MongoTransaction } from "./views.ts";

/** A transaction gives up when it has conflicted for this long, however often: a large one beside it may take most of this time. */
const triesForMs = 30_000;
/** A transaction that conflicts for so long may conflict with one of a server that died. */
const suspectsAfterMs = 2_000;
const mostPauseMs = 250;
const frozenForMs = 60_000;

export type Work<T> = (transaction: Transaction) => MaybePromise<T>;

/** The outcome of one attempt: committed, or to repeat while holding the keys of the conflict, where these are known. */
type Run<T> =
  | { readonly committed: Committed<T>; readonly id: string }
  | { readonly lost: unknown; readonly over?: readonly string[]; readonly apart?: boolean };

/** The conditions of one attempt. */
interface Round {
  readonly attempt: number;
  /** The keys that it holds. */
  readonly lockKeys: ReadonlySet<string>;
  /** Conflicts over data without locks: held nodes, links. */
  readonly lostOthers: number;
  /** What it reads together does not fit into one answer. */
  readonly apart: boolean;
}

/** Where the record of a commit is. */
interface RecordPlace {
  readonly id: string;
  /** The node with which it lies in a sharded database. */
  readonly home: Uid;
}

/** What says whether to try again. */
const ownErrors = [MongoError, DuplicateKey, Contended, RefusedByGate, WritesApart, JoinedTooLong];

/** The error of the database, or of this adapter, of which a hook of a plugin has made a fault. */
function underlying(thrown: unknown): unknown {
  if (thrown instanceof QuernError) return thrown;
  for (let at = thrown; at instanceof Error; at = at.cause) if (ownErrors.some((own) => at instanceof own)) return at;
  return thrown;
}

export class Transactions {
  readonly #database: Database;
  readonly #stream: CommitStream;
  readonly #locks = new KeyedMutex();
  readonly #throttle = new RetryThrottle();
  readonly #running = new Set<Promise<unknown>>();
  readonly #abandoned: AbandonedTransactions;
  /** The server has refused writes to several collections in one command. */
  #writesApart = false;

  constructor(database: Database, stream: CommitStream) {
    this.#database = database;
    this.#abandoned = new AbandonedTransactions(database.connection);
    this.#stream = stream;
  }

  async idle(): Promise<void> {
    await Promise.allSettled([...this.#running]);
  }

  async transact<T>(work: Work<T>, options: ReadOptions): Promise<Committed<T>> {
    const running = this.#transact(work, options);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #transact<T>(work: Work<T>, options: ReadOptions): Promise<Committed<T>> {
    const begun = performance.now();
    const patience = this.#database.connection.patience();
    const lockKeys = new Set<string>();
    let lostOthers = 0;
    let apart = false;
    let pressure: CachePressure | undefined;
    for (let attempt = 0; ; attempt++) {
      this.#assertVersion(options.version);
      const round: Round = { attempt, lockKeys, lostOthers, apart };
      const attempted = async () => {
        await patience.ready();
        return await this.#runOnce(work, options, round);
      };
      const run = await this.#locks.enter(lockKeys, () => this.#throttle.enter(lostOthers, attempted));
      if ("committed" in run) return await this.#delivered(run);
      const { lost, over = [] } = run;
      if (run.apart) {
        apart = true;
        continue;
      }
      const known = lockKeys.size;
      for (const lockKey of over) lockKeys.add(lockKey);
      if (over.length === 0) lostOthers++;
      if (lost instanceof RefusedByGate) await this.#waitForCatalog(lost);
      else if (isPassing(lost)) {
        if (!(await patience.mayGoOn())) throw storeError(lost);
      } else if (performance.now() > begun + triesForMs) throw await this.#gaveUp(lost, pressure);
      // A transaction with new lock keys waits for these instead.
      else if (lockKeys.size === known) await pause(Math.random() * Math.min(mostPauseMs, 2 ** Math.min(attempt, 8)));
      if (performance.now() < begun + suspectsAfterMs) continue;
      await this.#abandoned.end();
      pressure ??= await CachePressure.since(this.#database.connection);
    }
  }

  /** Waits until the listeners of this server have the commit. Its locks are released already. */
  async #delivered<T>({ committed, id }: { readonly committed: Committed<T>; readonly id: string }): Promise<Committed<T>> {
    if (committed instanceof RecordedCommit) await this.#stream.hasDelivered(id);
    return committed;
  }

  #assertVersion(version: number): void {
    this.#database.assertThere();
    if (!this.#database.accepts(version)) throw new QuernError("STALE_LAYOUT", "another schema was deployed meanwhile; try again");
  }

  async #gaveUp(cause: unknown, pressure: CachePressure | undefined): Promise<unknown> {
    const reason = cause instanceof Contended ? cause.cause : cause;
    const ended = endedByServer(reason);
    if (ended !== undefined) return ended;
    if ((await pressure?.wasFull()) === true) return cacheWasFull(reason);
    return new QuernError("CONFLICT", `other writers won for ${triesForMs / 1000} seconds`, { cause, hint: "Try again." });
  }

  /** The collection of changes refuses this version: another one is deployed, or will be in a moment. */
  async #waitForCatalog(lost: RefusedByGate): Promise<void> {
    const { gate } = this.#database;
    if (hasNoGuard(lost.cause)) {
      // In a database that was dropped nothing is made: the writes of other servers would be taken there.
      await this.#database.refresh();
      this.#database.assertThere();
      await this.#database.prepare();
    }
    for (const until = performance.now() + frozenForMs; performance.now() < until; await pause(20)) {
      if (await this.#database.refresh()) return;
      this.#database.assertThere();
      if (await gate.isLocked()) continue;
      await openGate(this.#database);
      return;
    }
    throw new QuernError("STORE_UNAVAILABLE", "a schema change keeps writers waiting for too long", { hint: "Look at the server that deploys." });
  }

  async #runOnce<T>(work: Work<T>, options: ReadOptions, round: Round): Promise<Run<T>> {
    const { connection } = this.#database;
    const session = connection.client.startSession();
    const id = this.#database.newId();
    try {
      session.startTransaction({ readConcern: { level: "snapshot" }, writeConcern: { w: "majority" }, readPreference: "primary" });
      return { committed: await this.#runIn(session, id, work, options, round), id };
    } catch (reason) {
      const thrown = reason instanceof CommitFailed ? reason.cause : reason;
      this.#stream.forgets(id);
      if (session.inTransaction()) await connection.primary.whileThere(session.abortTransaction());
      if (thrown instanceof DuplicateKey) return await this.#duplicate(thrown, options);
      if (thrown instanceof JoinedTooLong) return { lost: thrown, apart: true };
      if (thrown instanceof WritesApart) {
        this.#writesApart = true;
        return { lost: thrown };
      }
      if (thrown instanceof Contended) return { lost: thrown.cause ?? thrown, over: thrown.lockKeys };
      if (isLostRace(thrown) || thrown instanceof RefusedByGate) return { lost: thrown };
      // Nothing was committed: another server, or this one a moment later, may accept it.
      const mayPass = isPassing(thrown) || isDuplicate(thrown) || (isInterrupted(thrown) && round.attempt === 0);
      if (mayPass && !(reason instanceof CommitFailed)) return { lost: thrown };
      throw reason instanceof CommitFailed ? commitFailed(thrown) : storeError(thrown);
    } finally {
      await connection.primary.whileThere(session.endSession());
    }
  }

  async #duplicate(thrown: DuplicateKey, options: ReadOptions): Promise<{ readonly lost: unknown }> {
    const refused = await explainDuplicate(this.#database, this.#database.schemaFor(options.version), thrown);
    if (refused !== undefined) throw refused;
    return { lost: thrown };
  }

  async #runIn<T>(session: ClientSession, id: string, work: Work<T>, options: ReadOptions, round: Round): Promise<Committed<T>> {
    const database = this.#database;
    this.#assertVersion(options.version);
    const schema = database.schemaFor(options.version);
    // The version of the layout that this attempt uses, whatever is deployed when it ends.
    const { version } = database.catalog;
    const source = new SessionSource(database.connection, session, { apart: round.apart, writesApart: this.#writesApart });
    const log = new ChangeLog();
    const nodes = new NodeStates(source);
    const locks = new LinkLocks(source, nodes);
    const record = new CommitRecord({ database, source, locks, id, layout: version });
    const transaction = this.#transaction({ source, schema, log, nodes, locks, record, options, round });
    let result: T;
    try {
      result = await work(transaction);
    } catch (thrown) {
      throw underlying(thrown);
    } finally {
      await source.idle();
    }
    transaction.assertWhole();
    if (log.isEmpty && !transaction.wroteMeta) {
      await session.abortTransaction().catch(() => undefined);
      return { result, token: database.latest() };
    }
    options.budget?.spend(log.changedNodes);
    await transaction.holdPending();
    const recordOf = cachedRecord((token: CommitToken) => log.record(token));
    const home = nodes.someWritten ?? homeOf(recordOf("")) ?? database.homes.any();
    await record.write(recordOf(""), home);
    this.#stream.commits(id, recordOf);
    const { token, isExact } = await this.#commit(session, { id, home });
    database.knows(token);
    const view = (reading: ReadOptions) => committedView(database, token, { ...reading, documents: nodes.written() });
    return new RecordedCommit(result, token, recordOf, isExact ? view : undefined);
  }

  #transaction(run: {
    readonly source: SessionSource;
    readonly schema: LayoutRuntime;
    readonly log: ChangeLog;
    readonly nodes: NodeStates;
    readonly locks: LinkLocks;
    readonly record: CommitRecord;
    readonly options: ReadOptions;
    readonly round: Round;
  }): MongoTransaction {
    const database = this.#database;
    const { source, schema, log, nodes, locks, record, options } = run;
    const holds = new Holds(database.connection, source, { again: run.round.lostOthers > 0, homes: database.homes });
    const lockView = lockViewOf(this.#locks, run.round.lockKeys);
    const given = new Set<number>();
    const writer = new Writer({ database, schema, source, holds, locks, record, log, lockView, isGiven: (uid) => given.has(uid), nodes });
    const uids = async (count: number) => {
      const taken = await database.uids.take(count);
      for (const uid of taken) given.add(uid);
      return taken;
    };
    const reader = new Reader({ schema, source, budget: options.budget, documents: nodes });
    return new MongoTransaction({ at: database.latest(), reader, database, source, writer, holds, uids });
  }

  /** `isExact`: the token is the time of the commit. Where its answer was lost, or came from a router, the token may be of a later time. */
  async #commit(session: ClientSession, record: RecordPlace): Promise<{ readonly token: CommitToken; readonly isExact: boolean }> {
    const { isRouted } = this.#database.connection;
    const patience = this.#database.connection.patience();
    for (let attempt = 0; ; attempt++) {
      try {
        await patience.bounded(session.commitTransaction());
        const time = session.operationTime;
        return { token: tokenOf(time ?? (await this.#database.freshTime())), isExact: attempt === 0 && time !== undefined && !isRouted };
      } catch (thrown) {
        // The transaction was certainly not committed.
        if (isLostRace(thrown)) throw thrown;
        // The session is not free while it still commits.
        if (thrown instanceof QuernError) throw outcomeUnknown(thrown);
        if (!isUnknown(thrown) || !(await patience.mayGoOn())) return { token: await this.#findOut(session, record, thrown), isExact: false };
      }
    }
  }

  /**
   * Inserts a marker under the id of the commit's record. As the session's next write it ends the transaction if it is still open, and prevents
   * a delayed commit: from now on either the marker or the record exists.
   */
  async #findOut(session: ClientSession, { id, home }: RecordPlace, cause: unknown): Promise<CommitToken> {
    const { connection, catalog, born, homes } = this.#database;
    if (!connection.primary.isThere) throw outcomeUnknown(cause);
    const mark: ChangeDoc = { _id: id, ...homes.of(home), kind: "mark", at: new Date(), layout: catalog.version, born };
    try {
      await connection.db.collection<ChangeDoc>(changesCollection).insertOne(mark, { session });
    } catch (thrown) {
      if (isDuplicate(thrown) && (await this.#isCommitted(session, { id, home })) && session.operationTime !== undefined)
        return tokenOf(session.operationTime);
      throw outcomeUnknown(cause);
    }
    throw new CommitFailed(cause);
  }

  async #isCommitted(session: ClientSession, { id, home }: RecordPlace): Promise<boolean> {
    const { connection, homes } = this.#database;
    const changes = connection.collection(changesCollection);
    const found = await changes.findOne({ _id: id, ...homes.of(home) }, { readConcern: "majority", session }).catch(() => null);
    return found?.kind === "commit";
  }
}

/** A node of the change; undefined: it names none. */
function homeOf(record: ChangeRecord): Uid | undefined {
  return record.kind === "detailed" ? (record.nodes[0]?.uid ?? record.edges[0]?.from) : undefined;
}

/** What the commit left, at its own time: its documents need no read. */
function committedView(
  database: Database,
  at: CommitToken,
  { version, budget, sent, documents }: ReadOptions & { readonly documents: KeptDocuments },
): MongoSnapshot {
  const source = new TimedSource(database.connection, timeOf(at), () => database.freshTime());
  return new MongoSnapshot({ at, reader: new Reader({ schema: database.schemaFor(version), source, budget, sent, documents }) });
}

function outcomeUnknown(cause: unknown): QuernError {
  const what = "the connection to MongoDB broke while committing, and whether it did was not to be found out";
  return new QuernError("OUTCOME_UNKNOWN", what, { cause, hint: "Look before trying again." });
}

/** Nothing was committed, and a retry is useless. */
class CommitFailed extends Error {
  constructor(cause: unknown) {
    super("the commit failed", { cause });
  }
}

function isUnknown(thrown: unknown): boolean {
  if (!(thrown instanceof MongoError)) return isBrokenSocket(thrown);
  if (isPassing(thrown) || isInterrupted(thrown)) return true;
  return thrown.hasErrorLabel("UnknownTransactionCommitResult") || thrown instanceof MongoNetworkError || !(thrown instanceof MongoServerError);
}
