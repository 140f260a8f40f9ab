// What a plugin returns against the contract is refused: the log names plugin, hook and place, clients hear the one text of all faults.

import { afterEach, describe, expect, it } from "vitest";
import { createKernel, type Kernel, type LogEntry, parseJson } from "../../../core/index.ts";
import type { DirectivePlugin, Hooks, ModelContext } from "../../../core/plugin.ts";
import { panicText } from "../../../core/request/errors/faults.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { newStorage } from "../../support/storage.ts";

const schema = `
  enum Rig { sloop ketch }
  type Boat { id: ID!  code: String @id  name: String @search(by: [hash])  rig: Rig  seats: [Int]  made: DateTime  length: Int }
`;

let open: Kernel | undefined;
const entries: LogEntry[] = [];
afterEach(async () => {
  await open?.close();
  open = undefined;
  entries.length = 0;
});

const plugin = (model: (context: ModelContext) => Hooks | undefined): DirectivePlugin => ({ name: "stranger", definitions: "", model });

async function served(model: (context: ModelContext) => Hooks | undefined, text = schema): Promise<Kernel> {
  open = createKernel({
    errors: "compatible",
    storage: await newStorage(),
    plugins: [identityPlugin(), searchPlugin(), plugin(model)],
    log: { level: "warn", to: { write: (entry) => void entries.push(entry) } },
  });
  await open.open();
  await open.deploy(text);
  return open;
}

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
}
const ask = async (kernel: Kernel, query: string) => parseJson((await kernel.execute({ query })).body) as Body;
const add = 'mutation { addBoat(input: [{ name: "Ark" }]) { numUids } }';

describe("a values hook", () => {
  it.each([
    ["a number for a String", { values: new Map([["name", 5]]) }, "values gives Boat.name 5, which is no String."],
    ["a text for an Int", { whenCreated: new Map([["length", "5"]]) }, 'whenCreated gives Boat.length "5", which is no Int.'],
    ["one value for a list", { values: new Map([["seats", 5]]) }, "values gives Boat.seats 5, which is no list of Int."],
    ["a value that the enum lacks", { values: new Map([["rig", "yawl"]]) }, 'values gives Boat.rig "yawl", which is no Rig.'],
    ["a date in other words", { values: new Map([["made", "today"]]) }, 'values gives Boat.made "today", which is no DateTime.'],
    ["null as a default", { whenCreated: new Map([["name", null]]) }, "whenCreated gives Boat.name null, which is no String."],
    ["a value for no field", { values: new Map([["nmae", "x"]]) }, "values names Boat.nmae, which is no field that holds values."],
    ["a value for the id", { values: new Map([["id", "0x1"]]) }, "values names Boat.id, which is no field that holds values."],
    ["an object for a Map", { values: { name: "x" } }, "values must be a Map of values by field name."],
    ["a misspelt part", { valuess: new Map() }, 'it returns "valuess", which is unknown; it takes values, whenCreated, whenUpdated, refuse.'],
  ])("that returns %s commits nothing", async (_, changes, problem) => {
    // A plugin in plain JavaScript: no compiler has looked.
    const kernel = await served(() => ({ values: () => changes as never }));
    expect(await ask(kernel, add)).toEqual({ data: { addBoat: null }, errors: [{ message: panicText }], extensions: expect.anything() });
    expect(entries.map(({ message, facts }) => [message, facts.requestID !== undefined])).toEqual([
      [`Plugin "stranger", hook values: ${problem}`, true],
    ]);
    expect((await ask(kernel, "{ queryBoat { name } }")).data).toEqual({ queryBoat: [] });
  });

  it("may return what fits, and null to clear", async () => {
    const kernel = await served(() => ({
      values: async () => ({
        values: new Map<string, string | number[] | null>([
          ["name", null],
          ["seats", [1, 2]],
        ]),
        whenCreated: new Map([
          ["rig", "ketch"],
          ["made", "2031-04-09T06:00:00Z"],
        ]),
      }),
    }));
    await ask(kernel, add);
    expect((await ask(kernel, "{ queryBoat { name seats rig made } }")).data).toEqual({
      queryBoat: [{ name: null, seats: [1, 2], rig: "ketch", made: "2031-04-09T06:00:00Z" }],
    });
    expect(entries).toEqual([]);
  });
});

describe("other hooks", () => {
  it("that throw name the plugin in the log alone", async () => {
    for (const hooks of [
      {
        values: () => {
          throw new Error("boom");
        },
      },
      {
        values: async () => {
          throw new Error("boom");
        },
      },
      {
        check: () => {
          throw new Error("boom");
        },
      },
      {
        narrow: () => {
          throw new Error("boom");
        },
      },
      {
        request: () => {
          throw new Error("boom");
        },
      },
    ] satisfies Hooks[]) {
      const kernel = await served(() => hooks);
      expect((await ask(kernel, add)).errors?.map(({ message }) => message)).toEqual([panicText]);
      expect(entries.map(({ message }) => message)).toEqual([`Plugin "stranger", hook ${Object.keys(hooks)[0]}: boom`]);
      entries.length = 0;
      await kernel.close();
      open = undefined;
    }
  });

  it("that throw are named by a hint in debug mode", async () => {
    const failing = () => {
      throw new Error("boom");
    };
    open = createKernel({
      errors: "compatible",
      storage: await newStorage(),
      plugins: [plugin(() => ({ values: failing }))],
      debug: true,
      log: { to: { write: () => {} } },
    });
    await open.open();
    await open.deploy("type Boat { name: String }");
    const hint = 'The plugin "stranger" failed in its hook values. The server\'s log holds the error with its stack.';
    expect((await ask(open, add)).errors).toEqual([{ message: panicText, extensions: { code: "INTERNAL", hint } }]);
  });

  it("that fail after a commit, at once or later, are logged and change nothing", async () => {
    let settled = () => {};
    const logged = new Promise<void>((resolve) => (settled = resolve));
    open = createKernel({
      errors: "compatible",
      storage: await newStorage(),
      plugins: [plugin(() => ({ commit: async () => Promise.reject(new Error("no queue")) }))],
      log: {
        to: {
          write: (entry) => {
            entries.push(entry);
            if (entry.level === "error") settled();
          },
        },
      },
    });
    await open.open();
    await open.deploy("type Boat { name: String }");
    expect((await ask(open, add)).data).toEqual({ addBoat: { numUids: 1 } });
    await logged;
    expect(entries.find(({ level }) => level === "error")?.message).toBe('Plugin "stranger", hook commit: no queue');
  });

  it.each<[string, Hooks, string]>([
    ["narrow", { narrow: () => false as never }, 'it must return a predicate, "deny" or undefined of Boat, and returns false.'],
    ["operand", { operand: () => 5 }, "it gives 5 to compare Boat.name with, which is no String."],
    ["request", { request: () => "me" as never }, 'it must return facts by name, and returns "me".'],
  ])("%s must answer in kind", async (hook, hooks, problem) => {
    const kernel = await served(() => hooks);
    expect((await ask(kernel, '{ queryBoat(filter: { name: { eq: "x" } }) { name } }')).errors?.map(({ message }) => message)).toEqual([panicText]);
    expect(entries.map(({ message }) => message)).toEqual([`Plugin "stranger", hook ${hook}: ${problem}`]);
  });

  it("that fail are answered for, also when the operation is logged as slow with its plan, which calls them again", async () => {
    open = createKernel({
      errors: "compatible",
      storage: await newStorage(),
      plugins: [identityPlugin(), searchPlugin(), plugin(() => ({ operand: () => 5 }))],
      log: { level: "warn", slowQueryMs: 0, to: { write: (entry) => void entries.push(entry) } },
    });
    await open.open();
    await open.deploy(schema);
    const { errors } = await ask(open, '{ queryBoat(filter: { name: { eq: "x" } }) { name } }');
    expect(errors?.map(({ message }) => message)).toEqual([panicText]);
    expect(entries.map(({ event, facts }) => [event, facts.plan])).toEqual([
      [expect.any(String), undefined],
      ["slow", undefined],
    ]);
  });

  it.each([
    ["a value of another kind", { "Boat.name": 5 }, "it writes a value to Boat.name that is no string."],
    ["an unknown field", { "Boat.nmae": "x" }, "it writes Boat.nmae, which is no field of Boat."],
  ])("changes that write %s are refused", async (_, fields, problem) => {
    const kernel = await served(() => ({
      changes: ({ changes }) => changes.map((each) => (each.kind === "create" ? { ...each, fields } : each)),
    }));
    expect((await ask(kernel, add)).errors?.map(({ message }) => message)).toEqual([panicText]);
    expect(entries.map(({ message }) => message)).toEqual([`Plugin "stranger", hook changes: ${problem}`]);
  });
});

describe("answers", () => {
  const computing =
    (compute: (count: number) => unknown) =>
    ({ model, record }: ModelContext): Hooks => {
      const field = model.nodeTypes.get("Boat")?.fields.get("length");
      if (!field) return {};
      record.computed(field);
      return { api: () => ({ computed: [{ field, needs: [], compute: (parents) => compute(parents.length) as never }] }) };
    };

  it("must be one result a parent", async () => {
    const kernel = await served(computing(() => [1]));
    await ask(kernel, 'mutation { addBoat(input: [{ name: "a" }, { name: "b" }]) { numUids } }');
    expect(await ask(kernel, "{ queryBoat { length } }")).toMatchObject({ data: { queryBoat: null }, errors: [{ message: panicText }] });
    expect(entries.map(({ message }) => message)).toEqual([
      'Plugin "stranger", hook compute of Boat.length: it must return one result for each of 2 parents, and returns 1 results.',
    ]);
  });

  it("of another type are null, with an error at their place, and the log names the plugin", async () => {
    const kernel = await served(computing((count) => Array.from({ length: count }, (_, i) => (i === 0 ? 7 : "wide"))));
    await ask(kernel, 'mutation { addBoat(input: [{ name: "a" }, { name: "b" }]) { numUids } }');
    expect(await ask(kernel, "{ queryBoat { l: length } }")).toMatchObject({
      data: { queryBoat: [{ l: 7 }, { l: null }] },
      errors: [{ message: `Error coercing value 'wide' for field 'length' to type Int.`, path: ["queryBoat", 1, "l"] }],
    });
    expect(entries.map(({ message }) => message)).toEqual([
      `Plugin "stranger", hook compute of Boat.length, gives what cannot be shown at queryBoat.1.l: Error coercing value 'wide' for field 'length' to type Int.`,
    ]);
  });

  it("of a root field are completed by its type", async () => {
    const json = { sky: 5, force: "high", rig: "yawl", when: "2031-04-09", far: "9007199254740993", calm: 0 };
    const kernel = await served(() => ({
      api: () => ({
        definitions: "type Weather { sky: String force: Int rig: Rig when: DateTime far: Int64 calm: Boolean }",
        roots: [{ operation: "query", signature: "weather: Weather", run: () => ({ json }) }],
      }),
    }));
    expect(await ask(kernel, "{ weather { sky force rig when far calm } }")).toMatchObject({
      data: { weather: { sky: "5", force: null, rig: null, when: "2031-04-09T00:00:00Z", far: 9007199254740993n, calm: false } },
      errors: [{ path: ["weather", "force"] }, { path: ["weather", "rig"] }],
    });
    expect(entries[0]?.message).toContain('Plugin "stranger", hook run of weather, gives what cannot be shown at weather.force:');
  });

  it.each([
    ["nothing", undefined, "it must return { json }, and returns undefined."],
    ["nodes though it names no type", { nodes: [1] }, "it must return { json }, since it names no type."],
  ])("of a root field that are %s are faults", async (_, answer, problem) => {
    const kernel = await served(() => ({
      api: () => ({ roots: [{ operation: "query", signature: "weather: Int", run: () => answer as never }] }),
    }));
    expect((await ask(kernel, "{ weather }")).errors?.map(({ message }) => message)).toEqual([panicText]);
    expect(entries.map(({ message }) => message)).toEqual([`Plugin "stranger", hook run of weather: ${problem}`]);
  });
});

describe("a deploy", () => {
  it.each<[string, () => Hooks, string]>([
    [
      "for a misspelt hook",
      () => ({ valuess: () => undefined }) as Hooks,
      'CONFIG_INVALID: Plugin "stranger", hook model: it returns "valuess", which is no hook; did you mean "values"?',
    ],
    [
      "for a hook that is no function",
      () => ({ values: 5 }) as never,
      'CONFIG_INVALID: Plugin "stranger", hook model: the hook values must be a function.',
    ],
    [
      "for a model that answers later",
      () => Promise.resolve({}) as never,
      'CONFIG_INVALID: Plugin "stranger", hook model: it returns a promise, but must return synchronously. Fetch in the hook open.',
    ],
    [
      "for a layout that answers later",
      () => ({ layout: async () => ({}) }) as never,
      'PLUGIN_FAILED: Plugin "stranger", hook layout: it returns a promise, but must return its result synchronously.',
    ],
    [
      "for a misspelt addition",
      () => ({ api: () => ({ root: [] }) }) as never,
      'CONFIG_INVALID: Plugin "stranger", hook api: it returns "root", which is unknown; did you mean "roots"?',
    ],
    [
      "for an index over an unknown field",
      () => ({ layout: () => ({ indexes: [{ name: "i", field: "Boat.lenght", by: "value", ordered: true }] }) }),
      'CONFIG_INVALID: Plugin "stranger", hook layout: the index i is over the field Boat.lenght, which is not stored; did you mean "Boat.length"?',
    ],
    [
      "for a key over an unknown field",
      () => ({ layout: () => ({ keys: [{ name: "k", fields: ["Boat.name", "Boat.port"], types: ["Boat"] }] }) }),
      'CONFIG_INVALID: Plugin "stranger", hook layout: the key k is over the field Boat.port, which is not stored',
    ],
    [
      "for a key of an unknown type",
      () => ({ layout: () => ({ keys: [{ name: "k", fields: ["Boat.name"], types: ["Ship"] }] }) }),
      'CONFIG_INVALID: Plugin "stranger", hook layout: the key k is of the type Ship, which is not stored',
    ],
  ])("is refused %s", async (_, hooks, problem) => {
    const refusal = await served(hooks).catch((thrown) => `${thrown.code ?? thrown.name}: ${thrown.message}`);
    expect(refusal).toContain(problem);
  });

  it("is refused for a key that a plugin computes, at its place", async () => {
    const computing = ({ model, record }: ModelContext): Hooks => {
      const field = model.nodeTypes.get("Boat")?.fields.get("code");
      if (field) record.computed(field);
      return { api: () => ({ computed: field ? [{ field, needs: [], compute: (parents) => parents.map(() => null) }] : [] }) };
    };
    await expect(served(computing, "type Boat { id: ID!\n name: String\n code: String @id }")).rejects.toMatchObject({
      errors: [{ message: "Type Boat; Field code: a key must be a stored value, and the field is computed.", locations: [{ line: 3 }] }],
    });
  });
});
