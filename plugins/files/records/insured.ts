// Bytes that are written before anything refers to them. Until something does they count as bytes to remove, so that a process that ends in between leaves nothing.

import { type KernelAccess, QuernError, type Transaction } from "../../../core/plugin.ts";
import type { FileStore } from "../stores/file-store.ts";
import { createGone } from "./gone.ts";
import { goneFields, goneType } from "./layout.ts";
import { newKey } from "./uploads.ts";

export interface InsuredWrite<T> {
  /** How long it may take. */
  readonly lastsMs: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Lets something refer to the bytes. Undefined: nothing does any more, and they go. It may run several times. */
  readonly commit: (transaction: Transaction, key: string) => Promise<T | undefined>;
}

/** @returns what `commit` has. Undefined: the bytes are not wanted any more */
export async function writeInsured<T>(kernel: KernelAccess, store: FileStore, { lastsMs, bytes, commit }: InsuredWrite<T>): Promise<T | undefined> {
  const key = newKey();
  const { result: gone } = await kernel.transact(async (transaction) => {
    const [uid = 0] = await transaction.uids(1);
    await transaction.write([createGone(uid, key, Date.now() + lastsMs)]);
    return uid;
  });
  const now = async (transaction: Transaction) =>
    await transaction.write([{ kind: "set", uid: gone, type: goneType, fields: { [goneFields.due]: Date.now() } }]);
  try {
    await store.write(key, bytes);
    const { result } = await kernel.transact(async (transaction) => {
      const { uids } = await transaction.load({ uids: [gone], types: [goneType], fields: [] });
      if (uids.length === 0) throw new QuernError("OVERLOADED", "The store of files took too long. Nothing was kept.", { hint: "Try again." });
      const committed = await commit(transaction, key);
      if (committed === undefined) await now(transaction);
      else await transaction.write([{ kind: "remove", uid: gone, type: goneType }]);
      return committed;
    });
    return result;
  } catch (thrown) {
    // What cannot be said now, happens when its time is over.
    await kernel.transact(now).catch(() => undefined);
    throw thrown;
  }
}
