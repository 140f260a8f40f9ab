// A hook of a plugin that never settles ends what it was called for, and nothing else: requests are answered, writes go on, deploys and `close` end.

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel, type LimitOptions, type LogEntry, parseJson } from "../../../core/index.ts";
import type { BackgroundContext, ChangesContext, DirectivePlugin, Hooks, KernelAccess, ListKind, ModelContext } from "../../../core/plugin.ts";
import { timeoutText } from "../../../core/request/errors/faults.ts";
import { eventually } from "../../support/eventually.ts";
import { newPlace, type Place } from "../../support/storage.ts";

const schema = "type Boat { id: ID!  name: String  length: Int }\ntype Box { size: Int }";
const never = (): Promise<never> => new Promise(() => undefined);
const short: LimitOptions = { maxTimeMs: 400, hookMs: 200, openMs: 200, surveyMs: 200, closeMs: 200 };
/** The hook has less time than the request, and is ended long before it. */
const patient: LimitOptions = { ...short, maxTimeMs: 600_000 };

const entries: LogEntry[] = [];
const opened: Kernel[] = [];
const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => process.on("unhandledRejection", note));
afterEach(async () => {
  for (const kernel of opened.splice(0)) await kernel.close().catch(() => undefined);
  process.off("unhandledRejection", note);
  entries.length = 0;
  expect(unhandled.splice(0)).toEqual([]);
});

const named = (name: string, model: DirectivePlugin["model"], more: Partial<DirectivePlugin> = {}): DirectivePlugin => ({
  name,
  definitions: "",
  model,
  ...more,
});
const stranger = (model: DirectivePlugin["model"], more?: Partial<DirectivePlugin>) => named("stranger", model, more);

interface Starting {
  readonly limits?: LimitOptions;
  readonly at?: Place;
}

async function started(plugin: DirectivePlugin | readonly DirectivePlugin[], { limits = patient, at }: Starting = {}): Promise<Kernel> {
  const place = at ?? (await newPlace());
  if (at === undefined) onTestFinished(() => place.remove());
  const kernel = createKernel({
    errors: "compatible",
    storage: place.storage(),
    plugins: [plugin].flat(),
    limits,
    log: { level: "warn", to: { write: (entry) => void entries.push(entry) } },
  });
  opened.push(kernel);
  await kernel.open();
  return kernel;
}

async function served(model: DirectivePlugin["model"], starting?: Starting): Promise<Kernel> {
  const kernel = await started(stranger(model), starting);
  await kernel.deploy(schema);
  return kernel;
}

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}
const ask = async (kernel: Kernel, query: string, headers = {}): Promise<Body> => parseJson((await kernel.execute({ query, headers })).body) as Body;
const addBoat = 'mutation { addBoat(input: [{ name: "Ark", length: 5 }]) { numUids } }';
const addBox = "mutation { addBox(input: [{ size: 1 }]) { numUids } }";
const boxAdded = { addBox: { numUids: 1 } };
const timedOut = expect.objectContaining({ message: timeoutText, extensions: { code: "PLUGIN_TIMEOUT" } });
const logged = () => entries.filter(({ event }) => event === "fault").map(({ message }) => message);

/** The hook never settles for boats. */
const hanging = (type: { readonly name: string }) => (type.name === "Boat" ? never() : undefined);

describe("in a transaction, a hook that never settles", () => {
  const ofBoats = (context: Pick<ChangesContext, "mutation">) => hanging(context.mutation.type);

  it.each<[string, (context: ModelContext) => Hooks, string]>([
    ["changes", () => ({ changes: ofBoats }), "changes of addBoat"],
    ["check", () => ({ check: ofBoats }), "check of addBoat"],
    ["append", () => ({ append: ofBoats }), "append of addBoat"],
    ["narrow", () => ({ narrow: (type, purpose) => (purpose === "add" ? hanging(type) : undefined) }), "narrow of Boat for add"],
  ])("%s undoes it: others write meanwhile and afterwards", async (_, hooks, place) => {
    const kernel = await served(hooks);
    const [boat, box] = await Promise.all([ask(kernel, addBoat), ask(kernel, addBox)]);
    expect(boat).toMatchObject({ data: { addBoat: null }, errors: [timedOut] });
    expect(box.data).toEqual(boxAdded);
    expect(logged()).toEqual([`Plugin "stranger", hook ${place}: its promise has not settled within 200 ms (limits.hookMs).`]);
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
    expect((await ask(kernel, "{ aggregateBoat { count } }")).data).toEqual({ aggregateBoat: { count: 0 } });
    expect(JSON.stringify(boat)).not.toContain("stranger");
  });

  it("that a mask asks ends the mutation that compares by the hidden field", async () => {
    let hangs = false;
    const kernel = await served(({ model }) => {
      const field = model.nodeTypes.get("Boat")?.fields.get("length");
      if (field?.role !== "value") return undefined;
      return { masks: [{ field, shows: "null", visible: () => (hangs ? never() : undefined) }] };
    });
    await ask(kernel, addBoat);
    hangs = true;
    const update = 'mutation { updateBoat(input: { filter: { has: length }, set: { name: "Arc" } }) { numUids } }';
    expect(await ask(kernel, update)).toMatchObject({ errors: [timedOut] });
    expect(logged()).toEqual([expect.stringContaining('Plugin "stranger", hook masks on Boat.length: its promise has not settled within 200 ms')]);
    hangs = false;
    expect((await ask(kernel, update)).errors).toBeUndefined();
  });

  it("that changes the objects of an update undoes it", async () => {
    const kernel = await served(({ model }) => {
      const type = model.nodeTypes.get("Boat");
      return type && { api: () => ({ updates: [{ type, signature: "grow: Int", changes: () => never() }] }) };
    });
    await ask(kernel, addBoat);
    expect(await ask(kernel, "mutation { updateBoat(input: { filter: { has: name }, grow: 3 }) { numUids } }")).toMatchObject({ errors: [timedOut] });
    expect(logged()).toEqual([expect.stringContaining("hook changes of grow: Int of UpdateBoatInput: its promise has not settled within 200 ms")]);
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
  });

  it("does nothing with what it does later: nothing is written, and nothing is reported", async () => {
    let goOn = (): void => undefined;
    const later: Promise<unknown>[] = [];
    const kernel = await served(() => ({
      check: async ({ mutation, transaction, uids }) => {
        if (mutation.type.name !== "Boat") return;
        await new Promise<void>((resolve) => (goOn = resolve));
        const calls: readonly (() => unknown)[] = [
          () => transaction.setMeta("late", 1),
          () => transaction.meta("late"),
          () => transaction.hold([]),
          () => uids(1),
        ];
        for (const call of calls)
          later.push(
            Promise.resolve()
              .then(call)
              .catch(({ code }) => code),
          );
        throw new Error("too late");
      },
    }));
    expect(await ask(kernel, addBoat)).toMatchObject({ errors: [timedOut] });
    goOn();
    await eventually(() => expect(later).toHaveLength(4));
    expect(await Promise.all(later)).toEqual(["CANCELLED", "CANCELLED", "CANCELLED", "CANCELLED"]);
    await ask(kernel, addBox);
    const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
    expect(await snapshot.meta("late")).toBeUndefined();
    snapshot.close();
    expect(logged()).toHaveLength(1);
  });

  it("is told from one that works with the transaction for as long as its request may", async () => {
    let reads = 0;
    const kernel = await served(() => ({
      check: async ({ transaction, mutation: { type } }) => {
        for (const end = performance.now() + 700; performance.now() < end; reads++) {
          await transaction.find({ types: [type.stored], fields: [] });
          await new Promise(setImmediate);
        }
      },
    }));
    expect(await ask(kernel, addBox)).toMatchObject({ data: boxAdded });
    expect(reads).toBeGreaterThan(1);
    expect(logged()).toEqual([]);
  });

  it("ends with its request, whatever it does with the transaction", async () => {
    const kernel = await served(
      () => ({
        check: async ({ transaction, mutation: { type } }) => {
          while (type.name === "Boat") {
            await transaction.meta("none");
            await new Promise(setImmediate);
          }
        },
      }),
      { limits: short },
    );
    expect(await ask(kernel, addBoat)).toMatchObject({ errors: [timedOut] });
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
  });
});

describe("outside a transaction, a hook that never settles", () => {
  const ofRequest = "within the time of the request, 400 ms (limits.maxTimeMs).";

  it.each<[string, (context: ModelContext) => Hooks, string, string]>([
    ["request", () => ({ request: never }), "{ queryBoat { name } }", "request"],
    ["permissions", () => ({ permissions: never }), "{ queryBoat { name } }", "permissions"],
    ["narrow", () => ({ narrow: hanging }), "{ queryBoat { name } }", "narrow of Boat for query"],
    ["values", () => ({ values: ({ type }) => hanging(type) }), addBoat, "values of Boat"],
    [
      "visible",
      ({ model }) => {
        const field = model.nodeTypes.get("Boat")?.fields.get("length");
        return field?.role === "value" ? { masks: [{ field, shows: "null", visible: never }] } : {};
      },
      "{ queryBoat { length } }",
      "masks on Boat.length",
    ],
    ["run", () => ({ api: () => ({ roots: [{ operation: "query", signature: "tide: Int", run: never }] }) }), "{ tide }", "run of tide"],
    [
      "compute",
      ({ model, record }) => {
        const field = model.nodeTypes.get("Boat")?.fields.get("length");
        if (!field) return {};
        record.computed(field);
        return { api: () => ({ computed: [{ field, needs: [], compute: never }] }) };
      },
      "{ queryBoat { name length } }",
      "compute of Boat.length",
    ],
  ])("%s ends the request", async (_, hooks, query, place) => {
    let hangs = false;
    // Boats are there before the hook hangs.
    const kernel = await served((context) => onlyWhen(() => hangs, hooks(context)), { limits: short });
    await ask(kernel, 'mutation { addBoat(input: [{ name: "Ark" }]) { numUids } }');
    hangs = true;
    expect((await ask(kernel, query)).errors).toContainEqual(timedOut);
    expect(logged()).toEqual([`Plugin "stranger", hook ${place}: its promise has not settled ${ofRequest}`]);
    hangs = false;
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
  });

  it("and minds its signal is answered with its own error", async () => {
    const run = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const kernel = await served(() => ({ api: () => ({ roots: [{ operation: "query", signature: "tide: Int", run }] }) }), { limits: short });
    expect((await ask(kernel, "{ tide }")).errors?.map(({ message }) => message)).toEqual([expect.stringContaining("limits.maxTimeMs")]);
    expect(logged()).toEqual([]);
  });

  it("answers in another language than GraphQL", async () => {
    const kernel = await started(
      stranger(
        () => ({
          api: () => ({
            roots: [
              {
                operation: "query",
                signature: "asked: Int",
                async run({ execute }) {
                  await execute({ query: "?", language: "riddle" });
                  return { json: 1 };
                },
              },
            ],
          }),
        }),
        { languages: [{ name: "riddle", run: never }] },
      ),
      { limits: short },
    );
    await kernel.deploy(schema);
    expect((await ask(kernel, "{ asked }")).errors).toContainEqual(timedOut);
    expect(logged()).toEqual([expect.stringMatching(/hook run of (asked|the language riddle): its promise has not settled/)]);
  });

  it("identifies the caller of a live query again ends it", async () => {
    let asked = 0;
    const kernel = await started(
      stranger(
        ({ model, record }) => {
          for (const type of model.nodeTypes.values()) record.enableOperation(type, "subscription");
          return { request: () => (asked++ === 0 ? {} : never()), recheckAt: () => Date.now() };
        },
        { liveEngine },
      ),
      { limits: short },
    );
    await kernel.deploy(schema);
    const ended = new Promise((end) =>
      kernel.subscribe({ query: "subscription { queryBoat { name } }" }, { next: () => undefined, ready: () => true, end }),
    );
    expect(await ended).toMatchObject({ kind: expect.stringMatching(/failed|refused/) });
    expect(logged()).toEqual([expect.stringContaining("hook request: its promise has not settled within 400 ms (limits.maxTimeMs)")]);
  });
});

describe("a kind of list", () => {
  const tally =
    (steps: { readonly [part in "plan" | "bind" | "read" | "write"]?: () => unknown }) =>
    (context: ModelContext): Hooks => {
      const type = context.model.nodeTypes.get("Boat");
      const at = (part: keyof typeof steps): PromiseLike<unknown> | undefined => steps[part]?.() as PromiseLike<unknown> | undefined;
      if (!type) return {};
      const list: ListKind = {
        type,
        query: "tallyBoat",
        signature: ": Int!",
        *plan({ arguments: given }) {
          yield at("plan");
          return {
            arguments: given,
            selections: [],
            cost: () => 1,
            print: () => ({ what: "tally", below: [] }),
            *bind() {
              yield at("bind");
              return {
                *read() {
                  yield at("read");
                  return { write: () => String(at("write") ?? 7) };
                },
              };
            },
          };
        },
      };
      return { api: () => ({ lists: [list] }) };
    };

  it("that works is answered", async () => {
    const kernel = await served(tally({ read: () => Promise.resolve() }));
    expect(await ask(kernel, "{ tallyBoat }")).toMatchObject({ data: { tallyBoat: 7 } });
    expect(entries).toEqual([]);
  });

  it.each(["plan", "bind", "read", "write"] as const)("that throws in %s names plugin and list in the log alone", async (part) => {
    const kernel = await served(
      tally({
        [part]: () => {
          throw new Error("boom");
        },
      }),
    );
    const { errors } = await ask(kernel, "{ tallyBoat }");
    expect(JSON.stringify(errors)).not.toContain("boom");
    expect(errors).toHaveLength(1);
    expect(logged()).toEqual([`Plugin "stranger", hook ${part} of tallyBoat: boom`]);
  });

  it.each(["plan", "bind", "read"] as const)("that waits for ever in %s ends the request", async (part) => {
    const kernel = await served(tally({ [part]: never }), { limits: short });
    expect((await ask(kernel, "{ tallyBoat }")).errors).toContainEqual(timedOut);
    expect(logged()).toEqual([expect.stringContaining(`Plugin "stranger", hook ${part} of tallyBoat: its promise has not settled within`)]);
  });
});

describe("a deploy", () => {
  it("whose hook open never settles is refused, and the next one succeeds", async () => {
    let hangs = true;
    const kernel = await started(stranger(() => ({ open: () => (hangs ? never() : undefined) })));
    await expect(kernel.deploy(schema)).rejects.toMatchObject({
      code: "PLUGIN_TIMEOUT",
      message: 'Plugin "stranger", hook open: its promise has not settled within 200 ms (limits.openMs).',
      details: { plugin: "stranger", hook: "open" },
    });
    hangs = false;
    await kernel.deploy(schema);
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
  });

  it("that was accepted is served after a restart, though open never settles then", async () => {
    const place = await newPlace();
    const first = await started(
      stranger(() => ({ open: () => undefined })),
      { at: place },
    );
    await first.deploy(schema);
    await first.close();
    const second = await started(
      stranger(() => ({ open: never })),
      { at: place },
    );
    expect((await ask(second, addBox)).data).toEqual(boxAdded);
    expect(entries.map(({ message }) => message)).toEqual([expect.stringContaining("the plugin stranger starts without its external resources")]);
    await second.close();
    await place.remove();
  });

  it("ends with a warning for each plugin whose survey never settles", async () => {
    const kernel = await started([stranger(() => ({ survey: never })), named("other", () => ({ survey: never }))]);
    const warnings: string[] = [];
    await kernel.deploy(schema, { onWarning: (warning) => void warnings.push(warning) });
    expect(warnings).toEqual(
      ["stranger", "other"].map(
        (name) =>
          `The plugin ${name} could not compare the data with the schema. Plugin "${name}", hook survey: its promise has not settled within 200 ms (limits.surveyMs).`,
      ),
    );
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
  });

  it("waits no longer than it may for the hook close and the tasks of the schema before", async () => {
    const kernel = await served(() => ({ close: never, background: [{ name: "endless", runs: "everywhere", run: never }] }));
    await kernel.deploy(`${schema} type Other { size: Int }`);
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
    expect(logged()).toEqual([expect.stringContaining("hook close: its promise has not settled within 200 ms (limits.closeMs)")]);
  });

  const boom = (): never => {
    throw new TypeError("boom");
  };
  it.each<[string, Partial<DirectivePlugin>]>([
    ["model", { model: boom }],
    ["layout", { model: () => ({ layout: boom }) }],
    ["api", { model: () => ({ api: boom }) }],
    ["compile", { model: () => ({ compile: boom }) }],
    ["open", { model: () => ({ open: boom }) }],
    ["open", { model: () => ({ open: async () => boom() }) }],
    ["checkSettings", { checkSettings: boom }],
    ["definitionsFor", { definitionsFor: boom }],
  ])("whose plugin throws in %s is refused with its name, and the log has the stack", async (hook, members) => {
    const kernel = await started(stranger(() => undefined, members));
    const failed = { code: "PLUGIN_FAILED", message: `Plugin "stranger", hook ${hook}: boom`, details: { plugin: "stranger", hook } };
    await expect(kernel.deploy(schema)).rejects.toMatchObject(failed);
    expect(entries).toMatchObject([{ event: "fault", message: failed.message, facts: { error: { cause: { type: "TypeError" } } } }]);
    expect(await kernel.validate(schema)).toMatchObject([failed]);
  });

  it("that a plugin refuses is refused with the plugin's own error", async () => {
    const { QuernError } = await import("../../../core/plugin.ts");
    const refuse = () => {
      throw new QuernError("VALUE_INVALID", "no boats today");
    };
    const kernel = await started(stranger(() => ({ api: refuse })));
    await expect(kernel.deploy(schema)).rejects.toMatchObject({ code: "VALUE_INVALID", message: "no boats today" });
  });
});

describe("closing", () => {
  it("ends though the hook close never settles, and says whose it is", async () => {
    const place = await newPlace();
    const kernel = await served(() => ({ close: never }), { at: place });
    await expect(kernel.close()).rejects.toMatchObject({
      code: "INTERNAL",
      message: expect.stringContaining('Plugin "stranger", hook close: its promise has not settled within 200 ms (limits.closeMs).'),
      errors: [{ code: "PLUGIN_TIMEOUT" }],
    });
    const again = await started(
      stranger(() => undefined),
      { at: place },
    );
    expect((await ask(again, addBox)).data).toEqual(boxAdded);
    await again.close();
    await place.remove();
  });

  it("ends a request that waits for a hook, however long requests may take", async () => {
    const kernel = await served(() => ({ narrow: hanging, values: ({ type }) => hanging(type) }), {
      limits: { ...short, maxTimeMs: Number.POSITIVE_INFINITY },
    });
    const answers = [ask(kernel, "{ queryBoat { name } }"), ask(kernel, addBoat)];
    await kernel.close();
    for (const answer of await Promise.all(answers)) expect(answer.errors).toContainEqual(timedOut);
    expect(logged().join()).toContain("within the 200 ms that a kernel waits when it closes (limits.closeMs)");
  });

  it("ends a deploy that waits for a hook", async () => {
    const kernel = await started(
      stranger(() => ({ open: never })),
      { limits: { ...short, openMs: Number.POSITIVE_INFINITY } },
    );
    const deploy = kernel.deploy(schema).catch(({ code }) => code);
    await kernel.close();
    expect(await deploy).toBe("PLUGIN_TIMEOUT");
  });

  it("ends though a background task, or a hook after a commit, never settles", async () => {
    let commits = 0;
    const commit = () => {
      commits++;
      return never();
    };
    const kernel = await served(() => ({ commit, background: [{ name: "endless", runs: "everywhere", run: never }] }));
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
    expect(commits).toBe(1);
    await kernel.close();
    expect(entries.map(({ message }) => message)).toEqual([expect.stringContaining("stranger, endless: does not end")]);
  });
});

describe("work of a plugin in a transaction of its own", () => {
  it("of a background task keeps others from writing no longer than a hook may", async () => {
    const outcomes: unknown[] = [];
    const run = async ({ transact }: BackgroundContext) => {
      await transact(never).catch((thrown) => outcomes.push(thrown));
    };
    const kernel = await served(() => ({ background: [{ name: "stuck", runs: "everywhere", run }] }));
    await eventually(() => expect(outcomes).toMatchObject([{ code: "PLUGIN_TIMEOUT", plugin: "stranger" }]));
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
  });

  it("beside requests keeps others from writing no longer than a hook may, and writes nothing later", async () => {
    let access: KernelAccess | undefined;
    const { createServerKernel } = await import("../../../adapters/server/index.ts");
    const place = await newPlace();
    const plugin = stranger(() => undefined, {
      server(kernel) {
        access = kernel;
        return {};
      },
    });
    const kernel = createServerKernel({
      errors: "compatible",
      storage: place.storage(),
      plugins: [plugin],
      limits: patient,
      log: { level: "silent" },
    });
    await kernel.open();
    await kernel.deploy(schema);
    let late: Promise<unknown> | undefined;
    let goOn = (): void => undefined;
    const stuck = access?.transact(async (transaction) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      late = Promise.resolve().then(() => transaction.setMeta("late", 1));
      await late;
    });
    await expect(stuck).rejects.toMatchObject({ code: "PLUGIN_TIMEOUT", plugin: "stranger" });
    goOn();
    await eventually(() => expect(late).toBeDefined());
    await expect(late).rejects.toMatchObject({ code: "CANCELLED" });
    expect((await ask(kernel, addBox)).data).toEqual(boxAdded);
    await kernel.close();
    await place.remove();
  });
});

describe("a hook that runs without a pause", () => {
  const spin = (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; );
    return undefined;
  };

  it("for long is named by the log afterwards, and a short one is not", async () => {
    const kernel = await served(() => ({ narrow: ({ name }) => spin(name === "Boat" ? 600 : 1) }));
    await ask(kernel, "{ queryBox { size } }");
    expect(entries).toEqual([]);
    await ask(kernel, "{ queryBoat { name } }");
    expect(entries).toMatchObject([{ level: "warn", event: "held", facts: { plugin: "stranger", hook: "narrow", durationMs: expect.any(Number) } }]);
    expect(entries[0]?.message).toMatch(/^Plugin "stranger", hook narrow, held the event loop for \d+\.\d s/);
  });

  it("within another one is named alone", async () => {
    const kernel = await served(() => ({
      values: () => spin(600),
      api: () => ({
        roots: [
          {
            operation: "mutation",
            signature: "launch: Int",
            run: async ({ execute }) => ({ json: (await execute({ query: addBoat })).data ? 1 : 0 }),
          },
        ],
      }),
    }));
    await ask(kernel, "mutation { launch }");
    expect(entries.filter(({ event }) => event === "held").map(({ facts }) => facts.hook)).toEqual(["values"]);
  });
});

/** Runs each query once, and never again. */
const liveEngine: NonNullable<DirectivePlugin["liveEngine"]> = () => ({
  join: () => () => undefined,
  invalidateAll: () => undefined,
  release: () => undefined,
  report: () => ({ total: 0, queries: [] }),
  figures: { queries: 0, due: 0, runs: 0, runsInVain: 0, results: 0 },
});

/** The hooks that hang, in the place of nothing. */
function onlyWhen(hangs: () => boolean, { api, masks, ...hooks }: Hooks): Hooks {
  const calm: Record<string, unknown> = { request: {} };
  const switched = Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [
      name,
      (...args: never[]) => (hangs() && typeof hook === "function" ? Reflect.apply(hook, undefined, args) : calm[name]),
    ]),
  );
  return {
    ...switched,
    ...(masks && { masks: masks.map((mask) => ({ ...mask, visible: (request) => (hangs() ? mask.visible(request) : undefined) })) }),
    ...(api && { api }),
  } satisfies Hooks;
}
