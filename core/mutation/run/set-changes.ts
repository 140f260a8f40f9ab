// New values of nodes that exist: reads what decides about them in one load, and makes one change for each node.

import type { Set as SetChange } from "../../contracts/change.ts";
import type { Sees } from "../../contracts/plugin/mutation-hooks.ts";
import type { NodeRef, Snapshot, Transaction } from "../../contracts/storage/snapshot.ts";
import type { FieldName, Stored } from "../../ground/values/value.ts";
import { seesAll } from "../access/sight.ts";
import type { Mutation } from "../context/mutation.ts";
import { comparedFields, fieldsToRead, type Patch, patchedFields } from "../input/patch-fields.ts";

export interface NodePatch {
  readonly node: NodeRef;
  readonly patch: Patch;
}

/** What `patches` make of their nodes; nodes that they leave alone have no change. */
export async function setChanges(mutation: Mutation, patches: readonly NodePatch[], transaction: Transaction): Promise<readonly SetChange[]> {
  const present = await readValues(patches, transaction);
  const sees = await comparedSight(mutation, patches, transaction);
  return patches.flatMap(({ node, patch }): readonly SetChange[] => {
    const fields = patchedFields(patch, { current: (field) => present(node.uid, field), isSeen: (field) => sees(node.uid, field) });
    return Object.keys(fields).length === 0 ? [] : [{ kind: "set", uid: node.uid, type: node.type, fields }];
  });
}

async function comparedSight(mutation: Mutation, patches: readonly NodePatch[], transaction: Transaction): Promise<Sees> {
  const fields = [...new Set([...new Set(patches.map(({ patch }) => patch))].flatMap(comparedFields))];
  if (fields.length === 0) return seesAll;
  const nodes = patches.map(({ node }) => node);
  return mutation.sees(transaction, nodes, fields);
}

async function readValues(patches: readonly NodePatch[], transaction: Snapshot): Promise<(uid: number, field: FieldName) => Stored | undefined> {
  const distinctPatches = new Set(patches.map(({ patch }) => patch));
  const fields = [...new Set([...distinctPatches].flatMap(fieldsToRead))];
  if (fields.length === 0) return () => undefined;
  const batch = await transaction.load({
    uids: patches.map(({ node }) => node.uid),
    types: [...new Set(patches.map(({ node }) => node.type))],
    fields,
  });
  const rows = new Map(batch.uids.map((uid, row) => [uid, row]));
  const columns = new Map(fields.map((field, i) => [field, batch.columns[i]]));
  return (uid, field) => {
    const row = rows.get(uid);
    return row === undefined ? undefined : columns.get(field)?.[row];
  };
}
