// All vectors of an indexed embedding have one length. The length is metadata of the store, so that a write need not look for another vector.

import { and, type Change, type ChangesContext, isVector, not, type TypeName, type Uid, type Vector, wrongLength } from "../../core/plugin.ts";
import type { Embedding } from "./embeddings.ts";

/** An indexed embedding: its storage name, and the types that have it. */
interface Indexed {
  readonly embedding: Embedding;
  readonly types: readonly TypeName[];
}

/** @throws `VALUE_INVALID` when the changes write a vector of another length than the others of its field */
export async function checkLengths(embeddings: readonly Embedding[], { changes, transaction }: Pick<ChangesContext, "changes" | "transaction">) {
  for (const [stored, indexed] of byStoredName(embeddings)) {
    const written = changes.flatMap((change) => vectorIn(change, stored) ?? []);
    const [first] = written;
    if (!first) continue;
    const { length } = first.vector;
    if (written.some(({ vector }) => vector.length !== length)) throw wrongLength(indexed.embedding.search.metric);
    await checkLength(stored, indexed, { length, uids: written.map(({ uid }) => uid), transaction });
  }
}

function byStoredName(embeddings: readonly Embedding[]): ReadonlyMap<string, Indexed> {
  const indexed = new Map<string, Indexed>();
  for (const embedding of embeddings) {
    if (!embedding.search.index) continue;
    const { stored, owner } = embedding.field();
    const types = [...(indexed.get(stored)?.types ?? []), ...owner.members.map((member) => member.stored)];
    indexed.set(stored, { embedding, types: [...new Set(types)] });
  }
  return indexed;
}

interface Written {
  readonly uid: Uid;
  readonly vector: Vector;
}

function vectorIn(change: Change, field: string): Written | undefined {
  if (change.kind !== "create" && change.kind !== "set") return undefined;
  const value = change.fields[field];
  return value !== undefined && value !== null && isVector(value) ? { uid: change.uid, vector: value } : undefined;
}

interface Lengths {
  readonly length: number;
  /** The nodes that are written. */
  readonly uids: readonly Uid[];
  readonly transaction: ChangesContext["transaction"];
}

async function checkLength(stored: string, { embedding, types }: Indexed, { length, uids, transaction }: Lengths): Promise<void> {
  const name = `embedding.length ${stored}`;
  const known = await transaction.meta(name);
  if (known === length) return;
  const others = and({ kind: "has", field: stored }, not({ kind: "uids", uids: [...new Set(uids)].sort((a, b) => a - b) }));
  const { columns } = await transaction.find({ types, where: others, page: { first: 1 }, fields: [stored] });
  const other = columns[0]?.[0];
  if (other !== undefined && isVector(other) && other.length !== length) throw wrongLength(embedding.search.metric);
  await transaction.setMeta(name, length);
}
