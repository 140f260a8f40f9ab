// Makes a folder with those above it, one by one: `mkdir` with `recursive` never ends where a folder takes no folders (/proc).

import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes the folder `path` and the missing folders above it. @throws `ENOTDIR` when `path` is a file */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await isThere(at)) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const each of missing.reverse()) {
    try {
      await mkdir(each);
    } catch (reason) {
      // Another process was quicker.
      if (!(await isThere(each))) throw reason;
    }
  }
  if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
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
