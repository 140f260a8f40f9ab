// The storage kit on the layout for sharded clusters, on a replica set: the answers are those of every storage. These are the chapters about keys, links,
// transactions, deploys and several servers; all of them run on it with QUERN_TEST_MONGODB_SHARDED=1, in `../conformance.test.ts`.

import { it } from "vitest";
import { storageConformance } from "../../../conformance/index.ts";
import { mongodbPlace } from "../../../support/mongodb-place.ts";

const sharded = () => mongodbPlace({ sharded: true });

async function servers() {
  const place = await sharded();
  return [place.storage(), place.storage()] as const;
}

const chapters = /^(change|deploy|erase|hold|key|link|load|servers|tx|view)\W/;
let leftOut = 0;

function ofChapters(name: string, run: () => Promise<void>): void {
  if (chapters.test(name)) it(name, run);
  else leftOut++;
}

storageConformance({ test: ofChapters, create: async () => (await sharded()).storage(), servers });
console.info(
  `${leftOut} checks are about values, orders and the like, which this layout stores as the other one does: QUERN_TEST_MONGODB_SHARDED=1 runs them.`,
);
