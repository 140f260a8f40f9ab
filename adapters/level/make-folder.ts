// Makes a folder with those above it, one by one: `mkdir` with `recursive` never ends where a folder is there and takes no folders (/proc).

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** @param path absolute; a link to a folder will do */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = path; !(await isThere(at)); at = dirname(at)) {
    missing.push(at);
    // A drive that is not there has nothing above it.
    if (dirname(at) === at) break;
  }
  for (const each of missing.reverse()) {
    try {
      await mkdir(each);
    } catch (reason) {
      // Somebody else was quicker.
      if (!(await isThere(each))) throw reason;
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (reason) {
    if (reason instanceof Error && "code" in reason && reason.code === "ENOENT") return false;
    throw reason;
  }
}
