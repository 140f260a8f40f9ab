// A pass of a background task that rewrites stored values: in slices, beside other writers, again after an interruption.

import { afterEach, describe, expect, it } from "vitest";
import { createKernel, type Kernel, type LogEntry } from "../../core/index.ts";
import type { BackgroundContext, DirectivePlugin, Predicate, Rewritten, ValueField } from "../../core/plugin.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";
import { eventually } from "../support/eventually.ts";
import { newPlace, type Place } from "../support/storage.ts";

const opened: { readonly kernel: Kernel; readonly place: Place }[] = [];
afterEach(async () => {
  for (const { kernel } of opened) await kernel.close();
  for (const place of new Set(opened.splice(0).map(({ place }) => place))) await place.remove();
});

type Run = (context: BackgroundContext, fields: ReadonlyMap<string, ValueField>) => Promise<void>;

/** `@sealed`: a stored text begins with the name of its key, which is not shown. New texts have the key `a`. */
const sealPlugin = (run: Run): DirectivePlugin => ({
  name: "seal",
  definitions: "directive @sealed on FIELD_DEFINITION",
  model({ uses, model }) {
    const fields = uses("sealed").flatMap(({ field }) => (field?.role === "value" ? [field] : []));
    const sealed = new Set(fields.map(({ stored }) => stored));
    const all = [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]);
    const byName = new Map(all.flatMap((field) => (field.role === "value" ? [[`${field.owner.name}.${field.name}`, field] as const] : [])));
    return {
      shown: fields.map((field) => ({ field, show: (stored) => String(stored).slice(2) })),
      changes: ({ changes }) =>
        changes.map((each) => {
          if (each.kind !== "create" && each.kind !== "set") return each;
          const values = Object.entries(each.fields).map(([name, value]) => [name, sealed.has(name) && value !== null ? `a:${value}` : value]);
          return { ...each, fields: Object.fromEntries(values) };
        }),
      background: [{ name: "pass", runs: "once", run: (context) => run(context, byName) }],
    };
  },
});

const schema = "type Note @withSubscription { name: String! @id  text: String @sealed  plain: String }  type NoteBook { text: String }";

async function start(run: Run, place?: Place, entries: LogEntry[] = []): Promise<{ readonly kernel: Kernel; readonly place: Place }> {
  const room = place ?? (await newPlace());
  const kernel = createKernel({
    storage: room.storage(),
    plugins: [identityPlugin(), searchPlugin(), subscriptionPlugin(), sealPlugin(run)],
    log: { to: { write: (entry) => void entries.push(entry) } },
  });
  await kernel.open();
  const server = { kernel, place: room };
  opened.push(server);
  return server;
}

async function add(kernel: Kernel, count: number): Promise<void> {
  const input = Array.from({ length: count }, (_, i) => ({ name: String(i).padStart(4, "0"), text: `text ${i}`, plain: "p" }));
  const query = 'mutation M($input: [AddNoteInput!]!) { addNote(input: $input) { numUids } addNoteBook(input: [{ text: "a:x" }]) { numUids } }';
  const { body } = await kernel.execute({ query, variables: { input } });
  expect(JSON.parse(body).errors).toBeUndefined();
}

/** How many stored texts have which key. */
async function keys(kernel: Kernel): Promise<Readonly<Record<string, number>>> {
  const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
  try {
    const { columns } = await snapshot.find({ types: ["Note"], fields: ["Note.text"] });
    const counts: Record<string, number> = {};
    for (const text of columns[0] ?? []) counts[String(text)[0] ?? ""] = (counts[String(text)[0] ?? ""] ?? 0) + 1;
    return counts;
  } finally {
    snapshot.close();
  }
}

const texts = async (kernel: Kernel) => {
  const { body } = await kernel.execute({ query: "{ queryNote(order: { asc: name }) { text } queryNoteBook { text } }" });
  return JSON.parse(body).data;
};

const withKey = (key: string) => (stored: unknown) => (String(stored).startsWith(`${key}:`) ? undefined : `${key}:${String(stored).slice(2)}`);

/** Holds a pass until the spec lets it go. */
function gate() {
  let open: () => void = () => undefined;
  const opening = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opening, open: () => open() };
}

const text = (fields: ReadonlyMap<string, ValueField>): ValueField => {
  const field = fields.get("Note.text");
  if (!field) throw new Error("The schema has no Note.text.");
  return field;
};

describe("rewrite", () => {
  it("replaces all stored values of a field over several slices, and none of other fields and types; callers get the same", async () => {
    const { opening, open } = gate();
    const done: Rewritten[] = [];
    const { kernel } = await start(async ({ rewrite }, fields) => {
      await opening;
      done.push(await rewrite({ field: text(fields), value: withKey("b") }));
      done.push(await rewrite({ field: text(fields), value: withKey("b") }));
    });
    await kernel.deploy(schema);
    await add(kernel, 600);
    const before = await texts(kernel);
    open();
    await eventually(() => expect(done).toHaveLength(2));
    expect(done).toEqual([
      { read: 600, rewritten: 600 },
      { read: 600, rewritten: 0 },
    ]);
    expect(await keys(kernel)).toEqual({ b: 600 });
    expect(await texts(kernel)).toEqual(before);
    expect(before.queryNoteBook).toEqual([{ text: "a:x" }]);
  });

  it("keeps what a mutation writes while a slice is being computed", async () => {
    const { opening, open } = gate();
    const waits = gate();
    const done: Rewritten[] = [];
    const { kernel } = await start(async ({ rewrite }, fields) => {
      await opening;
      const value = async (stored: unknown) => {
        waits.open();
        await middle.opening;
        return withKey("b")(stored);
      };
      done.push(await rewrite({ field: text(fields), value }));
    });
    const middle = gate();
    await kernel.deploy(schema);
    await add(kernel, 3);
    open();
    await waits.opening;
    await kernel.execute({ query: 'mutation { updateNote(input: { filter: { name: { eq: "0001" } }, set: { text: "newer" } }) { numUids } }' });
    await kernel.execute({ query: 'mutation { deleteNote(filter: { name: { eq: "0002" } }) { numUids } }' });
    middle.open();
    await eventually(() => expect(done).toHaveLength(1));
    expect((await texts(kernel)).queryNote).toEqual([{ text: "text 0" }, { text: "newer" }]);
    expect(await keys(kernel)).toEqual({ b: 2 });
  });

  it("continues after a restart with what is left", async () => {
    const { opening, open } = gate();
    const asked: string[] = [];
    const interrupted: Run = async ({ rewrite, signal }, fields) => {
      await opening;
      await rewrite({
        field: text(fields),
        value: async (stored) => {
          asked.push(String(stored));
          // In the second slice.
          if (asked.length === 300) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          return withKey("b")(stored);
        },
      });
    };
    const { kernel, place } = await start(interrupted);
    await kernel.deploy(schema);
    await add(kernel, 400);
    open();
    await eventually(() => expect(asked).toHaveLength(300));
    const half = await keys(kernel);
    expect(half).toEqual({ a: 144, b: 256 });
    await kernel.close();
    opened.length = 0;
    const done: Rewritten[] = [];
    const left: Predicate = { kind: "check", field: "Note.text", test: { id: "not b", holds: ([stored]) => !String(stored).startsWith("b:") } };
    const next = await start(
      async ({ rewrite }, fields) => void done.push(await rewrite({ field: text(fields), where: left, value: withKey("b") })),
      place,
    );
    await eventually(() => expect(done).toEqual([{ read: 144, rewritten: 144 }]));
    expect(await keys(next.kernel)).toEqual({ b: 400 });
  });

  it("sends nothing to live queries", async () => {
    const { opening, open } = gate();
    const done: Rewritten[] = [];
    const { kernel } = await start(async ({ rewrite }, fields) => {
      await opening;
      done.push(await rewrite({ field: text(fields), value: withKey("b") }));
    });
    await kernel.deploy(schema);
    await add(kernel, 2);
    const live = kernel.live({ query: "subscription { queryNote(order: { asc: name }) { text plain } }" });
    await live.next();
    const second = live.next();
    open();
    await eventually(() => expect(done).toHaveLength(1));
    await kernel.execute({ query: 'mutation { updateNote(input: { filter: { name: { eq: "0000" } }, set: { plain: "q" } }) { numUids } }' });
    expect((await second).value).toMatchObject({ data: { queryNote: [{ plain: "q" }, { plain: "p" }] } });
  });

  it.each([
    ["a field that the plugin does not show", "Note.plain", () => "b:x", "it rewrites Note.plain, which is no field that the plugin shows"],
    ["a value that does not fit", "Note.text", () => 5, "it rewrites Note.text to a value that does not fit it"],
  ])("refuses %s, and writes nothing", async (_what, name, value, problem) => {
    const entries: LogEntry[] = [];
    const { opening, open } = gate();
    const { kernel } = await start(
      async ({ rewrite }, fields) => {
        await opening;
        const field = fields.get(name);
        if (field) await rewrite({ field, value });
      },
      undefined,
      entries,
    );
    await kernel.deploy(schema);
    await add(kernel, 2);
    open();
    await eventually(() => expect(entries.map(({ message }) => message)).toContainEqual(expect.stringContaining(problem)));
    expect(await keys(kernel)).toEqual({ a: 2 });
  });
});
