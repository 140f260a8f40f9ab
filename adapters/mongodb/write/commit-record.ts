// What each commit writes to the collection of changes: its record, which says what it did and proves that it happened, and the locks of its links.
// The collection refuses both while another layout is deployed.

import { type AnyBulkWriteOperation, type ClientSession, type Collection, MongoServerError } from "mongodb";
import type { ChangeRecord, Uid } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import type { BareRecord, ChangeDoc } from "../database/commit-stream.ts";
import type { Database } from "../database/database.ts";
import { changesCollection, changesGuard } from "../layout/names.ts";
import type { SessionSource } from "../session/source.ts";
import type { Homes } from "../sharding/homes.ts";
import type { LinkLocks } from "./link-locks.ts";
import { isRefusedByValidator } from "./owner-rules.ts";

/** The collection of changes refused a record of another layout: a schema is being deployed, or was. */
export class RefusedByGate extends Error {
  constructor(cause: unknown) {
    super("another schema is deployed", { cause });
  }
}

/** More locks are written apart: an update of a document that may not be there takes ten times as long as an insert among many. */
const mostWithRecord = 20;

export interface CommitRecordOptions {
  readonly database: Database;
  readonly source: SessionSource;
  readonly locks: LinkLocks;
  /** The id of the commit. */
  readonly id: string;
  /** The version of the layout that the transaction uses. */
  readonly layout: number;
}

export class CommitRecord {
  readonly #options: CommitRecordOptions;

  constructor(options: CommitRecordOptions) {
    this.#options = options;
  }

  /** Writes the locks now, where they are many. Errors: `RefusedByGate`. */
  async writeManyLocks(): Promise<void> {
    const { locks, source } = this.#options;
    if (locks.size <= mostWithRecord) return;
    const { homes } = this.#options.database;
    const ids = locks.takeIds();
    const missing = new Map(ids);
    await source.project(changesCollection, locksById(ids, homes), { _id: 1 }, (doc) => missing.delete(String(doc._id)));
    const there = new Map([...ids].filter(([id]) => !missing.has(id)));
    const { update, fields } = this.#lock();
    await this.#guarded(async (changes, session) => {
      if (there.size > 0) await changes.updateMany(locksById(there, homes), update, { session });
      if (missing.size > 0)
        await changes.insertMany(
          [...missing].map(([_id, uid]) => ({ _id, ...homes.of(uid), ...fields, locks: 1 })),
          { session },
        );
    });
  }

  /**
   * Writes the record, and the locks that are left. Errors: `RefusedByGate`.
   *
   * @param at the node with which the record lies in a sharded database
   */
  async write(record: ChangeRecord, at: Uid): Promise<void> {
    const { database, id: _id, layout } = this.#options;
    const { token: _, ...bare } = record;
    const fields: Omit<ChangeDoc, "_id"> = {
      kind: "commit",
      at: new Date(),
      layout,
      born: database.born,
      record: isSmall(bare) ? bare : coarse(bare),
    };
    // An insert would make the collection where it was dropped.
    const insert = { updateOne: { filter: { _id, ...database.homes.of(at) }, update: { $setOnInsert: fields }, upsert: true, hint: changesGuard } };
    const { source } = this.#options;
    await source.write({ collection: changesCollection, operations: [insert, ...this.#lockWrites()], explain: refusedByGate, insertsFirst: true });
    await source.sent();
  }

  #lockWrites(): AnyBulkWriteOperation<Doc>[] {
    const { update, fields } = this.#lock();
    const upsert = { ...update, $setOnInsert: { at: fields.at } };
    const { homes } = this.#options.database;
    return [...this.#options.locks.takeIds()].map(([_id, uid]) => ({
      updateOne: { filter: { _id, ...homes.of(uid) }, update: upsert, upsert: true },
    }));
  }

  /** A write of what is there already would conflict with nothing, so each one counts. Documents that expire leave running transactions alone. */
  #lock() {
    const { layout, database } = this.#options;
    const fields = { kind: "lock", at: new Date(), layout, born: database.born } as const;
    return { fields, update: { $inc: { locks: 1 }, $set: { kind: "lock", layout, born: database.born } } } as const;
  }

  async #guarded<T>(write: (changes: Collection<ChangeDoc>, session: ClientSession) => Promise<T>): Promise<T> {
    const changes = this.#options.database.connection.db.collection<ChangeDoc>(changesCollection);
    try {
      return await this.#options.source.inTurn((session) => write(changes, session));
    } catch (thrown) {
      throw refusedByGate(thrown);
    }
  }
}

function locksById(ids: ReadonlyMap<string, Uid>, homes: Homes) {
  return { _id: { $in: [...ids.keys()] }, ...homes.among(ids.values()) };
}

function refusedByGate(thrown: unknown): unknown {
  return isRefusedByValidator(thrown) || hasNoGuard(thrown) ? new RefusedByGate(thrown) : thrown;
}

/** The collection of changes was dropped: its guard is no index of the collection. */
export function hasNoGuard(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && thrown.message.includes("hint provided does not correspond to an existing index");
}

/** Half of what MongoDB allows for a document. */
const mostRecordBytes = 8 << 20;

function isSmall(record: BareRecord): boolean {
  if (record.kind === "coarse") return true;
  let bytes = record.nodes.length * 120 + record.edges.length * 100;
  for (const { key } of record.entries) bytes += 120 + (typeof key === "string" ? key.length * 3 : 50);
  return bytes < mostRecordBytes;
}

function coarse(record: BareRecord): BareRecord {
  if (record.kind === "coarse") return record;
  const types = [...new Set(record.nodes.map((node) => node.type))];
  const fields = [...new Set(record.nodes.flatMap((node) => node.fields))];
  return { kind: "coarse", types, fields, ends: [...new Set(record.edges.flatMap((edge) => edge.edge.split("|")))] };
}
