// Removes unused data: leftovers of earlier layouts and of interrupted deploys.

import type { Connection } from "../connection/connection.ts";
import type { Lease } from "../database/lease.ts";
import type { Left } from "../layout/catalog.ts";
import { collectionOf, tokensProperty } from "../layout/names.ts";

export async function sweep(connection: Connection, lease: Lease, left: readonly Left[]): Promise<void> {
  for (const each of left) {
    await lease.assertHeld();
    if (each.kind === "collection") await connection.db.dropCollection(each.name).catch(() => undefined);
    else if (each.kind === "tokens") await takeTokens(connection, each);
    else await takeProperties(connection, each);
  }
}

async function takeProperties(connection: Connection, { types, property }: Extract<Left, { kind: "field" }>): Promise<void> {
  for (const [i, type] of types.entries()) {
    const name = property[i];
    if (name !== undefined) await connection.collection(collectionOf(type)).updateMany({ [name]: { $exists: true } }, { $unset: { [name]: "" } });
  }
}

async function takeTokens(connection: Connection, { types, ids }: Extract<Left, { kind: "tokens" }>): Promise<void> {
  // `;` is the character after `:`.
  const ranges = ids.map((id) => ({ $elemMatch: { $gte: `${id}:`, $lt: `${id};` } }));
  const number = { $arrayElemAt: [{ $split: ["$$this", ":"] }, 0] };
  const kept = { $filter: { input: `$${tokensProperty}`, cond: { $not: [{ $in: [number, ids.map(String)] }] } } };
  for (const type of types)
    await connection
      .collection(collectionOf(type))
      .updateMany({ $or: ranges.map((range) => ({ [tokensProperty]: range })) }, [{ $set: { [tokensProperty]: kept } }]);
}
