// What writes nothing ends beside writers that never pause.

import { expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { newPlace } from "../../support/storage.ts";

const schema = "type Boat { id: ID! name: String! @id length: Int }";

async function openKernel(): Promise<Kernel> {
  const place = await newPlace();
  const kernel = createKernel({ storage: place.storage(), plugins: [identityPlugin()], log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await place.remove();
  });
  await kernel.open();
  await kernel.deploy(schema);
  return kernel;
}

/** Runs `work` beside six writers. @returns how many commits they made meanwhile, 3,000 at most */
async function commitsBeside(kernel: Kernel, work: () => Promise<unknown>): Promise<number> {
  let commits = 0;
  let isDone = false;
  const write = async () => {
    while (!isDone && commits < 3_000) await kernel.execute({ query: `mutation { addBoat(input: [{ name: "boat ${++commits}" }]) { numUids } }` });
  };
  const writers = Array.from({ length: 6 }, write);
  await work();
  const meanwhile = commits;
  isDone = true;
  await Promise.all(writers);
  return meanwhile;
}

it("an update of nothing is answered after a few commits of others", async () => {
  const kernel = await openKernel();
  const query = "mutation { updateBoat(input: { filter: { has: length }, set: { length: 1 } }) { numUids } }";
  expect(await commitsBeside(kernel, async () => await kernel.execute({ query }))).toBeLessThan(100);
});

it("a deploy ends after some commits of others", async () => {
  const kernel = await openKernel();
  expect(await commitsBeside(kernel, () => kernel.deploy("type Boat { id: ID! name: String! @id }"))).toBeLessThan(1_000);
});
