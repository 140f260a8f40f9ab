// Objects that a bulk writer writes are those that the mutation `add` would have written. What it leaves, it leaves whole.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BulkWriter, bulkWriter } from "../../../adapters/transfer/index.ts";
import { QuernError } from "../../../core/index.ts";
import type { Storage } from "../../../core/storage.ts";
import { type Api, deploy } from "../../mutation/api.ts";
import fc, { examples } from "../../support/properties.ts";
import { storageName } from "../../support/storage.ts";

const schema = `
  enum Kind { SAIL MOTOR }
  interface Named { label: String! @id(interface: true) }
  type Boat {
    id: ID!
    name: String! @id
    hull: Int @search
    kind: Kind
    built: DateTime
    names: [String] @search(by: [term])
    home: Harbour @hasInverse(field: boats)
    owner: Person
    sister: Boat
    convoy: [Boat] @hasInverse(field: convoy)
    follows: [Boat] @hasInverse(field: followedBy)
    followedBy: [Boat]
    flag: Flag
    logbook: Logbook @hasInverse(field: boat)
  }
  type Harbour { code: String! @id  depth: Int  boats: [Boat] }
  type Person { email: String! @id  name: String! @search(by: [exact])  born: Int }
  type Flag implements Named { label: String! @id(interface: true)  colour: String }
  type Logbook { id: ID!  title: String! @id  boat: Boat }
`;
const everything = `{
  queryBoat(order: { asc: name }) {
    id name hull kind built names home { code } owner { email } sister { name } flag { label } logbook { title }
    convoy(order: { asc: name }) { name } follows(order: { asc: name }) { name } followedBy(order: { asc: name }) { name }
  }
  queryHarbour(order: { asc: code }) { code depth boats(order: { asc: name }) { name } }
  queryPerson(order: { asc: email }) { email name born }
  queryFlag(order: { asc: label }) { label colour }
  queryLogbook(order: { asc: title }) { id title boat { name } }
}`;
const withoutIds = everything.replaceAll(/\bid\b/g, "");

type Objects = readonly Readonly<Record<string, unknown>>[];
type Call = "create" | "link";

let plain: Api;
let ordinary: Api;
beforeEach(async () => {
  plain = await deploy(schema);
  ordinary = await deploy(schema);
});
afterEach(async () => {
  await plain.close();
  await ordinary.close();
});

function writerOf({ kernel }: Api): BulkWriter {
  const writer = bulkWriter(kernel, "Boat");
  if (writer === undefined) throw new Error("Boat cannot be written in bulk");
  return writer;
}

/** What the mutation answers. */
async function addTo({ send }: Api, call: Call, input: Objects): Promise<unknown> {
  const upsert = call === "link" ? ", upsert: true" : "";
  const { errors } = await send(`mutation ($input: [AddBoatInput!]!) { addBoat(input: $input${upsert}) { numUids } }`, { input });
  return errors?.map(({ message }) => message);
}

/** Writes in both ways; they must leave the same. @returns whether the bulk writer wrote */
async function writeBoth(call: Call, objects: Objects, shown = everything): Promise<boolean> {
  const before = await plain.run(shown);
  const isWritten = await writerOf(plain)[call](objects);
  if (!isWritten) expect(await plain.run(shown)).toEqual(before);
  const refused = isWritten ? undefined : await addTo(plain, call, objects);
  expect(await addTo(ordinary, call, objects)).toEqual(refused);
  expect(await plain.run(shown)).toEqual(await ordinary.run(shown));
  return isWritten;
}

describe("create", () => {
  it("writes values as they are stored, and leaves out what is null or empty", async () => {
    const objects = [
      { name: "a", hull: 3, kind: "SAIL", built: "1999-01-02", names: ["x", "y", "x"] },
      { name: "b", hull: null, names: [], home: null, follows: [] },
    ];
    expect(await writeBoth("create", objects)).toBe(true);
    expect(await plain.run('{ getBoat(name: "a") { kind names built } }')).toEqual({
      getBoat: { kind: "SAIL", names: ["x", "y"], built: "1999-01-02T00:00:00Z" },
    });
  });

  it("makes the nodes behind links that are not there, once, with the ids of an add", async () => {
    const objects = [
      { name: "a", owner: { email: "o@x", name: "O" }, home: { code: "H" } },
      { name: "b", owner: { email: "o@x" }, home: { code: "H", depth: 4 } },
    ];
    expect(await writeBoth("create", objects)).toBe(true);
    expect(await plain.run("{ queryHarbour { code depth boats(order: { asc: name }) { name } } queryPerson { email name } }")).toEqual({
      queryHarbour: [{ code: "H", depth: 4, boats: [{ name: "a" }, { name: "b" }] }],
      queryPerson: [{ email: "o@x", name: "O" }],
    });
    expect(await writeBoth("create", [{ name: "c", owner: { email: "o@x", name: "another" } }])).toBe(true);
    expect(await plain.run("{ queryPerson { name } }")).toEqual({ queryPerson: [{ name: "O" }] });
  });

  it.each<readonly [string, Objects]>([
    ["a key that a node has", [{ name: "new" }, { name: "old" }]],
    ["a key twice", [{ name: "new" }, { name: "new" }]],
    ["an empty key", [{ name: "" }]],
    ["a value of another type", [{ name: "new", hull: "many" }]],
    ["no value of a required field", [{ hull: 3 }]],
    ["an unknown field", [{ name: "new", sails: 3 }]],
    ["half a character", [{ name: "\ud800" }]],
    ["a date that is none", [{ name: "new", built: "yesterday" }]],
    ["a reference to nothing", [{ name: "new", owner: { email: "nobody@x" } }]],
    [
      "two contents of one node",
      [
        { name: "new", home: { code: "H", depth: 1 } },
        { name: "newer", home: { code: "H", depth: 2 } },
      ],
    ],
    ["a node of the same type", [{ name: "new", sister: { name: "newer" } }]],
    ["a reference by id", [{ name: "new", sister: { id: "0x1" } }]],
    ["a link of a nested node", [{ name: "new", home: { code: "H", boats: [{ name: "old" }] } }]],
    ["a key of an interface", [{ name: "new", flag: { label: "red" } }]],
    ["a link that takes a node from another", [{ name: "new", logbook: { title: "taken" } }]],
  ])("leaves %s to the mutation", async (_what, objects) => {
    await addTo(plain, "create", [{ name: "old", logbook: { title: "taken" } }]);
    await addTo(ordinary, "create", [{ name: "old", logbook: { title: "taken" } }]);
    expect(await writeBoth("create", objects, withoutIds)).toBe(false);
  });
});

describe("link", () => {
  const fleet = [{ name: "a" }, { name: "b" }, { name: "c", home: { code: "H" }, owner: { email: "o@x", name: "O" } }];
  beforeEach(async () => {
    await addTo(plain, "create", fleet);
    await addTo(ordinary, "create", fleet);
  });

  it("links nodes by their keys, from both sides, and what is linked stays so", async () => {
    const objects = [
      { name: "a", follows: [{ name: "b" }, { name: "c" }, { name: "b" }], convoy: [{ name: "b" }] },
      { name: "b", convoy: [{ name: "a" }], home: { code: "H" } },
    ];
    expect(await writeBoth("link", objects)).toBe(true);
    expect(await writeBoth("link", objects)).toBe(true);
    expect(await plain.run('{ getBoat(name: "b") { followedBy { name } convoy { name } home { boats(order: { asc: name }) { name } } } }')).toEqual({
      getBoat: { followedBy: [{ name: "a" }], convoy: [{ name: "a" }], home: { boats: [{ name: "b" }, { name: "c" }] } },
    });
  });

  it("replaces the link of a single end", async () => {
    expect(await writeBoth("link", [{ name: "a", sister: { name: "b" } }])).toBe(true);
    expect(await writeBoth("link", [{ name: "a", sister: { name: "c" } }])).toBe(true);
    expect(await plain.run('{ getBoat(name: "a") { sister { name } } }')).toEqual({ getBoat: { sister: { name: "c" } } });
  });

  it("sets values as an upsert", async () => {
    expect(await writeBoth("link", [{ name: "a", hull: 7, follows: [{ name: "b" }] }])).toBe(true);
    expect(await plain.run("{ queryBoat(filter: { hull: { eq: 7 } }) { name } }")).toEqual({ queryBoat: [{ name: "a" }] });
  });

  it.each<readonly [string, Objects]>([
    ["a node that is not there", [{ name: "new", follows: [{ name: "a" }] }]],
    ["a reference to nothing", [{ name: "a", follows: [{ name: "new" }] }]],
    [
      "a node twice",
      [
        { name: "a", follows: [{ name: "b" }] },
        { name: "a", follows: [{ name: "c" }] },
      ],
    ],
    ["more than a key", [{ name: "a", home: { code: "H", depth: 3 } }]],
    ["a list of values", [{ name: "a", names: ["x"] }]],
    ["a link that takes a node from another", [{ name: "a", logbook: { title: "taken" } }]],
  ])("leaves %s to the mutation", async (_what, objects) => {
    expect(await writeBoth("link", objects, withoutIds)).toBe(false);
  });
});

/** Why there is no writer; undefined: there is one. */
function refusalOf({ kernel }: Api, type: string): string | undefined {
  const reasons: string[] = [];
  const writer = bulkWriter(kernel, type, { refused: (why) => reasons.push(why) });
  expect(reasons).toHaveLength(writer === undefined ? 1 : 0);
  expect(bulkWriter(kernel, type) === undefined).toBe(writer === undefined);
  return reasons[0];
}

it("offers no bulk writer where plugins take part in an add, or a key is one of an interface, and says why", async () => {
  const stamped = await deploy(`type Boat { name: String! @id  at: DateTime @default(add: { value: "$now" }) }`);
  const shared = await deploy(
    `interface Named { label: String! @id(interface: true) }  type Boat implements Named { label: String! @id(interface: true) }
     type Buoy @generate(mutation: { add: false }) { name: String! @id }`,
  );
  try {
    expect(refusalOf(stamped, "Boat")).toBe('The plugin "default" takes part in adding objects, with its hook values.');
    expect(refusalOf(shared, "Boat")).toBe("The key Boat.label must be free in other types too.");
    expect(refusalOf(shared, "Named")).toBe("Named is an interface. Load objects of the types that implement it.");
    expect(refusalOf(shared, "Buoy")).toBe("The API has no mutation addBuoy.");
    expect(refusalOf(shared, "Buoys")).toBe('The schema has no type Buoys; did you mean "Buoy"?');
    expect(refusalOf(plain, "Boat")).toBeUndefined();
  } finally {
    await stamped.close();
    await shared.close();
  }
});

it("says that no schema is deployed", () => {
  const reasons: string[] = [];
  bulkWriter({ storage: plain.kernel.storage, deployment: undefined }, "Boat", { refused: (why) => reasons.push(why) });
  expect(reasons).toEqual(["No schema is deployed."]);
});

it("fails when the commit fails: the caller may have sent the next objects by then", async () => {
  const { storage, deployment } = plain.kernel;
  const transact: Storage["transact"] = async (work, options) => {
    await storage.transact(work, options);
    throw new QuernError("CONFLICT", "another server has written meanwhile");
  };
  const failing: Storage = Object.assign(Object.create(storage), { transact });
  const writer = bulkWriter({ storage: failing, deployment }, "Boat");
  await expect(writer?.create([{ name: "a" }])).rejects.toMatchObject({ code: "CONFLICT" });
});

it("leaves what any sequence of adds would leave", async () => {
  const name = fc.constantFrom("a", "b", "c", "d");
  const boats = fc.array(fc.record({ name }), { maxLength: 2 });
  const home = fc.record({ code: fc.constantFrom("G", "H") });
  const values = {
    hull: fc.option(fc.integer({ min: 0, max: 3 })),
    home,
    owner: fc.record({ email: fc.constantFrom("o", "p"), name: fc.constantFrom("O", "P") }),
  };
  const references = { sister: fc.record({ name }), convoy: boats, follows: boats, home };
  const anything = {
    ...values,
    ...references,
    names: fc.array(fc.constantFrom("x", "y"), { maxLength: 3 }),
    home: fc.record({ code: fc.constantFrom("G", "H"), depth: fc.integer({ min: 0, max: 1 }) }),
    logbook: fc.record({ title: fc.constantFrom("l", "m") }),
  };
  const objectsWith = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
    fc.uniqueArray(fc.record({ ...members, name }, { requiredKeys: ["name"] }), { minLength: 1, maxLength: 3, selector: (each) => each.name });
  const step = fc.oneof(
    fc.record({ call: fc.constant<Call>("create"), objects: objectsWith(values) }),
    fc.record({ call: fc.constant<Call>("link"), objects: objectsWith(references) }),
    fc.record({ call: fc.constantFrom<Call>("create", "link"), objects: objectsWith(anything) }),
  );
  const written = { create: 0, link: 0 };
  const model = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
    for (const { kernel } of [plain, ordinary]) await kernel.erase({ kind: "data" });
    for (const { call, objects } of steps) if (await writeBoth(call, objects, withoutIds)) written[call]++;
  });
  await fc.assert(model, { numRuns: examples(40) });
  expect(Math.min(written.create, written.link)).toBeGreaterThan(0);
});

/** @returns the batches that were left; undefined: nothing was written */
async function linkAll(batches: readonly Objects[], rest: Objects = []): Promise<readonly number[] | undefined> {
  const left: number[] = [];
  async function* given() {
    for (const [i, objects] of batches.entries()) yield { objects, left: () => void left.push(i) };
    if (rest.length > 0) await writerOf(plain).link(rest);
  }
  const meta = () => ({ name: "loaded", value: batches.length });
  const isWritten = await writerOf(plain).linkAll?.({ batches: given(), meta });
  return isWritten === true ? left : undefined;
}

it("offers no linkAll where the storage does not load links", () => {
  expect(writerOf(plain).linkAll !== undefined).toBe(plain.kernel.storage.loadLinks !== undefined);
});

describe.runIf(storageName === "level")("linkAll", () => {
  beforeEach(async () => {
    for (const api of [plain, ordinary]) {
      await addTo(api, "create", [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d", home: { code: "H" } }]);
    }
  });

  it("links what link links, from both sides, and writes metadata with it", async () => {
    const batches = [
      [
        { name: "a", follows: [{ name: "b" }, { name: "c" }], convoy: [{ name: "a" }, { name: "d" }] },
        { name: "b", follows: [{ name: "a" }, { name: "a" }] },
      ],
      [{ name: "c", convoy: [{ name: "a" }], followedBy: [{ name: "d" }] }],
    ];
    expect(await linkAll(batches)).toEqual([]);
    for (const objects of batches) await addTo(ordinary, "link", objects);
    expect(await plain.run(withoutIds)).toEqual(await ordinary.run(withoutIds));
    const snapshot = plain.kernel.storage.snapshot({ version: plain.kernel.deployment?.version ?? 0 });
    expect(await snapshot.meta("loaded")).toBe(2);
    snapshot.close();
  });

  it("leaves batches with links that displace others, and with keys that no object has", async () => {
    const batches = [
      [{ name: "a", sister: { name: "b" } }],
      [{ name: "b", follows: [{ name: "nobody" }] }],
      [{ name: "b", follows: [{ name: "c" }] }],
      [{ name: "b", follows: [{ name: "d", hull: 3 }] }],
    ];
    expect(await linkAll(batches)).toEqual([0, 1, 3]);
    expect(await plain.run('{ getBoat(name: "b") { follows { name } hull } queryBoat(order: { asc: name }) { name } }')).toEqual({
      getBoat: { follows: [{ name: "c" }], hull: null },
      queryBoat: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }],
    });
  });

  it("writes nothing where links are already, or come meanwhile", async () => {
    expect(await linkAll([[{ name: "a", follows: [{ name: "b" }] }]], [{ name: "c", follows: [{ name: "d" }] }])).toBeUndefined();
    expect(await linkAll([[{ name: "a", follows: [{ name: "b" }] }]])).toBeUndefined();
    expect(await plain.run("{ queryBoat(filter: { has: follows }) { name } }")).toEqual({ queryBoat: [{ name: "c" }] });
  });

  const asObjects = (name: string, follows: readonly string[]) => ({ objects: [{ name, follows: follows.map((each) => ({ name: each })) }] });
  const asKeys = (name: string, follows: readonly string[]) => ({
    objects: [],
    keyed: [{ key: name, links: [{ field: "follows", keys: follows }] }],
  });

  it.each([
    ["objects", asObjects],
    ["keys", asKeys],
  ])(
    "gathers links while nodes are created: to later ones, to some of before, and leaves a batch with a key that nobody has, as %s",
    async (_, batchOf) => {
      const writer = writerOf(plain);
      const gathered = writer.gatherLinks?.();
      const left: string[] = [];
      const add = (name: string, follows: readonly string[]) => gathered?.add({ ...batchOf(name, follows), left: () => void left.push(name) });
      expect(await writer.create([{ name: "e" }])).toBe(true);
      expect(add("e", ["f", "a"])).toBe(true);
      expect(add("f", ["nobody", "a"])).toBe(true);
      expect(add("b", ["f", "b"])).toBe(true);
      expect(await writer.create([{ name: "f" }])).toBe(true);
      expect(await gathered?.write(() => undefined)).toBe(true);
      expect(left).toEqual(["f"]);
      expect(
        await plain.run("{ queryBoat(filter: { has: follows }, order: { asc: name }) { name follows(order: { asc: name }) { name } } }"),
      ).toEqual({
        queryBoat: [
          { name: "b", follows: [{ name: "b" }, { name: "f" }] },
          { name: "e", follows: [{ name: "a" }, { name: "f" }] },
        ],
      });
      expect((await plain.kernel.storage.verify()).faults).toEqual([]);
    },
  );

  it("leaves a batch of links by keys that has an end which holds one link, an empty key, or an unknown field", async () => {
    const writer = writerOf(plain);
    const gathered = writer.gatherLinks?.();
    const left: string[] = [];
    const add = (name: string, field: string, keys: readonly string[]) =>
      gathered?.add({
        objects: [],
        keyed: [
          { key: "a", links: [{ field: "follows", keys: ["b"] }] },
          { key: "a", links: [{ field, keys }] },
        ],
        left: () => void left.push(name),
      });
    expect(gathered?.takesKeys).toBe(true);
    add("one", "sister", ["b"]);
    add("empty", "follows", [""]);
    add("unknown", "flollows", ["b"]);
    add("good", "follows", ["c"]);
    expect(await gathered?.write(() => undefined)).toBe(true);
    expect(left).toEqual(["one", "empty", "unknown"]);
    expect(await plain.run('{ getBoat(name: "a") { follows(order: { asc: name }) { name } sister { name } } }')).toEqual({
      getBoat: { follows: [{ name: "b" }, { name: "c" }], sister: null },
    });
  });
});
