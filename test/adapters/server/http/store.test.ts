// `/admin/store` and `checkStore`: what administrators see of the store, and its check while it serves.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" } });
  await stack.kernel.deploy("type Boat { name: String! @id  built: Int @search  crew: [Sailor] } type Sailor { name: String }");
  await stack.kernel.execute({ query: 'mutation { addBoat(input: [{ name: "Ada", built: 1999, crew: [{ name: "Cy" }] }]) { numUids } }' });
});
afterEach(() => stack.remove());

const admin = { "x-service-authtoken": "desk" };
interface StoreAnswer {
  readonly data: {
    readonly storage: string;
    readonly sizes: readonly { readonly kind: string; readonly name: string; readonly bytes: number }[];
    readonly tasks: readonly { readonly kind: string; readonly status: string; readonly message?: string }[];
  };
}
const store = async () => (json(await ask(stack.kernel, { method: "GET", path: "/admin/store", headers: admin })) as StoreAnswer).data;
const check = () =>
  ask(stack.kernel, { path: "/admin", headers: { ...admin, "content-type": "application/graphql" }, body: "mutation { checkStore { taskId } }" });

describe("the store for administrators", () => {
  it("has its parts with sizes, under the names of the layout", async () => {
    const { storage, sizes, tasks } = await store();
    expect(storage).toBe(stack.kernel.storage.name);
    expect(tasks).toEqual([]);
    const named = (kind: string) => sizes.filter((size) => size.kind === kind).map(({ name }) => name);
    expect(named("index")).toEqual(expect.arrayContaining([expect.stringMatching(/^Boat\.built/)]));
    expect(named("key")).toEqual(expect.arrayContaining([expect.stringMatching(/Boat\.name/)]));
    expect(named("edge")).toEqual(expect.arrayContaining([expect.stringMatching(/Boat\.crew/)]));
    expect(named("nodes").length).toBeGreaterThan(0);
    for (const { bytes } of sizes) expect(bytes).toBeGreaterThanOrEqual(0);
  });

  it("is checked while it serves, and the task has the result", async () => {
    expect(json(await check())).toMatchObject({ data: { checkStore: { taskId: expect.stringMatching(/^0x/) } } });
    await expect.poll(async () => (await store()).tasks).toMatchObject([{ kind: "Check", status: "Success" }]);
    expect((await store()).tasks[0]?.message).toMatch(/^2 nodes, 1 link, \d+ index entries: no faults$/);
  });

  it("is for administrators alone", async () => {
    for (const headers of [{}, { "x-service-authtoken": "desks" }])
      expect(json(await ask(stack.kernel, { method: "GET", path: "/admin/store", headers }))).toMatchObject({
        errors: [{ extensions: { code: "ErrorUnauthorized" } }],
      });
  });
});
