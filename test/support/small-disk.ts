// A disk that fills: a small file system in memory, for which one must be root.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const noMount = "this user may not mount a file system";

/** A disk of this size, until the test ends; undefined where this user may mount none. */
export function smallDisk(bytes: number): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "quern-small-disk-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", path]));
  return path;
}

/** Leaves no room on a disk. @returns frees it again */
export function fillDisk(disk: string): () => void {
  const ballast = join(disk, "ballast");
  for (const bytes of [1 << 20, 4 << 10, 1]) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(bytes, 1), { flag: "a" });
    } catch {}
  }
  return () => rmSync(ballast);
}
