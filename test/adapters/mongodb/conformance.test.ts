// The storage kit on a real MongoDB, each check in a database of its own.

import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { inject, it } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { type CrashPlace, storageConformance } from "../../conformance/index.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";

const program = fileURLToPath(new URL("./kit-crash.ts", import.meta.url));

async function crash(): Promise<CrashPlace> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  return {
    command: [process.execPath, "--import", import.meta.resolve("tsx"), program, uri, database],
    storage: () => mongodbStorage({ uri, database }),
  };
}

storageConformance({ test: it, create: async () => (await mongodbPlace()).storage(), crash });
