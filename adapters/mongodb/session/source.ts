// Runs reads: at one point in time, or inside a transaction. A read that loses its server is repeated on the next one.

import {
  type ClientSession,
  type Document,
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  ReadConcern,
  type Timestamp,
} from "mongodb";
import type { Budget } from "../../../core/storage.ts";
import type { Connection, Doc } from "../connection/connection.ts";
import type { Admit } from "../connection/fair-reads.ts";
import type { Patience } from "../connection/patience.ts";
import { isBrokenSocket, isInTransit, isPoolClosed, isTimeUp, isTooLong, isTooOld, storeError } from "../connection/store-error.ts";
import type { Cursor, RawDocument } from "./cursor.ts";
import { asFind } from "./find-command.ts";
import { findFew } from "./find-few.ts";
import { gathered } from "./gathered.ts";
import { decoded, RawCursor } from "./raw-cursor.ts";
import { joinedPipeline, ReadsTogether, type SmallRead, separated } from "./reads-together.ts";
import { readUnionApart } from "./split-union.ts";
import type { Take } from "./take.ts";
import { type Writes, writeApart, writeTogether } from "./write-models.ts";

export interface Source {
  /** Calls `take` with documents in order and waits for it. It returns false to end. */
  aggregate(query: Query, take: Take): Promise<void>;
}

export interface Query {
  readonly collection: string;
  readonly pipeline: readonly Document[];
  readonly budget: Budget | undefined;
  /** Passes on documents as they arrive; the receiver may end early. The pipeline sorts them without ties. */
  readonly streamed?: boolean;
  /** Finds few documents: in a transaction it may share a round trip with other such reads. */
  readonly few?: boolean;
}

/** Documents of one round trip, when a reader takes all. As many are in memory for each request that waits for its turn. */
const docsAtOnce = 1_000;
/** Small reads that share one command. */
const readsAtOnce = 50;
/** Writes that wait in memory. */
const mostUnsent = 1_000;
/** Links of one small read: fifty times as many fit into one document. */
const mostLinks = 1_000;

/** The documents of joined reads do not fit into one: the transaction must run again, and read them apart. */
export class JoinedTooLong extends Error {
  constructor(cause: unknown) {
    super("the documents that a transaction reads together are too large for one answer", { cause });
  }
}

class SnapshotAt extends ReadConcern {
  readonly atClusterTime: Timestamp;

  constructor(time: Timestamp) {
    super("snapshot");
    this.atClusterTime = time;
  }

  override toJSON(): Document {
    return { level: this.level, atClusterTime: this.atClusterTime };
  }
}

/** Reads of a fixed view; they may overlap. */
export class TimedSource implements Source {
  readonly #connection: Connection;
  readonly #fresh: () => Promise<Timestamp>;
  #time: Timestamp | undefined;
  #answered = false;

  /** @param fresh a time that the database can show; asked for where `time` is not given or, before the first answer, too old */
  constructor(connection: Connection, time: Timestamp | undefined, fresh: () => Promise<Timestamp>) {
    this.#connection = connection;
    this.#time = time;
    this.#fresh = fresh;
  }

  /** The time that is shown; undefined: it is not known yet. */
  get time(): Timestamp | undefined {
    return this.#time;
  }

  /** Something of this time was shown: no other time may follow. */
  shows(): void {
    this.#answered = true;
  }

  async aggregate(query: Query, take: Take): Promise<void> {
    const patience = this.#connection.patience();
    const { admit, admitBatch } = this.#turnsOf(query, patience);
    let taken = 0;
    for (let attempt = 0; ; attempt++) {
      try {
        this.#time ??= await patience.bounded(this.#fresh());
        const options = { ...optionsOf(query.budget), readConcern: new SnapshotAt(this.#time), admit, admitBatch };
        if (query.streamed) {
          await drain(
            open(this.#connection, query, options),
            after(taken, (docs) => {
              taken += docs.length;
              return take(docs);
            }),
          );
        } else {
          const docs = await patience.bounded(readAll(this.#connection, query, options));
          taken = docs.length;
          await take(docs);
        }
        this.#answered = true;
        return;
      } catch (thrown) {
        // Throws the request's own error.
        if (isTimeUp(thrown)) query.budget?.spend(0);
        if (isTooOld(thrown) && !this.#answered && taken === 0 && attempt === 0) this.#time = undefined;
        else if (isInterrupted(thrown) ? attempt > 0 : !isPassing(thrown) || !(await patience.mayGoOn())) throw storeError(thrown);
      }
    }
  }

  #turnsOf({ budget, ...query }: Query, patience: Patience): { readonly admit: Admit; readonly admitBatch: Admit } {
    const { reads, cursors } = this.#connection;
    const [inTurn, inTurnOfCursors] = [reads.of(budget ?? query), cursors.of(budget ?? query)];
    const admit: Admit = (command) =>
      inTurn(async () => {
        // The client may have gone, or the time may be over, while it waited.
        budget?.spend(0);
        await patience.ready();
        return await command();
      });
    return { admit, admitBatch: (command) => inTurnOfCursors(() => admit(command)) };
  }
}

/** Reads of one transaction, one after another: a session takes no two at a time. */
export class SessionSource implements Source {
  readonly #connection: Connection;
  readonly #session: ClientSession;
  readonly #patience: Patience;
  readonly #small: ReadsTogether;
  readonly #writesTogether: boolean;
  #unsent: Writes[] = [];
  #unsentOperations = 0;
  /** Writes failed after their caller had gone on: the transaction is over. */
  #failed: { readonly reason: unknown } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param options.apart small reads get a round trip each; `writesApart`: so do the writes of each collection */
  constructor(connection: Connection, session: ClientSession, options: { readonly apart: boolean; readonly writesApart: boolean }) {
    this.#connection = connection;
    this.#session = session;
    this.#patience = connection.patience();
    const apart = options.apart || connection.isSharded;
    this.#writesTogether = connection.writesTogether && !options.writesApart && !connection.isSharded;
    this.#small = new ReadsTogether((reads) =>
      reads.length === 1 || apart ? Promise.all(reads.map((each) => this.#readAll(each))) : this.#readJoined(reads),
    );
  }

  /** Waits for running operations of this transaction, then runs `work` alone. */
  inTurn<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      if (this.#failed !== undefined) throw this.#failed.reason;
      await this.#patience.ready();
      return await this.#patience.bounded(this.#sendAnd(work));
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #sendAnd<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    await this.#send();
    return await work(this.#session);
  }

  /** Writes at once, or before the next operation of this transaction, in one command with other such writes. */
  async write(writes: Writes): Promise<void> {
    if (writes.operations.length === 0) return;
    if (!this.#writesTogether) return await this.inTurn((session) => writeApart(this.#connection, [writes], session));
    this.#unsent.push(writes);
    this.#unsentOperations += writes.operations.length;
    if (this.#unsentOperations > mostUnsent) await this.sent();
  }

  /** Sends what waits. */
  async sent(): Promise<void> {
    await this.inTurn(async () => {});
  }

  async #send(): Promise<void> {
    const all = this.#unsent;
    if (all.length === 0) return;
    this.#unsent = [];
    this.#unsentOperations = 0;
    const collections = new Set(all.map(({ collection }) => collection));
    try {
      await (collections.size === 1 ? writeApart : writeTogether)(this.#connection, all, this.#session);
    } catch (reason) {
      // A caller of a read that sent them may catch it.
      this.#failed = { reason };
      throw reason;
    }
  }

  async aggregate(query: Query, take: Take): Promise<void> {
    if (query.few) {
      await take(await this.#small.read(query));
      return;
    }
    await this.inTurn((session) =>
      readUnionApart(query, async ({ collection, pipeline }, takePart) => {
        const { maxTimeMS: _, ...options } = optionsOf(query.budget);
        await drain(open(this.#connection, { collection, pipeline }, { ...options, session }), takePart);
      })(take),
    );
  }

  #readAll({ collection, pipeline }: SmallRead): Promise<Doc[]> {
    return this.inTurn((session) => readAll(this.#connection, { collection, pipeline }, { batchSize: docsAtOnce, session }));
  }

  async #readJoined(reads: readonly SmallRead[]): Promise<readonly (readonly Doc[])[]> {
    const found: (readonly Doc[])[] = [];
    for (let from = 0; from < reads.length; from += readsAtOnce) {
      const some = reads.slice(from, from + readsAtOnce);
      found.push(...separated(await this.inTurn((session) => this.#joined(some, session)), some.length));
    }
    return found;
  }

  async #joined(reads: readonly SmallRead[], session: ClientSession): Promise<Document | undefined> {
    try {
      const [joined] = await this.#connection.db.aggregate(joinedPipeline(reads), { session }).toArray();
      return joined;
    } catch (thrown) {
      throw isTooLong(thrown) ? new JoinedTooLong(thrown) : thrown;
    }
  }

  /** Reads the documents that `filter` finds, without a budget, for writes. Up to `mostLinks` of them share a round trip with other such reads. */
  async links(collection: string, filter: Document, projection: Document | undefined, visit: (doc: Doc) => void): Promise<void> {
    const pipeline = [{ $match: filter }, ...(projection === undefined ? [] : [{ $project: projection }])];
    const docs = await this.#small.read({ collection, pipeline: [...pipeline, { $limit: mostLinks + 1 }] });
    if (docs.length <= mostLinks) for (const doc of docs) visit(doc);
    else await this.project(collection, filter, projection, visit);
  }

  /** Reads few whole documents without a budget, for writes. They share a round trip with other such reads. */
  async few(collection: string, filter: Document, visit: (doc: Doc) => void): Promise<void> {
    for (const doc of await this.#small.read({ collection, pipeline: [{ $match: filter }] })) visit(doc);
  }

  /** Reads whole documents without a budget, for writes. */
  async find(collection: string, filter: Document, visit: (doc: Doc) => void): Promise<void> {
    await this.project(collection, filter, undefined, visit);
  }

  async project(collection: string, filter: Document, projection: Document | undefined, visit: (doc: Doc) => void): Promise<void> {
    const pipeline = [{ $match: filter }, ...(projection === undefined ? [] : [{ $project: projection }])];
    await this.aggregate({ collection, pipeline, budget: undefined }, (docs) => {
      for (const doc of docs) visit(doc);
      return true;
    });
  }

  async idle(): Promise<void> {
    await this.#last;
  }
}

interface ReadingOptions {
  readonly batchSize: number;
  readonly maxTimeMS?: number;
  readonly readConcern?: ReadConcern;
  readonly session?: ClientSession;
  /** Of reads that share the connections with other requests; a transaction has one of its own. */
  readonly admit?: Admit;
  /** The same, of those that may find many documents. */
  readonly admitBatch?: Admit;
}

type AllQuery = Pick<Query, "collection" | "pipeline"> & Partial<Pick<Query, "budget">>;

async function readAll(connection: Connection, query: AllQuery, options: ReadingOptions): Promise<Doc[]> {
  return (await findFew(connection, query, options)) ?? (await gathered(() => open(connection, query, options), query.budget));
}

function open(connection: Connection, query: Pick<Query, "collection" | "pipeline">, { admit: _, admitBatch, ...options }: ReadingOptions): Cursor {
  const cursor = new RawCursor(cursorOf(connection, query, options));
  return admitBatch === undefined ? cursor : new AdmittedCursor(cursor, admitBatch);
}

/** Asks for each batch when it is its request's turn. */
class AdmittedCursor implements Cursor {
  readonly #cursor: Cursor;
  readonly #admit: Admit;

  constructor(cursor: Cursor, admit: Admit) {
    this.#cursor = cursor;
    this.#admit = admit;
  }

  get id() {
    return this.#cursor.id;
  }

  hasNext(): Promise<boolean> {
    return this.id?.isZero() ? this.#cursor.hasNext() : this.#admit(() => this.#cursor.hasNext());
  }

  readBufferedDocuments(most?: number): RawDocument[] {
    return this.#cursor.readBufferedDocuments(most);
  }

  close(): Promise<void> {
    return this.#cursor.close();
  }
}

function cursorOf(connection: Connection, { collection, pipeline }: Pick<Query, "collection" | "pipeline">, options: ReadingOptions) {
  const documents = connection.collection(collection);
  const find = asFind(pipeline);
  if (find === undefined) return documents.aggregate([...pipeline], { ...options, raw: true, allowDiskUse: true });
  const { filter, ...rest } = find;
  return documents.find(filter, { ...options, ...rest, raw: true, ...(rest.sort && { allowDiskUse: true }) });
}

function optionsOf(budget: Budget | undefined) {
  const left = budget === undefined ? Number.POSITIVE_INFINITY : Math.ceil(budget.deadline - performance.now());
  return { batchSize: docsAtOnce, ...(Number.isFinite(left) && { maxTimeMS: Math.max(1, Math.min(left, 2 ** 31 - 1)) }) };
}

/** Repeats a read at the same time, which returns the same documents; skips those that were taken. */
function after(taken: number, take: Take): Take {
  let left = taken;
  return (docs) => {
    const known = Math.min(left, docs.length);
    left -= known;
    return known === docs.length || take(known === 0 ? docs : docs.slice(known));
  };
}

async function drain(cursor: Cursor, take: Take): Promise<void> {
  try {
    while (await cursor.hasNext()) if ((await take(cursor.readBufferedDocuments().map(decoded))) === false) return;
  } finally {
    await cursor.close();
  }
}

/** Whether another server, or the same one a moment later, may answer. */
export function isPassing(thrown: unknown): boolean {
  if (thrown instanceof MongoServerSelectionError) return false;
  if (isBrokenSocket(thrown) || isPoolClosed(thrown)) return true;
  // A bulk write that lost its connection throws no error of the driver.
  if (thrown instanceof MongoBulkWriteError && thrown.code === undefined) return true;
  return thrown instanceof MongoNetworkError || (thrown instanceof MongoError && thrown.hasErrorLabel("RetryableReadError")) || isInTransit(thrown);
}

const interrupted = 11_601;

/** The operation or its session was killed at the database: retried once. */
export function isInterrupted(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && Number(thrown.code) === interrupted;
}
