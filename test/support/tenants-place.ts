// Room for the namespaces of one server, on the storage that this run of the specs is about.

import type { NamespaceStores } from "../../adapters/server/index.ts";
import type { Storage } from "../../core/storage.ts";
import { storageName } from "./storage.ts";

export interface Stores {
  readonly zero: Storage;
  readonly stores: NamespaceStores;
}

/** Where all namespaces of one server are. */
export interface TenantsPlace {
  stores(): Stores;
  /** The folder, on LevelDB. */
  readonly path: string;
}

/** Removed when the test ends. */
export async function tenantsPlace(): Promise<TenantsPlace> {
  return storageName === "mongodb"
    ? await (await import("./mongodb-tenants.ts")).mongodbTenants()
    : await (await import("./level-tenants.ts")).levelTenants();
}
