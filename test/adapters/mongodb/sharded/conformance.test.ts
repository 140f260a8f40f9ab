// The storage kit on the layout for sharded clusters, on a replica set: the answers are those of every storage.

import { it } from "vitest";
import { storageConformance } from "../../../conformance/index.ts";
import { mongodbPlace } from "../../../support/mongodb-place.ts";

const sharded = () => mongodbPlace({ sharded: true });

async function servers() {
  const place = await sharded();
  return [place.storage(), place.storage()] as const;
}

storageConformance({ test: it, create: async () => (await sharded()).storage(), servers });
