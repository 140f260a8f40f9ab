// Which process writes the files of a folder. Another one looks whether it still runs.

import { hostname } from "node:os";

export interface FileOwner {
  readonly host: string;
  readonly pid: number;
}

export function thisProcess(): FileOwner {
  return { host: hostname(), pid: process.pid };
}

/**
 * Whether another process than this one owns the files, and still runs. A process of another machine is taken for one that has ended: folders that several
 * share are rare, and its pid says nothing here.
 */
export function isOtherAlive({ host, pid }: FileOwner): boolean {
  if (pid === process.pid || host !== hostname()) return false;
  try {
    return process.kill(pid, 0);
  } catch (reason) {
    // A process of another user, which this one may not signal.
    return reason instanceof Error && "code" in reason && reason.code === "EPERM";
  }
}
