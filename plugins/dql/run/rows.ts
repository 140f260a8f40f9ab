// Nodes with the values that were read of them.

import type { Batch, Column, Snapshot, TypeName, Uid } from "../../../core/plugin.ts";
import type { Inputs } from "../language/inputs.ts";
import type { Catalog } from "../schema/catalog.ts";
import type { DocumentBudget } from "../state/document-budget.ts";

/** What the reads of one document share. */
export interface ReadContext {
  readonly catalog: Catalog;
  readonly inputs: Inputs;
  readonly snapshot: Snapshot;
  readonly work: DocumentBudget;
}

/** Nodes with columns, however they were found. */
export interface Rows {
  readonly uids: readonly Uid[];
  readonly types: readonly (TypeName | undefined)[];
  readonly columns: ReadonlyMap<string, Column>;
}

export function rowsOf(batch: Batch, names: readonly string[]): Rows {
  return { uids: batch.uids, types: batch.types, columns: new Map(names.map((name, i) => [name, batch.columns[i] ?? []])) };
}

/** The nodes with these uids, each with its columns; a uid that no node has gives a row without values. */
export async function loadRows(uids: readonly Uid[], names: readonly string[], { snapshot, catalog }: ReadContext): Promise<Rows> {
  const batch = await snapshot.load({ uids, types: catalog.types, fields: names });
  const plain = rowsOf(batch, names);
  if (batch.uids.length === uids.length) return plain;
  const at = new Map(batch.uids.map((uid, i) => [uid, i]));
  const spread = <T>(list: readonly T[]): (T | undefined)[] => uids.map((uid) => list[at.get(uid) ?? -1]);
  return { uids, types: spread(batch.types), columns: new Map([...plain.columns].map(([name, column]) => [name, spread(column)])) };
}
