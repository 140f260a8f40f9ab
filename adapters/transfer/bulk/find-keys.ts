// The nodes that hold keys of one type.

import type { Key, NodeType, Snapshot, Uid, Value } from "../../../core/plugin.ts";

/** Uids by the text of the key. */
export type Holders = ReadonlyMap<string, Uid>;

export async function findKeys(snapshot: Snapshot, type: NodeType, { field }: Key, keys: ReadonlyMap<string, Value>): Promise<Holders> {
  if (keys.size === 0) return new Map();
  const { uids, columns } = await snapshot.find({
    types: [type.stored],
    where: { kind: "compare", field: field.stored, op: "in", operands: [...keys.values()] },
    fields: [field.stored],
  });
  const held = columns[0] ?? [];
  return new Map(uids.map((uid, row) => [String(held[row]), uid]));
}
