// A thread that waits after a burst, and reports what is left when it has collected its garbage.

import { setTimeout as pause } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { parentPort } from "node:worker_threads";
import { collectWhenIdle } from "../../../adapters/idle-memory/collect-when-idle.ts";

/** What the thread reports. */
export interface AfterCollection {
  readonly hasGarbage: boolean;
  /** Of `gc` in a new context. */
  readonly type: string;
}

/** @returns a reference to 300 MiB that nothing else refers to */
function burst(): WeakRef<object> {
  return new WeakRef(Array.from({ length: 300 }, () => new Uint8Array(2 ** 20)));
}

let isCollected = false;
collectWhenIdle({ collected: () => (isCollected = true) });
// The first window is the floor.
await pause(1_500);
let garbage = burst();
while (!isCollected) {
  // V8 may have been in the middle of a collection of its own.
  if (garbage.deref() === undefined) garbage = burst();
  await pause(20);
}
const report: AfterCollection = { hasGarbage: garbage.deref() !== undefined, type: runInNewContext("typeof gc") };
parentPort?.postMessage(report);
