// Kills a process in the middle of its writes, however fast the machine is.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Sends SIGKILL once the files in `folder`, at any depth, have grown by so many bytes. False: the process ended before. */
export async function killedWhileItWrites(child: ChildProcess, folder: string, grownBytes: number): Promise<boolean> {
  const ended = once(child, "exit");
  // A store that is opened first makes less of what the one before left.
  for (let [least, now] = [Number.POSITIVE_INFINITY, 0]; child.exitCode === null && now - least < grownBytes; await sleep(2)) {
    now = bytesIn(folder);
    least = Math.min(least, now);
  }
  child.kill("SIGKILL");
  await ended;
  return child.signalCode === "SIGKILL";
}

function bytesIn(folder: string): number {
  const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => sum + size(name), 0);
  } catch {
    // It is not made yet.
    return 0;
  }
}
