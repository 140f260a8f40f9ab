// A later export is brought into a store that holds an earlier one: afterwards the store is as if it had been loaded from the later one alone.

import { describe, expect, it, onTestFinished } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ask, load, temporaryFolder, writeGroup } from "./small-exports.ts";

const schema = `
  type Sailor { id: ID!  name: String! @id  age: Int @search  tags: [String]  captain: Sailor @hasInverse(field: crew)  crew: [Sailor]  friends: [Sailor]  ship: Ship @hasInverse(field: master) }
  type Ship { id: ID!  name: String @search(by: [term])  master: Sailor }
`;

interface Written {
  readonly type?: "Sailor" | "Ship";
  readonly values?: Readonly<Record<string, string | readonly string[]>>;
  readonly links?: Readonly<Record<string, string | readonly string[]>>;
}

/** Nodes by uid; links with both their sides, as Dgraph writes them where the application does. */
function exported(nodes: Readonly<Record<string, Written>>): string {
  const folder = temporaryFolder();
  const lines = Object.entries(nodes).flatMap(([uid, { type = "Sailor", values = {}, links = {} }]) => [
    `<${uid}> <dgraph.type> "${type}"`,
    ...Object.entries(values).flatMap(([name, value]) => [value].flat().map((each) => `<${uid}> <${type}.${name}> "${each}"`)),
    ...Object.entries(links).flatMap(([name, to]) => [to].flat().map((each) => `<${uid}> <${type}.${name}> <${each}>`)),
  ]);
  writeGroup(folder, { schema, rdf: lines.join("\n") });
  return folder;
}

const earlier = exported.bind(undefined, {
  "0x1": { values: { name: "Ann", age: "30", tags: ["a", "b"] }, links: { friends: ["0x2", "0x3"], ship: "0x10" } },
  "0x2": { values: { name: "Bob", age: "40" }, links: { captain: "0x1" } },
  "0x3": { values: { name: "Cid" }, links: { captain: "0x1" } },
  "0x4": { values: { name: "Dee" }, links: { friends: "0x1", ship: "0x11" } },
  "0x10": { type: "Ship", values: { name: "Sea Fox" } },
  "0x11": { type: "Ship", values: { name: "Sea Owl" } },
});

/** Ann and Bob have exchanged their names and Bob her ship; Dee is gone, Eve is new, and 0x11 is a sailor now. */
const later = exported.bind(undefined, {
  "0x1": { values: { name: "Bob", tags: ["b", "c"] }, links: { friends: ["0x3", "0x20"] } },
  "0x2": { values: { name: "Ann", age: "41" }, links: { captain: "0x1", ship: "0x10" } },
  "0x3": { values: { name: "Cid" }, links: { captain: "0x2" } },
  "0x10": { type: "Ship", values: { name: "Sea Fox" } },
  "0x11": { values: { name: "Flo" }, links: { captain: "0x1" } },
  "0x20": { values: { name: "Eve" }, links: { friends: "0x1" } },
});

const everything = `{
  querySailor(order: { asc: name }) { id name age tags captain { name } crew(order: { asc: name }) { name } friends(order: { asc: name }) { name } ship { name master { name } } }
  queryShip(order: { asc: name }) { id name master { name } }
  byAge: querySailor(filter: { age: { ge: 30 } }) { name }
  owls: queryShip(filter: { name: { anyofterms: "owl" } }) { name }
}`;

async function store(): Promise<TemporaryKernel> {
  const stack = await temporaryKernel();
  onTestFinished(() => stack.remove());
  return stack;
}

const sound = async ({ kernel }: TemporaryKernel) => expect((await kernel.storage.verify()).faults).toEqual([]);

describe("a later export", () => {
  it("leaves the store as a first import of it does, and says what it has added, changed and deleted", async () => {
    const [updated, fresh] = [await store(), await store()];
    await load(updated, earlier());
    await load(fresh, later());
    const outcome = await load(updated, later(), { update: true });
    expect(await ask(updated, everything)).toEqual(await ask(fresh, everything));
    expect(outcome.stored).toEqual({ Sailor: 5, Ship: 1 });
    expect(outcome.updated).toMatchObject({ created: 2, changed: 2, removed: 2, linked: 5, unlinked: 5 });
    await sound(updated);
  });

  it("changes nothing when it is the same, or when it has been brought in already", async () => {
    const stack = await store();
    await load(stack, earlier());
    expect(await load(stack, earlier(), { update: true })).toMatchObject({ written: false });
    await load(stack, later(), { update: true });
    expect(await load(stack, later(), { update: true })).toMatchObject({ written: false });
    expect((await load(stack, earlier(), { update: true })).updated).toMatchObject({ created: 2, removed: 2 });
    expect((await load(stack, later(), { update: true })).updated).toMatchObject({ created: 2, removed: 2 });
    await sound(stack);
  });

  it("is refused without being asked for, because its nodes are there", async () => {
    const stack = await store();
    await load(stack, earlier());
    await expect(load(stack, later())).rejects.toThrow("The store has a node 0x1 already");
  });

  it("keeps what was made in the store since, and links to it", async () => {
    const stack = await store();
    await load(stack, earlier());
    const made = 'mutation { addSailor(input: [{ name: "New", friends: [{ name: "Cid" }], captain: { name: "Cid" } }]) { numUids } }';
    await stack.kernel.execute({ query: made });
    const rest = exported({ "0x3": { values: { name: "Cyd" } } });
    expect((await load(stack, rest, { update: true })).updated).toMatchObject({ created: 0, changed: 1, removed: 5 });
    expect(await ask(stack, "{ querySailor(order: { asc: name }) { name crew { name } friends { name } } }")).toEqual({
      querySailor: [
        { name: "Cyd", crew: [{ name: "New" }], friends: [] },
        { name: "New", crew: [], friends: [{ name: "Cyd" }] },
      ],
    });
    await sound(stack);
  });

  it("is refused whole where the store has given one of its uids to a node of its own", async () => {
    const stack = await store();
    await load(stack, earlier());
    await stack.kernel.execute({ query: 'mutation { addSailor(input: [{ name: "New" }]) { numUids } }' });
    await expect(load(stack, later(), { update: true })).rejects.toThrow("The store has a node 0x12 already");
    expect(await ask(stack, "{ aggregateSailor { count } }")).toEqual({ aggregateSailor: { count: 5 } });
  });

  it("finds its nodes again under the uids that an import gave them, beside those of others", async () => {
    const [stack, fresh] = [await store(), await store()];
    await stack.kernel.deploy(schema);
    await stack.kernel.execute({ query: 'mutation { addSailor(input: [{ name: "Old" }]) { numUids } }' });
    await load(stack, earlier(), { newUids: true });
    await load(fresh, later());
    await load(stack, later(), { update: true });
    const query =
      '{ querySailor(filter: { not: { name: { eq: "Old" } } }, order: { asc: name }) { name age friends(order: { asc: name }) { name } ship { name } } }';
    expect(await ask(stack, query)).toEqual(await ask(fresh, query));
    expect(await ask(stack, '{ getSailor(name: "Old") { name } }')).toEqual({ getSailor: { name: "Old" } });
    await sound(stack);
  });

  it("is refused where the first import went into a store that held other nodes", async () => {
    const stack = await store();
    await stack.kernel.deploy(schema);
    await stack.kernel.execute({
      query: 'mutation { addShip(input: [{}, {}, {}, {}, {}]) { numUids } deleteShip(filter: { id: ["0x1", "0x2", "0x3", "0x4"] }) { numUids } }',
    });
    await load(stack, exported({ "0x1": { values: { name: "Ann" } } }));
    await expect(load(stack, exported({}), { update: true })).rejects.toThrow("it held others before");
    await expect(load(await store(), later(), { update: true })).rejects.toThrow("no import that could be updated");
  });

  it.each([2, 3, 4, 5, 6, 7])("goes on after a failure of transaction %i", async (at) => {
    const [stack, fresh] = [await store(), await store()];
    await load(stack, earlier());
    await load(fresh, later());
    const { storage } = stack.kernel;
    const transact = storage.transact.bind(storage);
    let seen = 0;
    storage.transact = (work, options) => {
      seen += 1;
      if (seen === at) throw new Error("the power is off");
      return transact(work, options);
    };
    await expect(load(stack, later(), { update: true })).rejects.toThrow("the power is off");
    await expect(load(stack, later())).rejects.toThrow("interrupted");
    await load(stack, later(), { update: true });
    expect(await ask(stack, everything)).toEqual(await ask(fresh, everything));
    await sound(stack);
  });
});
