// Checks types, posting lists of types and counters against the records.

import { formatUid } from "../../../core/storage.ts";
import { uidFromText } from "../keyspaces/keys.ts";
import { columnChunk } from "../structures/column.ts";
import type { PostingLists } from "../structures/posting-lists.ts";
import { typeIdOf } from "../structures/records.ts";
import type { Checking } from "./checking.ts";

export async function checkTypes(checking: Checking): Promise<void> {
  const { view, findings, database } = checking;
  const { nodes, typeNames } = database.schema;
  for await (const [text, ids] of nodes.types.chunks.scan(view)) {
    const first = uidFromText(text) * columnChunk;
    for (let i = 0; ids !== undefined && i < columnChunk; i++) {
      const uid = first + i;
      if (ids[i] === 0 || nodes.records.keyspace.read(uid, view) !== undefined) continue;
      findings.fault("type", `${formatUid(uid)} has a type and no record`, () => nodes.types.set(uid, 0, view));
    }
  }
  for await (const [text] of nodes.byType.heads.scan(view)) {
    const id = uidFromText(text);
    checkCounter(checking, nodes.byType, id, `nodes of type ${typeNames.get(id) ?? id}`);
    for (const uid of nodes.byType.open(id, view).all()) {
      const record = nodes.records.keyspace.read(uid, view);
      if (record !== undefined && typeIdOf(record) === id) continue;
      findings.fault("type", `${formatUid(uid)} is listed as ${typeNames.get(id) ?? id} and is not`, () => nodes.byType.remove(id, uid, view));
    }
    await checking.tick("types", 0, 0);
  }
}

/** Checks the count of a list. Repaired first: later additions and removals update it. */
export function checkCounter<K extends string | number>({ view, findings }: Checking, lists: PostingLists<K>, key: K, name: string): void {
  const list = lists.open(key, view);
  const held = list.all();
  if (held.length === list.count && isAscending(held)) return;
  findings.fault("counter", `${name}: counted ${list.count}, held ${held.length}`, () => {
    lists.clear(key, view);
    for (const uid of new Set(held)) lists.add(key, uid, view);
  });
}

function isAscending(uids: readonly number[]): boolean {
  return uids.every((uid, i) => i === 0 || uid > (uids[i - 1] ?? 0));
}
