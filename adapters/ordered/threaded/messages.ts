// What the thread that has the store open and the one that builds its indexes send each other.

import { MessagePort } from "node:worker_threads";
import type { IndexName, Uid } from "../../../core/storage.ts";
import type { StoreOperation } from "../ground/store.ts";
import type { Catalog } from "../layout/catalog.ts";

/** What the other thread starts with. */
export interface IndexingStart {
  /** Transferred. */
  readonly port: MessagePort;
  /** With the indexes that are built. */
  readonly catalog: Catalog;
  readonly indexes: readonly IndexName[];
}

export type ToIndexing =
  /** There are more nodes in the store. */
  | { readonly kind: "more" }
  /** All are there. Those behind `upTo` are not indexed, nor those that were changed since they were created. */
  | { readonly kind: "end"; readonly upTo: Uid; readonly changed: readonly Uid[] }
  /** The oldest batch that was sent is written. */
  | { readonly kind: "written" }
  /** Nobody needs the indexes any more. */
  | { readonly kind: "stop" };

export type FromIndexing =
  | { readonly kind: "write"; readonly batch: PackedBatch }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly reason: string };

/** Operations of a batch. The values are one piece of memory, which is transferred: each piece of its own would be copied. */
export interface PackedBatch {
  readonly keys: readonly string[];
  /** Bytes of each value; -1: the entry is deleted. */
  readonly lengths: Int32Array<ArrayBuffer>;
  readonly values: Uint8Array<ArrayBuffer>;
}

const deleted = -1;

export function packed(operations: readonly StoreOperation[]): PackedBatch {
  const lengths = new Int32Array(operations.length);
  let bytes = 0;
  for (const [i, operation] of operations.entries()) {
    lengths[i] = operation.type === "put" ? operation.value.length : deleted;
    if (operation.type === "put") bytes += operation.value.length;
  }
  const values = new Uint8Array(bytes);
  let at = 0;
  for (const operation of operations) {
    if (operation.type !== "put") continue;
    values.set(operation.value, at);
    at += operation.value.length;
  }
  return { keys: operations.map(({ key }) => key), lengths, values };
}

export function unpacked({ keys, lengths, values }: PackedBatch): readonly StoreOperation[] {
  let at = 0;
  return keys.map((key, i) => {
    const length = lengths[i] ?? deleted;
    if (length === deleted) return { type: "del", key };
    const value = values.subarray(at, at + length);
    at += length;
    return { type: "put", key, value };
  });
}

/** @throws TypeError for anything else */
export function asIndexingStart(data: unknown): IndexingStart {
  if (isIndexingStart(data)) return data;
  throw new TypeError("this is no start of a thread for indexes: pass on what `begin` gave");
}

function isIndexingStart(data: unknown): data is IndexingStart {
  if (typeof data !== "object" || data === null) return false;
  return "port" in data && data.port instanceof MessagePort && "catalog" in data && "indexes" in data && Array.isArray(data.indexes);
}
