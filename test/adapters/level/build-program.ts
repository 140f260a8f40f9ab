// Started by the specs of killed builds: deploys indexes over the boats of a store, writes beside it, and says on standard output how far it is.

import { LevelStore } from "../../../adapters/level/level-store.ts";
import { Database } from "../../../adapters/ordered/database/database.ts";
import { migrate } from "../../../adapters/ordered/deploy/migrate.ts";
import { runAtOnce } from "../../../core/storage.ts";
import { writerOn } from "../ordered/writer-on.ts";
import { indexedBoats, plainBoats } from "./build-layout.ts";

const [path = "", gatheredAtMost = "0"] = process.argv.slice(2);
const store = new LevelStore(path, { blockCacheBytes: 1 << 20 });
await store.open();
const database = new Database(store, { cacheBytes: 8 << 20, sync: true });
database.handIn(plainBoats);

async function renameSome(): Promise<void> {
  for (let uid = 1; database.schema.layout === plainBoats; uid += 97) {
    await database.write(() => {
      runAtOnce(writerOn(database).write([{ kind: "set", uid, type: "Boat", fields: { "Boat.name": `again ${process.pid} ${uid}` } }]));
      return { result: undefined, wrote: true };
    });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const renaming = renameSome();
await migrate(database, {
  layout: indexedBoats,
  document: "indexed",
  takeOver: undefined,
  gatheredAtMost: Number(gatheredAtMost),
  progress: (step) => process.stdout.write(`${JSON.stringify(step)}\n`),
});
await renaming;
await database.close();
await store.close();
