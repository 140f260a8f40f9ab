// The storage kit on a real MongoDB, each check in a database of its own.

import { randomUUID } from "node:crypto";
import { inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { type CrashPlace, type FaultyStorage, storageConformance } from "../../conformance/index.ts";
import { builtProgram } from "../../support/built-program.ts";
import { MongoProxy } from "../../support/mongo-proxy.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";

const program = new URL("./kit-crash.ts", import.meta.url);

async function crash(): Promise<CrashPlace> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  return {
    command: [process.execPath, builtProgram(program), uri, database],
    storage: () => mongodbStorage({ uri, database, ...layoutOfRun }),
  };
}

const writes = new Set(["insert", "update", "delete", "findAndModify", "commitTransaction", "create", "createIndexes", "dropIndexes", "collMod"]);

/** A connection that holds back or breaks at every write, while reads go through. */
async function faults(): Promise<FaultyStorage> {
  const proxy = await MongoProxy.start(inject("mongodbUri"));
  onTestFinished(() => proxy.stop());
  return {
    storage: mongodbStorage({ uri: proxy.uri, database: `quern_test_${randomUUID()}`, connectTimeoutMs: 1_000, ...layoutOfRun }),
    writes: (behaviour) => {
      const fate = behaviour === "fail" ? "cut" : behaviour;
      proxy.rule = (command) => (writes.has(command) ? fate : "pass");
    },
  };
}

/** As two processes would open it. */
async function servers() {
  const place = await mongodbPlace();
  return [place.storage(), place.storage()] as const;
}

storageConformance({ test: it, create: async () => (await mongodbPlace()).storage(), crash, faults, servers });
