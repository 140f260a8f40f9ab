// Reads every commit of the database, of this server and of others, in commit order, from a change stream over the change records.

import { setTimeout as pause } from "node:timers/promises";
import { type ChangeStream, type ChangeStreamInsertDocument, MongoError, MongoServerSelectionError, type ResumeToken, type Timestamp } from "mongodb";
import type { ChangeRecord, CommitToken } from "../../../core/storage.ts";
import { CommitFeed } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import { changesCollection } from "../layout/names.ts";
import { isInterrupted, isPassing } from "../session/source.ts";
import type { Database } from "./database.ts";
import { KeptCounts } from "./kept-counts.ts";
import { timeOf, tokenOf } from "./time.ts";

/** A document of the collection of changes: a commit, a new catalog, an erasure, a marker that a server waits for, or a lock of links, which nobody hears of. */
export interface ChangeDoc extends Doc {
  readonly kind: "commit" | "catalog" | "erased" | "mark" | "lock";
  readonly at: Date;
  /** The version of the layout that it was written under. The collection accepts only the deployed one. */
  readonly layout: number;
  /** Of which birth of the database (`Database.born`). */
  readonly born: string;
  readonly record?: BareRecord;
  /** How many transactions wrote the lock. */
  readonly locks?: number;
}

export type BareRecord = Omit<Extract<ChangeRecord, { kind: "detailed" }>, "token"> | Omit<Extract<ChangeRecord, { kind: "coarse" }>, "token">;

type Event = ChangeStreamInsertDocument<ChangeDoc>;
type Stream = ChangeStream<ChangeDoc, Event>;

/** Where a change stream starts. */
type ResumePoint = { readonly resumeAfter: ResumeToken } | { readonly startAtOperationTime: Timestamp };

const retryMs = [50, 100, 200, 500, 1_000, 2_000];

export class CommitStream {
  readonly feed: CommitFeed;
  readonly counts = new KeptCounts();
  readonly #database: Database;
  readonly #onCatalog: () => void;
  #stream: Stream | undefined;
  #resumePoint: ResumePoint | undefined;
  /** The last event that was delivered. */
  #delivered: CommitToken = "";
  /** Some commits are lost, and listeners have not got a gap for them yet. */
  #isLost = false;
  #closed = false;
  #running: Promise<void> = Promise.resolve();
  readonly #own = new Map<string, (token: CommitToken) => ChangeRecord>();
  readonly #waiting = new Set<() => boolean>();

  readonly #markers = new Map<string, () => void>();

  private constructor(database: Database, feed: CommitFeed, onCatalog: () => void) {
    this.#database = database;
    this.feed = feed;
    this.#onCatalog = onCatalog;
  }

  /** Opens the stream and reads the commits since the last known one. */
  static async start(database: Database, onCatalog: () => void): Promise<CommitStream> {
    const head = await database.readHead();
    if (head !== undefined) database.knows(head);
    const stream = new CommitStream(database, new CommitFeed(database.latest()), onCatalog);
    try {
      await stream.#start(head);
    } catch (thrown) {
      await stream.#stream?.close().catch(() => undefined);
      throw thrown;
    }
    return stream;
  }

  async #start(head: CommitToken | undefined): Promise<void> {
    const time = head === undefined ? undefined : timeOf(head);
    try {
      this.#resumePoint = { startAtOperationTime: time ?? (await this.#database.freshTime()) };
      await this.#catchUp(this.#open(this.#resumePoint));
    } catch (thrown) {
      if (isResumable(thrown)) throw thrown;
      await this.#stream?.close().catch(() => undefined);
      await this.#catchUp(await this.#openNow());
    }
    this.#lose(this.#database.latest());
    this.#running = this.#run();
  }

  async #openNow(): Promise<Stream> {
    this.#resumePoint = undefined;
    const now = await this.#database.freshTime();
    this.#database.knows(tokenOf(now));
    this.#resumePoint = { startAtOperationTime: now };
    return this.#open(this.#resumePoint);
  }

  #open(resumePoint: ResumePoint): Stream {
    const stream = this.#database.connection.db
      .collection<ChangeDoc>(changesCollection)
      .watch<ChangeDoc, Event>([{ $match: { operationType: "insert", "fullDocument.kind": { $ne: "lock" } } }], {
        ...resumePoint,
        maxAwaitTimeMS: 5_000,
        batchSize: 1_000,
      });
    this.#stream = stream;
    return stream;
  }

  /** Reads until a marker of this server arrives: all older events came before it. */
  async #catchUp(stream: Stream): Promise<void> {
    const mark = `mark:${this.#database.newId()}`;
    await this.#insert(mark, "mark");
    for (let last: unknown; last !== mark; ) {
      const event = await stream.next();
      this.#take(event);
      last = event.fullDocument._id;
    }
  }

  async #run(): Promise<void> {
    for (let attempt = 0; !this.#closed; ) {
      try {
        if (this.#isLost) await this.#startOver();
        this.#take(await this.#currentStream().next());
        attempt = 0;
      } catch (thrown) {
        if (this.#closed) return;
        if (!isResumable(thrown)) this.#isLost = true;
        await this.#suspend();
        await pause(retryMs[Math.min(attempt++, retryMs.length - 1)]);
      }
    }
  }

  #currentStream(): Stream {
    if (this.#stream !== undefined) return this.#stream;
    if (this.#resumePoint === undefined) throw new TypeError("a stream that is not lost has a resumePoint");
    return this.#open(this.#resumePoint);
  }

  /** Closes the stream and keeps its resume token. The database advances the token without events too, so that it does not expire. */
  async #suspend(): Promise<void> {
    const resumeAfter = this.#stream?.resumeToken;
    if (resumeAfter !== undefined && resumeAfter !== null) this.#resumePoint = { resumeAfter };
    await this.#stream?.close().catch(() => undefined);
    this.#stream = undefined;
  }

  /** Starts at the current time: the resume token has expired, or the stream cannot be resumed. */
  async #startOver(): Promise<void> {
    await this.#suspend();
    await this.#catchUp(await this.#openNow());
    this.#isLost = false;
    this.#own.clear();
    this.#lose(this.#database.latest());
    this.#onCatalog();
    this.#repeatMarkers();
  }

  /** Writes the markers of waiting callers again: they may be among the lost events. */
  #repeatMarkers(): void {
    const waiting = [...this.#markers.values()];
    this.#markers.clear();
    if (waiting.length === 0) return;
    const all = () => {
      for (const resolve of waiting) resolve();
    };
    this.passed().then(all, all);
  }

  #take(event: Event): void {
    const { clusterTime, fullDocument } = event;
    if (fullDocument.kind === "mark") {
      const { _id: mark } = fullDocument;
      this.#markers.get(String(mark))?.();
      this.#markers.delete(String(mark));
    }
    if (clusterTime === undefined || fullDocument.kind === "mark") return;
    const token = tokenOf(clusterTime);
    this.#database.knows(token);
    this.#delivered = token;
    if (fullDocument.kind === "commit") this.#publish(token, fullDocument);
    else if (fullDocument.kind === "erased") this.#lose(token);
    if (fullDocument.kind !== "commit") {
      this.counts.forget(token);
      this.#onCatalog();
    }
    for (const isDone of [...this.#waiting]) if (isDone()) this.#waiting.delete(isDone);
  }

  #lose(token: CommitToken): void {
    this.counts.forget(token);
    this.feed.lose(token);
  }

  #publish(token: CommitToken, doc: ChangeDoc): void {
    const own = this.#own.get(doc._id.toString());
    this.#own.delete(doc._id.toString());
    const record = own === undefined ? { ...(doc.record ?? emptyRecord), token } : own(token);
    this.counts.take(record);
    this.feed.publish({ token, weight: weightOf(record), record: () => record });
  }

  /** Resolves when all earlier commits were delivered. */
  async passed(): Promise<void> {
    const mark = `mark:${this.#database.newId()}`;
    const passed = new Promise<void>((resolve) => this.#markers.set(mark, resolve));
    try {
      await this.#insert(mark, "mark");
      await passed;
    } finally {
      this.#markers.delete(mark);
    }
  }

  /** Notifies all servers of a new catalog or an erasure. */
  async announce(kind: "catalog" | "erased" = "catalog"): Promise<void> {
    const id = this.#database.newId();
    await this.#insert(id, kind);
    await this.passed();
  }

  async #insert(_id: string, kind: ChangeDoc["kind"]): Promise<void> {
    const { catalog, born, homes } = this.#database;
    await this.#database.connection
      .collection(changesCollection)
      .insertOne({ _id, ...homes.of(homes.any()), kind, at: new Date(), layout: catalog.version, born });
  }

  /** Registers a commit of this server: listeners get `record` instead of the stored one. */
  commits(id: string, record: (token: CommitToken) => ChangeRecord): void {
    this.#own.set(id, record);
  }

  /** Removes a registered commit that failed or whose outcome is unknown. */
  forgets(id: string): void {
    this.#own.delete(id);
  }

  /**
   * Resolves when a commit of this server was delivered to listeners, or after a second when the stream is interrupted. Its time does not say so: on a
   * sharded cluster two commits may have the same.
   */
  async hasDelivered(id: string): Promise<void> {
    if (this.feed.hasListeners) await this.#waitUntil(() => !this.#own.has(id), patienceMs);
  }

  /** The last commit that was delivered. */
  get delivered(): CommitToken {
    return this.#delivered;
  }

  /** Resolves when a commit was delivered, or after a short time. */
  async reaches(token: CommitToken): Promise<void> {
    await this.#waitUntil(() => this.#delivered >= token, shortMs);
  }

  async #waitUntil(isMet: () => boolean, mostMs: number): Promise<void> {
    if (isMet() || this.#closed) return;
    await new Promise<void>((resolve) => {
      const isDone = () => {
        if (!isMet()) return false;
        clearTimeout(timer);
        resolve();
        return true;
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(isDone);
        resolve();
      }, mostMs);
      this.#waiting.add(isDone);
    });
  }

  /** The stream ends when the connection is closed, which follows. Closing the stream itself would wait for its current request. */
  stop(): void {
    this.#closed = true;
    // Nobody waits for its current request, which ends within seconds: the connections of a shared client stay open.
    if (this.#database.connection.isShared) void this.#stream?.close().catch(() => undefined);
  }

  async ended(): Promise<void> {
    if (!this.#database.connection.isShared) await this.#running;
  }
}

const patienceMs = 1_000;
const shortMs = 50;
const emptyRecord: BareRecord = { kind: "detailed", nodes: [], edges: [], entries: [] };

function weightOf(record: ChangeRecord): number {
  return record.kind === "detailed" ? record.nodes.length + record.edges.length + record.entries.length : 1;
}

/** Whether another connection can resume the stream. Otherwise the token has expired, or the stream has ended. */
function isResumable(thrown: unknown): boolean {
  if (thrown instanceof MongoServerSelectionError || isPassing(thrown) || isInterrupted(thrown)) return true;
  return thrown instanceof MongoError && thrown.hasErrorLabel("ResumableChangeStreamError");
}
