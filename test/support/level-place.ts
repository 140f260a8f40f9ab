// A folder for LevelDB.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leveldbStorage } from "../../adapters/level/index.ts";
import type { Place } from "./storage.ts";

export async function levelPlace(): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), "quern-"));
  return {
    // Answered when the operating system has it: what is durable is asked by the crash tests alone.
    storage: (options) => leveldbStorage({ path, durability: "os-crash-may-lose-commits", ...options }),
    address: path,
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
