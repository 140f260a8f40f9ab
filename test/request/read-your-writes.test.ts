// `extensions.commit` of a mutation, and the header `Quern-After`: a request that sees this commit, whichever server answers it.

import { expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../core/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { newPlace } from "../support/storage.ts";

async function openKernel(): Promise<Kernel> {
  const place = await newPlace();
  const kernel = createKernel({ errors: "compatible", storage: place.storage(), plugins: [identityPlugin()], log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await place.remove();
  });
  await kernel.open();
  await kernel.deploy("type Buoy { name: String! @id color: String }");
  return kernel;
}

async function ask(kernel: Kernel, query: string, after?: string) {
  const headers = after === undefined ? {} : { "quern-after": after };
  return JSON.parse((await kernel.execute({ query, headers })).body);
}

const add = (name: string) => `mutation { addBuoy(input: [{ name: "${name}" }]) { buoy { name } } }`;

it("a mutation that has committed names its newest commit; others name none", async () => {
  const kernel = await openKernel();
  const one = (await ask(kernel, add("a"))).extensions.commit;
  const two = (await ask(kernel, `mutation { b: addBuoy(input: [{ name: "b" }]) { numUids } c: addBuoy(input: [{ name: "c" }]) { numUids } }`))
    .extensions.commit;
  expect([typeof one, two > one]).toEqual(["string", true]);
  for (const query of [add("a"), "{ queryBuoy { name } }", `mutation { addBuoy(input: [{}]) { numUids } }`])
    expect((await ask(kernel, query)).extensions?.commit).toBeUndefined();
});

it("a query and a payload after it show the commit", async () => {
  const kernel = await openKernel();
  for (let i = 0; i < 5; i++) {
    const { commit } = (await ask(kernel, add(`n${i}`))).extensions;
    expect((await ask(kernel, `{ getBuoy(name: "n${i}") { name } }`, commit)).data).toEqual({ getBuoy: { name: `n${i}` } });
    expect((await ask(kernel, add(`m${i}`), commit)).data).toEqual({ addBuoy: { buoy: [{ name: `m${i}` }] } });
  }
});

it("a commit that is not there is an error of each query, never an older state", async () => {
  const kernel = await openKernel();
  const { commit } = (await ask(kernel, add("a"))).extensions;
  const later = String(commit).replace(/^./, (digit) => String.fromCharCode(digit.charCodeAt(0) + 1));
  for (const token of [later, "zzzz", "\u{10ffff}"]) {
    const { data, errors } = await ask(kernel, "{ queryBuoy { name } }", token);
    expect(data).toEqual({ queryBuoy: null });
    expect(errors).toEqual([{ message: expect.stringContaining("the commit asked for"), path: ["queryBuoy"] }]);
  }
  expect((await ask(kernel, "{ queryBuoy { name } }", "")).data).toEqual({ queryBuoy: [{ name: "a" }] });
});
