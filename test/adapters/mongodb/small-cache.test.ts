// A transaction whose changes do not fit into MongoDB's cache: MongoDB ends it as if another writer had won, though there is none.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel, parseJson } from "../../../core/index.ts";
import { type ReplicaSet, startReplicaSet, startsMongods } from "../../support/mongod.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

describe.runIf(startsMongods)("a mongod with a cache of four megabytes", () => {
  let mongod: ReplicaSet;
  let kernel: Kernel;
  beforeAll(async () => {
    mongod = await startReplicaSet({ cacheMb: 4 });
    kernel = createKernel({
      storage: mongodbStorage({ uri: mongod.uri, database: "scans", ...layoutOfRun }),
      plugins: standardPlugins(),
      log: { level: "silent" },
    });
    await kernel.open();
    await kernel.deploy("type Scan { key: String! @id  text: String @search(by: [fulltext])  size: Int @search }");
  });
  afterAll(async () => {
    await kernel.close();
    await mongod.stop();
  });

  async function add(count: number): Promise<unknown> {
    const text = "the quick brown fox jumps over the lazy dog ".repeat(4);
    const input = Array.from({ length: count }, (_, i) => ({ key: `${count} ${i}`, text: text + i, size: i }));
    const query = "mutation ($input: [AddScanInput!]!) { addScan(input: $input) { numUids } }";
    return parseJson((await kernel.execute({ query, variables: { input } })).body);
  }

  it("names what ended a mutation of a thousand nodes, and takes one of ten", async () => {
    const message = expect.stringMatching(/cache of MongoDB|its cache was full/);
    expect(await add(1_000)).toMatchObject({ data: { addScan: null }, errors: [{ message }] });
    expect(await add(10)).toMatchObject({ data: { addScan: { numUids: 10 } } });
  });
});
