// What a store remembers of its deploys.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepDeploy } from "../../../core/schema/deployment/deploy-history.ts";
import { ask, json } from "../../adapters/server/http/ask.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" } });
});
afterEach(() => stack.remove());

const types = (count: number) => `type Boat { name: String }\n# ${count}\n`;
const texts = async () => {
  const { kernel } = stack;
  return await Promise.all((await kernel.pastDeploys()).map(({ id }) => kernel.pastText(id)));
};

describe("the deploys that a store remembers", () => {
  it("come newest first, with time, commit and size, and survive a restart", async () => {
    const begun = new Date().toISOString();
    await stack.kernel.deploy(types(1));
    await stack.kernel.execute({ query: 'mutation { addBoat(input: [{ name: "Ada" }]) { numUids } }' });
    await stack.kernel.deploy("type Kahn { name: String }\n# \u{1f6f6}");
    stack = await stack.restart();
    const [last, first, ...others] = await stack.kernel.pastDeploys();
    expect(others).toEqual([]);
    expect(last).toEqual({ id: 2, at: expect.any(String), commit: expect.any(String), bytes: 33 });
    expect([begun, first?.at, last?.at]).toEqual([begun, first?.at, last?.at].sort());
    expect((last?.commit ?? "") > (first?.commit ?? "")).toBe(true);
    expect(await texts()).toEqual(["type Kahn { name: String }\n# \u{1f6f6}", types(1)]);
  });

  it("are those that changed the text: no refused ones, and none of a text that is deployed", async () => {
    await stack.kernel.deploy(types(1));
    await stack.kernel.deploy(types(1));
    await expect(stack.kernel.deploy("type Boat { name: Strin }")).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
    expect(await texts()).toEqual([types(1)]);
    await stack.kernel.deploy(types(2));
    await stack.kernel.deploy(types(1));
    expect(await texts()).toEqual([types(1), types(2), types(1)]);
  });

  it("are the last fifty, and of long texts as many as take four megabytes", async () => {
    await stack.kernel.deploy(types(1));
    await stack.kernel.storage.transact(
      async (transaction) => {
        for (let count = 2; count <= 52; count++) await keepDeploy(transaction, { before: types(count - 1), next: types(count) });
      },
      { version: stack.kernel.deployment?.version ?? 0 },
    );
    const ids = (await stack.kernel.pastDeploys()).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 50 }, (_, i) => 52 - i));
    expect(await stack.kernel.pastText(2)).toBeUndefined();
    const long = (mark: string) => `${types(1)}# ${mark}${"long ".repeat(2 ** 18)}\n`;
    for (const mark of ["a", "b", "c", "d"]) await stack.kernel.deploy(long(mark));
    expect(await texts()).toEqual([long("d"), long("c"), long("b")]);
    const tooLong = `${types(1)}# ${"long ".repeat(2 ** 20)}\n`;
    await stack.kernel.deploy(tooLong);
    expect(await texts()).toEqual([undefined, long("d"), long("c"), long("b")]);
  });

  it("begin with the text that was there before the store remembered any", async () => {
    await stack.kernel.deploy(types(1));
    const { version } = stack.kernel.deployment ?? { version: 0 };
    await stack.kernel.storage.transact(
      async (transaction) => {
        await transaction.setMeta("pastDeploys", null);
        await transaction.setMeta("pastDeploy/1", null);
      },
      { version },
    );
    await stack.kernel.deploy(types(2));
    expect((await stack.kernel.pastDeploys()).map(({ at }) => at)).toEqual([expect.any(String), undefined]);
    expect(await texts()).toEqual([types(2), types(1)]);
  });

  it("are forgotten with everything else, and stay when only the data go", async () => {
    await stack.kernel.deploy(types(1));
    await stack.kernel.erase({ kind: "data" });
    expect(await texts()).toEqual([types(1)]);
    await stack.kernel.erase({ kind: "all" });
    expect(await texts()).toEqual([]);
    await stack.kernel.deploy(types(2));
    expect(await texts()).toEqual([types(2)]);
  });

  it("are for administrators to read, with their texts where they are asked for", async () => {
    await stack.kernel.deploy(types(1));
    await stack.kernel.deploy(types(2));
    const asked = (query: string, token = "desk") =>
      ask(stack.kernel, { path: "/admin", body: query, headers: { "x-service-authtoken": token, "content-type": "application/graphql" } });
    expect(json(await asked("{ deployedSchemas(first: 1) { id deployedAt bytes schema } }"))).toMatchObject({
      data: { deployedSchemas: [{ id: "2", deployedAt: expect.stringMatching(/^\d{4}-.*Z$/), bytes: 31, schema: types(2) }] },
    });
    expect(json(await asked("{ deployedSchemas { id } }"))).toMatchObject({ data: { deployedSchemas: [{ id: "2" }, { id: "1" }] } });
    expect(json(await asked('{ deployedSchemas(ids: ["1", "7"]) { schema } }'))).toEqual({ data: { deployedSchemas: [{ schema: types(1) }] } });
    expect(json(await asked("{ deployedSchemas(first: 0) { id } }"))).toEqual(json(await asked("{ deployedSchemas { id } }")));
    expect(json(await asked("{ deployedSchemas(first: -1) { id } }"))).toMatchObject({ errors: [{ message: expect.stringContaining("first") }] });
    expect(json(await asked("{ deployedSchemas { schema } }", "desks"))).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
  });
});
