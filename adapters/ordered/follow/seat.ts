// A seat: what a thread needs to read along with the one that has the store open.

import { MessagePort } from "node:worker_threads";
import type { NewestCommit } from "../keyspaces/commit-posts.ts";

/** Sent to the other thread; `port` is transferred. */
export interface Seat {
  readonly newest: NewestCommit;
  /** Gets a `CommitPost` before each batch. */
  readonly port: MessagePort;
  /** Bound of decoded data that the reader keeps in memory. */
  readonly cacheBytes: number;
}

/** @throws TypeError for anything else */
export function asSeat(data: unknown): Seat {
  if (isSeat(data)) return data;
  throw new TypeError("this is no seat of an ordered storage: pass on what `admit` gave");
}

function isSeat(data: unknown): data is Seat {
  if (typeof data !== "object" || data === null) return false;
  if (!("newest" in data && "port" in data && "cacheBytes" in data)) return false;
  const { newest, port, cacheBytes } = data;
  return (
    newest instanceof BigInt64Array && newest.buffer instanceof SharedArrayBuffer && port instanceof MessagePort && typeof cacheBytes === "number"
  );
}
