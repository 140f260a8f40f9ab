// Folders for the namespaces of one server.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { leveldbNamespaces, leveldbStorage } from "../../adapters/level/index.ts";
import type { TenantsPlace } from "./tenants-place.ts";

export async function levelTenants(): Promise<TenantsPlace> {
  const path = await mkdtemp(join(tmpdir(), "quern-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return tenantsAt(path);
}

export function tenantsAt(path: string): TenantsPlace {
  // Answered when the operating system has it: what is durable is asked by the crash tests alone.
  const options = { path, durability: "os-crash-may-lose-commits" } as const;
  return { path, stores: () => ({ zero: leveldbStorage(options), stores: leveldbNamespaces(options) }) };
}
