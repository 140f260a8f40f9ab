// The writes of a transaction to one collection, and several of them in one command, which MongoDB 8.0 and later know.

import { type AnyBulkWriteOperation, type ClientBulkWriteModel, type ClientSession, MongoClientBulkWriteError, MongoServerError } from "mongodb";
import type { Connection, Doc } from "../connection/connection.ts";

export interface Writes {
  readonly collection: string;
  readonly operations: readonly AnyBulkWriteOperation<Doc>[];
  /** The error to throw for one of these writes. */
  readonly explain: (thrown: unknown) => unknown;
  /** The first one is an upsert whose document must not be there. */
  readonly insertsFirst?: true;
}

/** The server does not take writes to several collections in one command after all: the transaction must run again, with a command for each. */
export class WritesApart extends Error {
  constructor(cause: unknown) {
    super("the server takes no writes to several collections in one command", { cause });
  }
}

/** Runs the writes in order, in one command for each collection. */
export async function writeApart(connection: Connection, all: readonly Writes[], session: ClientSession): Promise<void> {
  for (const writes of all) {
    try {
      const { upsertedIds } = await connection.collection(writes.collection).bulkWrite([...writes.operations], { session, ordered: true });
      if (writes.insertsFirst && !(0 in upsertedIds)) throw notInserted(writes);
    } catch (thrown) {
      throw writes.explain(thrown);
    }
  }
}

/** Runs the writes in order, in one command. */
export async function writeTogether(connection: Connection, all: readonly Writes[], session: ClientSession): Promise<void> {
  const models = all.flatMap(({ collection, operations }) => operations.map((each) => modelOf(`${connection.db.databaseName}.${collection}`, each)));
  try {
    const { updateResults } = await connection.client.bulkWrite(models, { session, ordered: true, verboseResults: true });
    let index = 0;
    for (const writes of all) {
      if (writes.insertsFirst && updateResults?.get(index)?.didUpsert !== true) throw notInserted(writes);
      index += writes.operations.length;
    }
  } catch (thrown) {
    throw explained(all, thrown);
  }
}

function notInserted({ collection }: Writes): TypeError {
  return new TypeError(`a document of ${collection} is there that a transaction was to insert`);
}

function modelOf(namespace: string, operation: AnyBulkWriteOperation<Doc>): ClientBulkWriteModel<{ [collection: string]: Doc }> {
  if ("insertOne" in operation) return { name: "insertOne", namespace, document: operation.insertOne.document };
  if ("updateOne" in operation) return { name: "updateOne", namespace, ...operation.updateOne };
  if ("updateMany" in operation) return { name: "updateMany", namespace, ...operation.updateMany };
  if ("deleteOne" in operation) return { name: "deleteOne", namespace, ...operation.deleteOne };
  if ("deleteMany" in operation) return { name: "deleteMany", namespace, ...operation.deleteMany };
  throw new TypeError("a transaction replaces no document as a whole");
}

function explained(all: readonly Writes[], thrown: unknown): unknown {
  if (!(thrown instanceof MongoClientBulkWriteError)) return thrown;
  const [first] = thrown.writeErrors;
  if (first !== undefined) {
    const [index, { code, message }] = first;
    return writesAt(all, index)?.explain(new MongoServerError({ code, errmsg: message, message })) ?? thrown;
  }
  const { cause } = thrown;
  if (cause instanceof MongoServerError && isUnknownCommand(cause)) return new WritesApart(cause);
  // The command failed as a whole, as after a lost race: each may know what it is about.
  return all.map(({ explain }) => explain(cause)).find((each) => each !== cause) ?? cause;
}

function writesAt(all: readonly Writes[], index: number): Writes | undefined {
  return all.flatMap((writes) => writes.operations.map(() => writes))[index];
}

/** Of commands or options that a server does not know, or not yet, as while a replica set is brought to another version. */
const unknownCommand = new Set([9, 59, 72, 115, 40_414, 40_415]);

function isUnknownCommand(thrown: MongoServerError): boolean {
  return unknownCommand.has(Number(thrown.code)) && !thrown.hasErrorLabel("TransientTransactionError");
}
