// The storage kit on LevelDB as it is by default, synced to the disk, with kills, waits and failures.

import { it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { LevelStore } from "../../../adapters/level/level-store.ts";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { storageConformance } from "../../conformance/index.ts";
import { crashPlace } from "../../support/crash-place.ts";
import { FaultyStore } from "../../support/faulty-store.ts";
import { temporaryFolder } from "./folders.ts";

const program = new URL("./kit-crash.ts", import.meta.url);
const patienceMs = 180_000;

storageConformance({
  test: (name, run) => it(name, run, patienceMs),
  create: async () => leveldbStorage({ path: await temporaryFolder() }),
  crash: async () => crashPlace(program, await temporaryFolder(), (path) => leveldbStorage({ path })),
  faults: async () => {
    const store = new FaultyStore(new LevelStore(await temporaryFolder(), { blockCacheBytes: 1 << 20 }));
    return { storage: orderedStorage(store), writes: store.writes };
  },
});
