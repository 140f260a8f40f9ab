// What a plugin puts into a commit is looked at before it is written: nothing is stored that nobody could read again, and the log names the plugin.

import { afterEach, describe, expect, it } from "vitest";
import { createKernel, type Kernel, type LogEntry, parseJson } from "../../../core/index.ts";
import type { Change, ChangesContext, Create, DirectivePlugin, Hooks } from "../../../core/plugin.ts";
import { panicText } from "../../../core/request/errors/faults.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { newStorage } from "../../support/storage.ts";

const schema = `
  type Port { code: String! @id  name: String  boats: [Boat] @hasInverse(field: port) }
  type Boat { id: ID!  name: String!  seats: [Int]  port: Port  at: Point  log: [Entry] }
  type Entry { text: String!  by: Port! }
`;

let kernel: Kernel | undefined;
const entries: LogEntry[] = [];
afterEach(async () => {
  await kernel?.close();
  kernel = undefined;
  entries.length = 0;
});

async function served(...hooks: readonly Hooks[]): Promise<void> {
  const plugins = hooks.map((each, i): DirectivePlugin => ({ name: i === 0 ? "stranger" : `stranger${i + 1}`, definitions: "", model: () => each }));
  kernel = createKernel({
    errors: "compatible",
    storage: await newStorage(),
    plugins: [identityPlugin(), ...plugins],
    log: { level: "warn", to: { write: (entry) => void entries.push(entry) } },
  });
  await kernel.open();
  await kernel.deploy(schema);
}

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
}

async function ask(query: string): Promise<Body> {
  return parseJson((await kernel?.execute({ query }))?.body ?? "{}") as Body;
}

const add = 'mutation { addBoat(input: [{ name: "Ark", seats: [1, 2] }]) { numUids } }';

/** The one line of the log, when the mutation has stored nothing. */
async function refused(query = add): Promise<string | undefined> {
  const before = (await ask("{ queryBoat { name } queryEntry { text } }")).data;
  expect((await ask(query)).errors?.map(({ message }) => message)).toEqual([panicText]);
  expect((await ask("{ queryBoat { name } queryEntry { text } }")).data).toEqual(before);
  return entries.length === 1 ? entries[0]?.message : entries.map(({ message }) => message).join("\n");
}

describe("an argument of a hook that writes", () => {
  it.each<[string, Hooks, string]>([
    [
      "the values of an input object",
      { values: ({ values }) => void (values as Map<string, unknown>).set("name", 42) },
      'Plugin "stranger", hook values: The values of an input object (return { values: new Map([...]) } instead) cannot be changed',
    ],
    [
      "a list in them",
      { values: ({ values }) => void (values.get("seats") as unknown[]).push("three") },
      'Plugin "stranger", hook values: Cannot add property 2, object is not extensible',
    ],
    [
      "the list of changes",
      { changes: ({ changes }) => void Object.assign(changes, { length: 0 }) },
      "Plugin \"stranger\", hook changes: Cannot assign to read only property 'length' of object '[object Array]'",
    ],
    [
      "a change",
      { changes: ({ changes }) => void Object.assign(changes[0] ?? {}, { uid: 99 }) },
      "Plugin \"stranger\", hook changes: Cannot assign to read only property 'uid' of object '#<Object>'",
    ],
    [
      "the fields of a change, when it is written already",
      { check: ({ changes }) => void Object.assign((changes[0] as Create).fields, { "Boat.name": 42 }) },
      "Plugin \"stranger\", hook check: Cannot assign to read only property 'Boat.name' of object '#<Object>'",
    ],
    [
      "a list in the fields of a change",
      { changes: ({ changes }) => void ((changes[0] as Create).fields["Boat.seats"] as unknown[]).push(3) },
      'Plugin "stranger", hook changes: Cannot add property 2, object is not extensible',
    ],
    [
      "the fields of a type",
      { values: ({ type }) => void (type.fields as Map<string, unknown>).delete("name") },
      'Plugin "stranger", hook values: The fields of a type of a deployed schema cannot be changed',
    ],
  ])("cannot be changed: %s", async (_, hooks, problem) => {
    await served(hooks);
    expect(await refused()).toBe(problem);
    expect((await ask("{ queryBoat { name } }")).errors).toBeUndefined();
  });

  it("may be copied and returned", async () => {
    await served({
      values: ({ type, values }) => (type.name === "Boat" ? { values: new Map(values).set("name", "Argo") } : undefined),
      changes: ({ changes }) => changes.map((each) => (each.kind === "create" ? { ...each, fields: { ...each.fields, "Boat.seats": [7] } } : each)),
    });
    expect((await ask(add)).errors).toBeUndefined();
    expect((await ask("{ queryBoat { name seats } }")).data).toEqual({ queryBoat: [{ name: "Argo", seats: [7] }] });
  });

  it("is a transaction that cannot write past other plugins", async () => {
    await served({ check: ({ transaction }) => void expect(Object.keys(transaction)).not.toEqual(expect.arrayContaining(["write"])) });
    expect((await ask(add)).errors).toBeUndefined();
  });
});

const adding = (more: (context: ChangesContext) => readonly Change[] | Promise<readonly Change[]>): Hooks => ({
  changes: async (context) => [...context.changes, ...(await more(context))],
});
const uidOf = ({ changes }: ChangesContext) => changes.flatMap((each) => (each.kind === "create" ? [each.uid] : []))[0] ?? 0;
const boat = (uid: number, fields: Create["fields"] = { "Boat.name": "Second" }): Create => ({ kind: "create", uid, type: "Boat", fields });
const toPort = (from: number, to: number): Change => ({ kind: "link", end: "Boat.port", from, fromType: "Boat", to, toType: "Port" });

describe("a node that the hook changes creates", () => {
  it.each<[string, Hooks, string]>([
    [
      "the greatest uid that there is",
      adding(() => [boat(2 ** 53 - 1)]),
      "it creates a node of Boat with the uid 9007199254740991, which is not one that uids() has given it and that is still free.",
    ],
    ["no whole number", adding(() => [boat(1.5)]), "it names a node by 1.5, which is no uid."],
    ["the uid of another new node", adding((context) => [boat(uidOf(context))]), "it creates two nodes with the uid 0x"],
    [
      "one uid for two nodes",
      adding(async ({ uids }) => {
        const [uid = 0] = await uids(1);
        return [boat(uid), boat(uid)];
      }),
      "it creates two nodes with the uid 0x",
    ],
  ])("has a uid of its own, and not %s", async (_, hooks, problem) => {
    await served(hooks);
    expect(await refused()).toContain(`Plugin "stranger", hook changes: ${problem}`);
    await kernel?.close();
    await served({});
    expect((await ask(add)).errors).toBeUndefined();
  });

  it("does not have the uid that an earlier mutation was given", async () => {
    let kept: number | undefined;
    await served(
      adding(async ({ uids }) => {
        kept ??= (await uids(1))[0];
        return [boat(kept ?? 0)];
      }),
    );
    expect((await ask(add)).errors).toBeUndefined();
    expect(await refused()).toContain("which is not one that uids() has given it and that is still free.");
  });

  it.each<[string, Omit<Create, "kind" | "uid">, string]>([
    ["a value", { type: "Boat", fields: {} }, "it creates a node of Boat without Boat.name, which is required."],
    ["a link", { type: "Entry", fields: { "Entry.text": "x" } }, "it creates a node of Entry without a link of Entry.by, which is required."],
  ])("has every required field: %s", async (_, node, problem) => {
    await served(adding(async ({ uids }) => [{ kind: "create", uid: (await uids(1))[0] ?? 0, ...node }]));
    expect(await refused()).toBe(`Plugin "stranger", hook changes: ${problem}`);
  });

  it("is stored with its required value and link", async () => {
    await served(
      adding(async ({ uids }) => {
        const [port = 0, entry = 0] = await uids(2);
        return [
          { kind: "create", uid: port, type: "Port", fields: { "Port.code": "NLRTM" } },
          { kind: "create", uid: entry, type: "Entry", fields: { "Entry.text": "made" } },
          { kind: "link", end: "Entry.by", from: entry, fromType: "Entry", to: port, toType: "Port" },
        ];
      }),
    );
    expect((await ask(add)).errors).toBeUndefined();
    expect((await ask("{ queryEntry { text by { code } } }")).data).toEqual({ queryEntry: [{ text: "made", by: { code: "NLRTM" } }] });
  });
});

describe("what the hook changes makes of the mutation's own changes", () => {
  it("keeps required values and links", async () => {
    await served({ changes: ({ changes }) => changes.map((each) => (each.kind === "create" ? { ...each, fields: {} } : each)) });
    expect(await refused()).toBe('Plugin "stranger", hook changes: it creates a node of Boat without Boat.name, which is required.');
    entries.length = 0;
    await kernel?.close();
    await served({ changes: ({ changes }) => changes.filter(({ kind }) => kind !== "link") });
    expect(await refused('mutation { addEntry(input: [{ text: "x", by: { code: "NLRTM" } }]) { numUids } }')).toBe(
      'Plugin "stranger", hook changes: it creates a node of Entry without a link of Entry.by, which is required.',
    );
  });

  it("does not clear a required value, and may clear another", async () => {
    const clearing = (field: string): Hooks => ({
      changes: ({ changes }) => changes.map((each) => (each.kind === "set" ? { ...each, fields: { ...each.fields, [field]: null } } : each)),
    });
    const rename = 'mutation { updateBoat(input: { filter: {}, set: { name: "Argo" } }) { numUids } }';
    await served(clearing("Boat.seats"));
    await ask(add);
    expect((await ask(rename)).errors).toBeUndefined();
    expect((await ask("{ queryBoat { name seats } }")).data).toEqual({ queryBoat: [{ name: "Argo", seats: [] }] });
    await kernel?.close();
    await served(clearing("Boat.name"));
    await ask(add);
    expect(await refused(rename)).toMatch(/^Plugin "stranger", hook changes: it clears Boat.name of 0x[0-9a-f]+, which is required.$/u);
  });

  it("does not link what it leaves out", async () => {
    await served({ changes: ({ changes }) => changes.filter((each) => each.kind !== "create" || each.type !== "Port") });
    expect(await refused('mutation { addBoat(input: [{ name: "Ark", port: { code: "NLRTM" } }]) { numUids } }')).toMatch(
      /^Plugin "stranger", hook changes: it adds a link of \S+ with 0x[0-9a-f]+, and there is no node of Port with this uid.$/u,
    );
  });

  it("may be nothing at all", async () => {
    await served({ changes: () => [] });
    expect((await ask(add)).errors).toBeUndefined();
    expect((await ask("{ queryBoat { name } }")).data).toEqual({ queryBoat: [] });
  });
});

describe("what the hook changes writes to", () => {
  it.each<[string, (uid: number) => Change, string]>([
    [
      "a link to a uid that no node has",
      (uid) => toPort(uid, 12_345),
      "it adds a link of Boat.port with 0x3039, and there is no node of Port with this uid.",
    ],
    ["a link from such a uid", () => toPort(12_345, 1), "it adds a link of Boat.port with 0x3039, and there is no node of Boat with this uid."],
    ["a link to a node of another type", (uid) => toPort(uid, uid), "it adds a link of Boat.port with 0x"],
    [
      "a link to a type where it does not lead",
      (uid) => ({ ...toPort(uid, uid), toType: "Boat" }) as Change,
      "it adds a link of Boat.port that leads to a node of Boat, and it may not lead there.",
    ],
    [
      "values of a uid that no node has",
      () => ({ kind: "set", uid: 12_345, type: "Boat", fields: { "Boat.name": "x" } }),
      "it sets values of 0x3039, and there is no node of Boat with this uid.",
    ],
    ["values of a node of another type", (uid) => ({ kind: "set", uid, type: "Port", fields: { "Port.name": "x" } }), "it sets values of 0x"],
    [
      "a point without numbers",
      (uid) => ({ kind: "set", uid, type: "Boat", fields: { "Boat.at": { type: "Point", coordinates: ["x", "y"] as never } } }),
      "it writes a value to Boat.at that is no geo.",
    ],
  ])("exists: not %s", async (_, change, problem) => {
    await served(adding((context) => [change(uidOf(context))]));
    expect(await refused()).toContain(`Plugin "stranger", hook changes: ${problem}`);
  });

  it("may be a node that is stored, one that the mutation creates, and one that an earlier plugin adds", async () => {
    const code = 'mutation { addPort(input: [{ code: "NLRTM" }]) { numUids } }';
    const linking: Hooks = {
      async changes({ changes, transaction }) {
        const [port] = (await transaction.find({ types: ["Port"], fields: [] })).uids;
        const made = changes.flatMap((each) => (each.kind === "create" && each.type === "Boat" ? [each.uid] : []));
        return port === undefined
          ? undefined
          : [...changes, ...made.map((uid) => toPort(uid, port)), { kind: "set", uid: port, type: "Port", fields: { "Port.name": "Rotterdam" } }];
      },
    };
    const twin: Hooks = {
      changes: async ({ changes, uids }) =>
        changes.some(({ kind, ...each }) => kind === "create" && "type" in each && each.type === "Boat")
          ? [...changes, boat((await uids(1))[0] ?? 0, { "Boat.name": "Twin" })]
          : undefined,
    };
    await served(twin, linking);
    await ask(code);
    expect((await ask(add)).errors).toBeUndefined();
    const { data } = await ask("{ queryBoat { name port { name } } }");
    expect(data).toEqual({
      queryBoat: expect.arrayContaining([
        { name: "Ark", port: { name: "Rotterdam" } },
        { name: "Twin", port: { name: "Rotterdam" } },
      ]),
    });
  });

  it("names the plugin that has made the change, and not the one after it", async () => {
    await served(
      adding(() => [boat(77)]),
      { changes: ({ changes }) => [...changes] },
    );
    expect(await refused()).toContain('Plugin "stranger", hook changes: it creates a node of Boat with the uid 77');
  });
});

describe("other hooks that write", () => {
  it("append gives its nodes uids of their own", async () => {
    const layout: Hooks["layout"] = () => ({
      types: [{ name: "hidden.Entry", fields: ["hidden.text"] }],
      fields: [{ name: "hidden.text", kind: "string", list: false }],
    });
    const entry = (uid: number): Create => ({ kind: "create", uid, type: "hidden.Entry", fields: { "hidden.text": "x" } });
    await served({ layout, append: () => [entry(5_000_000)] });
    expect(await refused()).toBe(
      'Plugin "stranger", hook append: it creates a node of hidden.Entry with the uid 5000000, which is not one that uids() has given it and that is still free.',
    );
    await kernel?.close();
    await served({ layout, append: async ({ uids }) => [entry((await uids(1))[0] ?? 0)] });
    expect((await ask(add)).errors).toBeUndefined();
  });

  it.each([-1, 1.5, 2 ** 40])("uids(%s) is refused, and gives away nothing", async (count) => {
    await served({ changes: async ({ uids }) => void (await uids(count)) });
    expect(await refused()).toContain(`hook changes: uids(${count}): it must be a whole number from 0 to 1000000`);
  });

  it("a value that a hook changes after it has returned it is not stored", async () => {
    const at = { type: "Point" as const, coordinates: [1, 2] };
    await served({
      values: ({ role }) => (role === "add" ? { values: new Map<string, never>([["at", at as never]]) } : undefined),
      changes: () => void at.coordinates.splice(0, 1, "west" as never),
    });
    expect(await refused()).toMatch(/^Plugin "stranger", hook values or changes: Boat.at of 0x[0-9a-f]+ has a value that is no geo.$/u);
  });
});
