// Hears of every commit on the database, this server's and others', in commit order, from a change stream over the change records.

import { setTimeout as pause } from "node:timers/promises";
import {
  type ChangeStream,
  type ChangeStreamInsertDocument,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
  type ResumeToken,
  type Timestamp,
} from "mongodb";
import type { ChangeRecord, CommitToken } from "../../core/index.ts";
import { CommitFeed } from "../storage-kit/index.ts";
import type { Doc } from "./connection.ts";
import type { Database } from "./database.ts";
import { changesCollection } from "./names.ts";
import { isInterrupted, isPassing } from "./read/source.ts";
import { timeOf, tokenOf } from "./time.ts";

/** What lies in the collection of changes: a commit, another catalog, or the mark of a server that opens. */
export interface ChangeDoc extends Doc {
  readonly kind: "commit" | "catalog" | "erased" | "mark";
  readonly at: Date;
  /** The version of the layout it was written under. The collection refuses all but the deployed one. */
  readonly layout: number;
  readonly record?: BareRecord;
}

export type BareRecord = Omit<Extract<ChangeRecord, { kind: "detailed" }>, "token"> | Omit<Extract<ChangeRecord, { kind: "coarse" }>, "token">;

type Event = ChangeStreamInsertDocument<ChangeDoc>;
type Stream = ChangeStream<ChangeDoc, Event>;

/** From where the database tells. */
type ResumePoint = { readonly resumeAfter: ResumeToken } | { readonly startAtOperationTime: Timestamp };

const retryMs = [50, 100, 200, 500, 1_000, 2_000];

export class CommitStream {
  readonly feed: CommitFeed;
  readonly #database: Database;
  readonly #onCatalog: () => void;
  #stream: Stream | undefined;
  #resumePoint: ResumePoint | undefined;
  /** Some commits will not be told, and listeners do not know yet. */
  #isLost = false;
  #closed = false;
  #running: Promise<void> = Promise.resolve();
  /** Events up to this one were handed on. */
  #delivered: CommitToken = "";
  readonly #own = new Map<string, (token: CommitToken) => ChangeRecord>();
  readonly #waiting = new Set<() => boolean>();

  readonly #markers = new Map<string, () => void>();

  private constructor(database: Database, feed: CommitFeed, onCatalog: () => void) {
    this.#database = database;
    this.feed = feed;
    this.#onCatalog = onCatalog;
  }

  /** Catches up with what was committed before. */
  static async start(database: Database, onCatalog: () => void): Promise<CommitStream> {
    const head = await database.readHead();
    if (head !== undefined) database.knows(head);
    const stream = new CommitStream(database, new CommitFeed(database.latest()), onCatalog);
    await stream.#start(head);
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
    this.feed.lose(this.#database.latest());
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
      .watch<ChangeDoc, Event>([{ $match: { operationType: "insert" } }], { ...resumePoint, maxAwaitTimeMS: 5_000, batchSize: 1_000 });
    this.#stream = stream;
    return stream;
  }

  /** Reads until a mark of our own comes back: all before it is older. */
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

  /** To come back to the same place. Where nothing is told the database moves it on too, so that it does not grow old. */
  async #suspend(): Promise<void> {
    const resumeAfter = this.#stream?.resumeToken;
    if (resumeAfter !== undefined && resumeAfter !== null) this.#resumePoint = { resumeAfter };
    await this.#stream?.close().catch(() => undefined);
    this.#stream = undefined;
  }

  /** The place to go on from is gone from the database's history, or the stream ended for good. */
  async #startOver(): Promise<void> {
    await this.#suspend();
    await this.#catchUp(await this.#openNow());
    this.#isLost = false;
    this.#own.clear();
    this.feed.lose(this.#database.latest());
    this.#onCatalog();
    this.#repeatMarkers();
  }

  /** The marks of those who wait may be among what is lost. */
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
    else if (fullDocument.kind === "erased") this.feed.lose(token);
    if (fullDocument.kind !== "commit") this.#onCatalog();
    for (const isDone of [...this.#waiting]) if (isDone()) this.#waiting.delete(isDone);
  }

  #publish(token: CommitToken, doc: ChangeDoc): void {
    const own = this.#own.get(doc._id.toString());
    this.#own.delete(doc._id.toString());
    const record = own === undefined ? { ...(doc.record ?? emptyRecord), token } : own(token);
    this.feed.publish({ token, weight: weightOf(record), record: () => record });
  }

  /** Resolves when everything committed before has been heard of. */
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

  /** Tells all servers that the catalog is another. */
  async announce(kind: "catalog" | "erased" = "catalog"): Promise<void> {
    const id = this.#database.newId();
    await this.#insert(id, kind);
    await this.passed();
  }

  async #insert(_id: string, kind: ChangeDoc["kind"]): Promise<void> {
    const { version } = this.#database.catalog;
    await this.#database.connection.collection(changesCollection).insertOne({ _id, kind, at: new Date(), layout: version });
  }

  /** This server commits a record itself: listeners get that one. */
  commits(id: string, record: (token: CommitToken) => ChangeRecord): void {
    this.#own.set(id, record);
  }

  /** It did not, or nobody will know. */
  forgets(id: string): void {
    this.#own.delete(id);
  }

  /** Resolves when listeners have heard of a commit, or after a while where the stream is cut off. */
  async hasDelivered(token: CommitToken): Promise<void> {
    if (!this.feed.hasListeners || this.#delivered >= token || this.#closed) return;
    await new Promise<void>((resolve) => {
      const isDone = () => {
        if (this.#delivered < token) return false;
        clearTimeout(timer);
        resolve();
        return true;
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(isDone);
        resolve();
      }, patienceMs);
      this.#waiting.add(isDone);
    });
  }

  /** Ends with its connection, which is closed next: asking the server first would take as long as it waits for events. */
  stop(): void {
    this.#closed = true;
  }

  async ended(): Promise<void> {
    await this.#running;
  }
}

const patienceMs = 1_000;
const emptyRecord: BareRecord = { kind: "detailed", nodes: [], edges: [], entries: [] };

function weightOf(record: ChangeRecord): number {
  return record.kind === "detailed" ? record.nodes.length + record.edges.length + record.entries.length : 1;
}

/** Another connection goes on at the same place. Otherwise the place is too old, or the stream ended for good. */
function isResumable(thrown: unknown): boolean {
  if (thrown instanceof MongoServerSelectionError || isPassing(thrown) || isInterrupted(thrown)) return true;
  return thrown instanceof MongoError && thrown.hasErrorLabel("ResumableChangeStreamError");
}

/** The collection of changes refuses what is written under another layout. */
export function isRefusedByVersion(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && thrown.code === 121;
}
