// A store of its own for a test, on the storage that this run of the specs is about (see vitest.config.ts). What a spec says
// here holds on every storage; a spec of one storage alone lives in that adapter's folder.

import { inject, onTestFinished } from "vitest";
import type { Storage } from "../../core/storage.ts";

export interface StoreOptions {
  /** What the storage may keep of the data in memory. */
  readonly cacheBytes?: number;
}

/** Room for the data of one test: a folder, or a database. */
export interface Place {
  /** A storage over these data, not open yet. LevelDB lets only one at a time be open. */
  storage(options?: StoreOptions): Storage;
  /** Where a process of its own finds the data: `storageAt` of `addressed-storage.ts`. */
  readonly address: string;
  /** Removes the data. The caller that opened a storage has closed it. */
  remove(): Promise<void>;
}

const places: { readonly [name in typeof storageName]: () => Promise<Place> } = {
  level: async () => (await import("./level-place.ts")).levelPlace(),
  mongodb: async () => (await import("./mongodb-place.ts")).mongodbPlace(),
};

/** `level` or `mongodb`. */
export const storageName = inject("storage");

/** Room without data. The caller removes it. */
export function newPlace(): Promise<Place> {
  return places[storageName]();
}

/** A storage without data, not open yet, for as long as the test runs that asks for it. The test closes it. */
export async function newStorage(options?: StoreOptions): Promise<Storage> {
  const place = await newPlace();
  onTestFinished(() => place.remove());
  return place.storage(options);
}
