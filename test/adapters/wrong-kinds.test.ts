// A store that holds values of a wrong kind, which an earlier version or a program beside it has written, says so when it is checked.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-plugins.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import type { Storage } from "../../core/storage.ts";
import { newStorage } from "../support/storage.ts";

let kernel: Kernel | undefined;
afterEach(async () => {
  await kernel?.close();
  kernel = undefined;
});

async function stored(schema: string, fields: Readonly<Record<string, unknown>>): Promise<Storage> {
  const storage = await newStorage();
  kernel = createKernel({ storage, plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  await kernel.deploy(schema);
  await storage.transact(
    async (transaction) => {
      const [uid = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "create", uid, type: "Boat", fields: fields as never }]);
    },
    { version: kernel.deployment?.version ?? 0 },
  );
  return storage;
}

const boat = "type Boat { id: ID!  name: String @search(by: [hash])  seats: Int  sizes: [Int]  far: Int64  when: DateTime  dry: Boolean }";

describe("a check of a store", () => {
  it.each<[string, unknown, string]>([
    ["Boat.name", 42, "string"],
    ["Boat.seats", "many", "int"],
    ["Boat.sizes", [1, "two"], "list of int"],
    ["Boat.when", "some day", "dateTime"],
    ["Boat.dry", "yes", "boolean"],
    ["Boat.far", "far", "int64"],
  ])("finds a value of %s that is %j, and leaves it as it is", async (field, value, kind) => {
    const storage = await stored(boat, { [field]: value });
    const found = await storage.verify();
    expect(found.faults).toEqual([
      { kind: "value", message: expect.stringMatching(`^${field} of .* holds a value that is no ${kind}; write it anew`) },
    ]);
    const repaired = await storage.verify({ repair: true });
    expect([repaired.faultCount, repaired.repaired]).toEqual([1, 0]);
    expect((await storage.verify()).faultCount).toBe(1);
  });

  it("finds nothing when the value has been written anew", async () => {
    const storage = await stored(boat, { "Boat.name": 42 });
    const { body } = (await kernel?.execute({ query: 'mutation { updateBoat(input: { filter: {}, set: { name: "Ark" } }) { numUids } }' })) ?? {
      body: "",
    };
    expect(body).toContain('"numUids":1');
    expect((await storage.verify()).faults).toEqual([]);
  });

  it("finds nothing in values of every kind", async () => {
    const fields = {
      "Boat.name": "Ark",
      "Boat.seats": 3,
      "Boat.sizes": [1, 2],
      "Boat.far": 9007199254740993n,
      "Boat.when": "2031-04-09T06:00:00+02:00",
      "Boat.dry": false,
    };
    expect((await (await stored(boat, fields)).verify()).faults).toEqual([]);
  });

  it("finds nothing in what a deploy has left of an earlier type", async () => {
    const storage = await stored("type Boat { name: String  seats: String  sizes: Int }", {
      "Boat.name": "Ark",
      "Boat.seats": "many",
      "Boat.sizes": 2,
    });
    await kernel?.deploy("type Boat { name: String  seats: Int  sizes: [Int] }");
    expect((await storage.verify()).faults).toEqual([]);
  });
});
