// The stores of a server with namespaces: a folder each, inside that of namespace 0.

import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { QuernError, type Storage } from "../../core/storage.ts";
import { syncFolder } from "../storage-kit/index.ts";
import { isMissing } from "./files/manifest.ts";
import { type LeveldbStorageOptions, storageWithBuffers } from "./leveldb-storage.ts";

/** How large the store of one namespace may grow in memory. What it shares with others is set while it is open. */
const tenantCacheBytes = 16 << 20;
const tenantWriteBytes = 2 << 20;
const registryBytes = 64 << 10;

/** As for one store; the cache is shared while namespaces are open. */
export type LeveldbNamespacesOptions = Omit<LeveldbStorageOptions, "cacheBytes">;

/** Stores in folders: that of namespace 5 is `namespaces/5` in `path`, which is the folder of namespace 0. */
export interface LeveldbNamespaces {
  /** Keeps which namespaces there are. */
  readonly registry: Storage;
  storage(namespace: number): Storage;
  remove(namespace: number): Promise<void>;
}

/** @param options of every store; `path` is the folder of namespace 0 */
export function leveldbNamespaces(options: LeveldbNamespacesOptions): LeveldbNamespaces {
  const { path } = options;
  if (path === "") throw new QuernError("CONFIG_INVALID", "leveldbNamespaces: `path` names no folder");
  return {
    registry: storageWithBuffers({ ...options, path: join(folderOf(path), "registry"), cacheBytes: registryBytes }, registryBytes),
    storage: (namespace) =>
      storageWithBuffers({ ...options, path: namespaceFolder(path, namespace), cacheBytes: tenantCacheBytes }, tenantWriteBytes),
    remove: async (namespace) => await removeFolder(folderOf(path), String(namespace)),
  };
}

/** @param data the folder of namespace 0 */
export function namespaceFolder(data: string, namespace: number): string {
  return namespace === 0 ? data : join(folderOf(data), String(namespace));
}

function folderOf(data: string): string {
  return join(data, "namespaces");
}

/** What a crash leaves half removed is no store any more: its folder has another name. */
async function removeFolder(parent: string, name: string): Promise<void> {
  const removed = join(parent, `removed-${name}`);
  await rm(removed, { recursive: true, force: true });
  try {
    await rename(join(parent, name), removed);
  } catch (thrown) {
    if (isMissing(thrown)) return;
    throw thrown;
  }
  await rm(removed, { recursive: true, force: true });
  await syncFolder(parent);
}
