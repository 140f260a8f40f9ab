// A plugin shows other values than the stored ones (`Hooks.shown`): where callers get them, what fails alone, and what is refused because it would compare stored values.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type LogEntry, QuernError } from "../../../core/index.ts";
import type { ComputedField, DirectivePlugin, FieldMask, Hooks, RootField, Stored } from "../../../core/plugin.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ReadersHere } from "../../support/readers-here.ts";

let running: TemporaryKernel | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

/** What it was asked to show, in order. */
type Asked = Stored[];

interface Veil {
  readonly name?: string;
  readonly asked?: Asked;
  readonly hooks?: Hooks;
}

/** `@veiled`: to the caller Ada the text "a" is "Ada: a". The texts "broken" and "refused" cannot be shown. */
function veilPlugin({ name = "veil", asked = [], hooks = {} }: Veil = {}): DirectivePlugin {
  return {
    name,
    definitions: "directive @veiled on FIELD_DEFINITION",
    model({ uses }) {
      const fields = uses("veiled").flatMap(({ field }) => (field?.role === "value" ? [field] : []));
      if (fields.length === 0) return undefined;
      return {
        ...hooks,
        shown: fields.map((field) => ({
          field,
          show: (stored, { headers }) => {
            asked.push(stored);
            const shown = (text: unknown): string => {
              if (text === "broken") throw new Error("no key for this text");
              if (text === "refused") throw new QuernError("OPERATION_FAILED", "This text is sealed.");
              return `${headers["x-caller"] ?? "nobody"}: ${text}`;
            };
            if (stored === "gone") return undefined;
            return Array.isArray(stored) ? stored.map(shown) : shown(stored);
          },
        })),
      };
    },
  };
}

const schema = `
  type Doc @withSubscription @paged {
    id: ID!
    name: String! @id
    text: String @veiled
    plain: String @search(by: [exact])
    tags: [String] @veiled
    strict: String! @veiled
    next: Doc
    notes: [Note] @hasInverse(field: doc)
  }
  type Note { line: String @veiled  doc: Doc }
`;

const add = `mutation { addDoc(input: [
  { name: "1", text: "a", plain: "a", tags: ["x", "y"], strict: "s", notes: [{ line: "n" }], next: { name: "2", text: "b", strict: "t" } }
]) { doc { text tags strict next { text } notes { line } } } }`;

async function start(text: string, plugins: readonly DirectivePlugin[], config: TemporaryConfig = {}) {
  running = await temporaryKernel({ ...config, plugins });
  const { kernel } = running;
  await kernel.deploy(text);
  return async (query: string, caller?: string) => {
    const { body } = await kernel.execute({ query, headers: caller === undefined ? {} : { "x-caller": caller } });
    const { data, errors = [] } = JSON.parse(body);
    return { data, errors: errors.map(({ message, path }: { message: string; path?: readonly string[] }) => `${path?.join(".") ?? "-"} ${message}`) };
  };
}

const plugins = (veil: DirectivePlugin = veilPlugin()) => [...standardPlugins(), veil];

describe("a value that a plugin shows otherwise", () => {
  it("comes shown in payloads, get, query, links and pages, with lists, and as the caller's own", async () => {
    const ask = await start(schema, plugins());
    const doc = { text: "Ada: a", tags: ["Ada: x", "Ada: y"], strict: "Ada: s", next: { text: "Ada: b" }, notes: [{ line: "Ada: n" }] };
    expect(await ask(add, "Ada")).toEqual({ data: { addDoc: { doc: [doc] } }, errors: [] });
    const selection = "text tags strict next { text } notes { line }";
    expect((await ask(`{ getDoc(name: "1") { ${selection} } queryDoc(filter: { plain: { eq: "a" } }) { ${selection} } }`, "Ada")).data).toEqual({
      getDoc: doc,
      queryDoc: [doc],
    });
    expect((await ask(`{ queryDocConnection(first: 1) { nodes { text } edges { node { tags } } } }`)).data).toEqual({
      queryDocConnection: { nodes: [{ text: "nobody: a" }], edges: [{ node: { tags: ["nobody: x", "nobody: y"] } }] },
    });
    const update = `mutation { updateDoc(input: { filter: { name: { eq: "1" } }, set: { text: "c" } }) { doc { text } } }`;
    expect((await ask(update, "Ada")).data).toEqual({ updateDoc: { doc: [{ text: "Ada: c" }] } });
    expect((await ask('mutation { deleteDoc(filter: { name: { eq: "1" } }) { doc { text } } }', "Bea")).data).toEqual({
      deleteDoc: { doc: [{ text: "Bea: c" }] },
    });
  });

  it("comes shown from read workers, and to the system", async () => {
    const run: RootField["run"] = async ({ execute }) => {
      const { data } = await execute({ query: "{ queryDoc { text } }", as: "system" });
      return { json: JSON.stringify(data) };
    };
    const veil = veilPlugin({ hooks: { api: () => ({ roots: [{ operation: "query", signature: "asSystem: String", run }] }) } });
    const ask = await start(schema, plugins(veil), { readWorkers: new ReadersHere(plugins(veil)) });
    await ask(add);
    expect((await ask("{ queryDoc { text } }", "Ada")).data).toEqual({ queryDoc: [{ text: "Ada: a" }, { text: "Ada: b" }] });
    expect((await ask("{ asSystem }")).data.asSystem).toContain(": b");
  });

  it("comes to each of two clients of one live query as its own, who agreed in everything before there was a value", async () => {
    const ask = await start(schema, plugins());
    const query = 'subscription { queryDoc(filter: { plain: { eq: "a" } }) { text } }';
    const [ada, bea] = ["Ada", "Bea"].map((caller) => running?.kernel.live({ query, headers: { "x-caller": caller } }));
    const empty = { data: { queryDoc: [] } };
    expect([(await ada?.next())?.value, (await bea?.next())?.value]).toMatchObject([empty, empty]);
    await ask(add);
    expect((await ada?.next())?.value).toMatchObject({ data: { queryDoc: [{ text: "Ada: a" }] } });
    expect((await bea?.next())?.value).toMatchObject({ data: { queryDoc: [{ text: "Bea: a" }] } });
  });

  it("comes shown in live queries", async () => {
    const ask = await start(schema, plugins());
    const live = running?.kernel.live({ query: "subscription { queryDoc(order: { asc: name }) { text } }", headers: { "x-caller": "Ada" } });
    expect((await live?.next())?.value).toMatchObject({ data: { queryDoc: [] } });
    await ask(add);
    expect((await live?.next())?.value).toMatchObject({ data: { queryDoc: [{ text: "Ada: a" }, { text: "Ada: b" }] } });
  });

  it("reaches computed fields shown", async () => {
    const loud = (): DirectivePlugin => ({
      name: "loud",
      definitions: "directive @loud on FIELD_DEFINITION",
      model({ uses, record }) {
        const computed = uses("loud").flatMap(({ field }): ComputedField[] => {
          if (!field) return [];
          record.computed(field);
          return [{ field, needs: ["Doc.text"], compute: (parents) => parents.map(({ values: [text] }) => String(text).toUpperCase()) }];
        });
        return { api: () => ({ computed }) };
      },
    });
    const ask = await start("type Doc { text: String @veiled  loud: String @loud }", [...plugins(), loud()]);
    await ask('mutation { addDoc(input: [{ text: "a" }]) { numUids } }');
    expect((await ask("{ queryDoc { loud } }", "Ada")).data).toEqual({ queryDoc: [{ loud: "ADA: A" }] });
  });

  it("is absent without an error where the plugin shows none, and fields of the same name in other types are as stored", async () => {
    const ask = await start("type Doc { text: String @veiled }  type DocNote { text: String }", plugins());
    await ask('mutation { addDoc(input: [{ text: "gone" }, {}]) { numUids } addDocNote(input: [{ text: "broken" }]) { numUids } }');
    expect(await ask("{ queryDoc { text } queryDocNote { text } }")).toEqual({
      data: { queryDoc: [{ text: null }, { text: null }], queryDocNote: [{ text: "broken" }] },
      errors: [],
    });
  });

  it("is not asked for where a mask hides it", async () => {
    const asked: Asked = [];
    const masking = (): DirectivePlugin => ({
      name: "masking",
      definitions: "directive @own on FIELD_DEFINITION",
      model({ uses }) {
        const masks = uses("own").flatMap(({ field }): FieldMask[] =>
          field?.role === "value"
            ? [{ field, shows: "null", visible: () => ({ kind: "compare", field: "Doc.owner", op: "eq", operands: ["Ada"] }) }]
            : [],
        );
        return { masks };
      },
    });
    const ask = await start("type Doc { owner: String  text: String @veiled @own }", [...plugins(veilPlugin({ asked })), masking()]);
    await ask('mutation { addDoc(input: [{ owner: "Ada", text: "a" }, { owner: "Bea", text: "b" }]) { numUids } }');
    expect((await ask("{ queryDoc { text } }")).data).toEqual({ queryDoc: [{ text: "nobody: a" }, { text: null }] });
    expect(asked).toEqual(["a"]);
  });
});

describe("a value that cannot be shown", () => {
  it("is null with an error at its path that names field and plugin; its neighbours are shown, and the log has the reason once", async () => {
    const entries: LogEntry[] = [];
    const ask = await start(schema, plugins(), { log: { to: { write: (entry) => void entries.push(entry) } } });
    const docs = ["broken", "a", "broken", "refused"].map((text, i) => `{ name: "${i}", text: "${text}", strict: "s" }`);
    await ask(`mutation { addDoc(input: [${docs.join(" ")}]) { numUids } }`);
    const failed = "The value of the field 'text' cannot be shown: the plugin \"veil\" failed. The server's log holds the error.";
    expect(await ask("{ queryDoc(order: { asc: name }) { text strict } }")).toEqual({
      data: {
        queryDoc: [
          { text: null, strict: "nobody: s" },
          { text: "nobody: a", strict: "nobody: s" },
          { text: null, strict: "nobody: s" },
          { text: null, strict: "nobody: s" },
        ],
      },
      errors: [`queryDoc.0.text ${failed}`, `queryDoc.2.text ${failed}`, "queryDoc.3.text This text is sealed."],
    });
    const faults = entries.filter(({ message }) => message.includes("no key for this text"));
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('Plugin "veil", hook show of Doc.text: no key for this text')]);
  });

  it("takes the object with it where the field may not be null", async () => {
    const ask = await start(schema, plugins());
    await ask('mutation { addDoc(input: [{ name: "1", strict: "broken" }, { name: "2", strict: "s" }]) { numUids } }');
    const { data, errors } = await ask("{ queryDoc(order: { asc: name }) { strict } }");
    expect(data).toEqual({ queryDoc: [null, { strict: "nobody: s" }] });
    expect(errors).toEqual([expect.stringMatching(/^queryDoc\.0\.strict /)]);
  });

  it("is one that does not fit its field, too", async () => {
    const wrong = (): DirectivePlugin => ({
      name: "wrong",
      definitions: "directive @wrong on FIELD_DEFINITION",
      model: ({ uses }) => ({ shown: uses("wrong").flatMap(({ field }) => (field?.role === "value" ? [{ field, show: () => 5 }] : [])) }),
    });
    const ask = await start("type Doc { text: String @wrong }", [...standardPlugins(), wrong()]);
    await ask('mutation { addDoc(input: [{ text: "a" }]) { numUids } }');
    const { data, errors } = await ask("{ queryDoc { text } }");
    expect([data, errors]).toEqual([{ queryDoc: [{ text: null }] }, [expect.stringContaining('the plugin "wrong" failed')]]);
  });
});

describe("what would compare stored values", () => {
  it("is not offered: no order, no aggregate; what is compared is as before beside it", async () => {
    await start("type Doc { text: String @veiled  plain: String }", plugins());
    const sdl = running?.kernel.deployment?.api.sdl ?? "";
    const of = (name: string) => new RegExp(`(?:type|input|enum) ${name} \\{[^}]*\\}`).exec(sdl)?.[0].replaceAll(/\s+/g, " ");
    expect(of("DocOrderable")).toBe("enum DocOrderable { plain }");
    expect(of("DocAggregateResult")).toBe("type DocAggregateResult { count: Int plainMin: String plainMax: String }");
    expect(of("DocHasFilter")).toBe("enum DocHasFilter { text plain }");
  });

  it.each([
    ["@search", "type Doc { text: String @veiled @search(by: [term]) }", 'the plugin "search" cannot index it'],
    ["a filter without an index", "type Doc { flag: Boolean @veiled @search }", 'the plugin "search" cannot'],
    ["@id", "type Doc { text: String! @veiled @id }", "it cannot be a key"],
    ["@unique", 'type Doc @unique(fields: ["text", "plain"]) { text: String @veiled  plain: String }', "cannot make it a part of a key"],
    ["@groupBy", 'type Doc @groupBy(fields: ["text"]) { text: String @veiled }', "@groupBy names the field text"],
    [
      "@search of an interface",
      "interface Thing { text: String @veiled @search(by: [hash]) }  type Doc implements Thing { a: Int }",
      'the plugin "search" cannot index it',
    ],
  ])("refuses the deploy with %s", async (_what, text, problem) => {
    await start("type Other { a: Int }", plugins());
    await expect(running?.kernel.deploy(text)).rejects.toThrow(problem);
    await expect(running?.kernel.deploy(text.replaceAll("@veiled ", "").replaceAll(" @veiled", ""))).resolves.toBeUndefined();
  });

  it("is refused when a plugin shows what is no field of values", async () => {
    const id = (): DirectivePlugin => ({
      name: "id-veil",
      definitions: "directive @veiled on FIELD_DEFINITION",
      // A plugin in JavaScript, without types.
      model: ({ uses }) => JSON.parse("{}", () => ({ shown: uses("veiled").map(({ field }) => ({ field, show: () => "x" })) })),
    });
    running = await temporaryKernel({ plugins: [...standardPlugins(), id()] });
    await expect(running.kernel.deploy("type Doc { id: ID! @veiled  text: String }")).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: 'Plugin "id-veil", hook shown: it must name fields that hold values.',
    });
  });

  it("is refused when two plugins show one field", async () => {
    running = await temporaryKernel({ plugins: [...plugins(), veilPlugin({ name: "other" })] });
    await expect(running.kernel.deploy("type Doc { text: String @veiled }")).rejects.toMatchObject({ code: "PLUGIN_CLASH" });
  });
});

describe("DQL", () => {
  const text = `
    type Doc { name: String! @id  text: String @veiled }
    type Query {
      docs: [Doc] @custom(dql: "{ docs(func: type(Doc), orderasc: Doc.name) { name: Doc.name text: Doc.text } }")
      sorted: [Doc] @custom(dql: "{ sorted(func: type(Doc), orderasc: Doc.text) { name: Doc.name } }")
    }`;

  it.each([true, false])("shows the caller's values, and refuses what would compare stored ones, with rules: %s", async (rules) => {
    const ask = await start(text, [...standardPlugins().map((each) => (each.name === "dql" ? dqlPlugin({ rules }) : each)), veilPlugin()]);
    await ask('mutation { addDoc(input: [{ name: "1", text: "a" }, { name: "2" }]) { numUids } }');
    expect((await ask("{ docs { name text } }", "Ada")).data).toEqual({
      docs: [
        { name: "1", text: "Ada: a" },
        { name: "2", text: null },
      ],
    });
    expect((await ask("{ sorted { name } }")).errors).toEqual([expect.stringContaining("shows other values of Doc.text than the stored ones")]);
  });

  it("fails as a whole at /query where a value cannot be shown, and otherwise answers the caller", async () => {
    const ask = await start(text, plugins());
    const dql = async (query: string) => {
      const request = { method: "POST", url: "/query", body: Buffer.from(query), remoteAddress: "127.0.0.1" } as const;
      const headers = { host: "localhost", "content-type": "application/dql", "x-caller": "Ada" };
      return JSON.parse(String((await running?.kernel.http({ ...request, headers }))?.body));
    };
    await ask('mutation { addDoc(input: [{ name: "1", text: "a" }, { name: "2", text: "broken" }]) { numUids } }');
    expect((await dql('{ q(func: eq(Doc.name, "1")) { Doc.text } }')).data).toEqual({ q: [{ "Doc.text": "Ada: a" }] });
    expect((await dql("{ q(func: type(Doc)) { Doc.text } }")).errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('the plugin "veil" failed') }),
    ]);
    expect((await dql('{ q(func: type(Doc)) @filter(ge(Doc.text, "a")) { Doc.name } }')).data).toBeNull();
  });
});
