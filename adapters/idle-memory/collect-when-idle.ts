// Gives memory back while a thread waits. V8 collects garbage when a thread allocates: one that waits keeps what its last burst has left, for hours.

import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How long a window is that is looked at, in milliseconds. */
const windowMs = 1_000;
/** A thread that works for a smaller share of a window waits. */
const idleShare = 0.05;
/** Windows in a row in which a thread must have waited. */
const idleWindows = 2;
/**
 * Growth that is worth a collection, in bytes and as a share of what was held before. After one, reads by key had twice the p99 for some seconds (measured):
 * ordinary traffic, which grows by some 40 MiB, must not bring one about.
 */
const growth = { bytes: 64 << 20, share: 0.25 };
/** Free memory in the heap after a collection that is worth another one: pages that it emptied in part are given back by the next. */
const freeBytes = 32 << 20;

/** A window of a thread. */
export interface IdleWindow {
  /** Share of the window in which the thread worked, from 0 to 1. */
  readonly share: number;
  /** What the heap holds of the system, and what lies outside of it for its objects. */
  readonly heldBytes: number;
  /** What of that objects take, dead ones included. */
  readonly usedBytes: number;
  /** What of that is known to live now and to be dropped later, such as answers that clients have not taken. */
  readonly inUseBytes: number;
}

/** Decides after each window whether to collect: once after a thread has grown and waits, never while it works. */
export class IdleRule {
  /** The least that was held since the last collection; of what it found in use nothing: V8 does not say when that is dropped. */
  #floorBytes = Number.POSITIVE_INFINITY;
  #waited = 0;
  #hasCollected = false;

  isDue({ share, heldBytes, usedBytes, inUseBytes }: IdleWindow): boolean {
    const follows = this.#hasCollected;
    this.#hasCollected = false;
    if (follows) this.#floorBytes = Math.max(0, heldBytes - inUseBytes);
    this.#floorBytes = Math.min(this.#floorBytes, heldBytes);
    this.#waited = share < idleShare ? this.#waited + 1 : 0;
    if (this.#waited < idleWindows) return false;
    if (follows) return heldBytes - usedBytes > freeBytes;
    const grown = heldBytes - inUseBytes - this.#floorBytes;
    this.#hasCollected = grown >= growth.bytes && grown >= growth.share * this.#floorBytes;
    return this.#hasCollected;
  }
}

/** Options of `collectWhenIdle`. */
export interface IdleMemoryOptions {
  /**
   * Bytes that are held for a while and are no garbage yet, such as `kernel.unsent.bytes`. No collection takes place for them; once they are no
   * longer in use, one does. Default: none.
   */
  readonly inUseBytes?: () => number;
  /** Called after each collection. */
  readonly collected?: () => void;
}

/**
 * From now on this thread collects its garbage when it has grown and waits. The collection takes one turn of the event loop, about a millisecond for each
 * 2 MiB that live. It turns a flag of V8 on and off, which are those of the whole process: only the owner of a process should call it.
 *
 * @returns stops it
 */
export function collectWhenIdle({ inUseBytes = () => 0, collected = () => {} }: IdleMemoryOptions = {}): () => void {
  const rule = new IdleRule();
  let since = performance.eventLoopUtilization();
  let gc: Collect | undefined;
  let isCollecting = false;
  const look = async () => {
    if (isCollecting) return;
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    if (!rule.isDue({ share: utilization, inUseBytes: inUseBytes(), ...heapBytes() })) return;
    isCollecting = true;
    gc ??= exposedGc();
    await gc?.();
    // The collection is no work of the thread.
    since = performance.eventLoopUtilization();
    isCollecting = false;
    collected();
  };
  const timer = setInterval(() => void look(), windowMs).unref();
  return () => clearInterval(timer);
}

function heapBytes(): Pick<IdleWindow, "heldBytes" | "usedBytes"> {
  const { total_heap_size: total, used_heap_size: used, external_memory: external } = getHeapStatistics();
  return { heldBytes: total + external, usedBytes: used + external };
}

type Collect = () => Promise<void>;

/** V8 gives the function to contexts that are made while the flag is set. Undefined: another thread has taken the flag back meanwhile. */
function exposedGc(): Collect | undefined {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof gc !== "function") return undefined;
  return async () => void (await Reflect.apply(gc, undefined, [{ type: "major", execution: "async" }]));
}
