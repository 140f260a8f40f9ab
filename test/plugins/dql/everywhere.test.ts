// A plugin that narrows everywhere: DQL obeys rules although no option says so. Without such a plugin it stands outside, as in Dgraph.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { createKernel } from "../../../core/index.ts";
import { type DirectivePlugin, not } from "../../../core/plugin.ts";
import { queryDql } from "../../../plugins/dql/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { newStorage } from "../../support/storage.ts";

let running: TemporaryKernel;
afterEach(() => running?.remove());

/** `@hiding`: objects that are marked as hidden are seen by no one. */
const hidingPlugin = (narrowsEverywhere: boolean | undefined): DirectivePlugin => ({
  name: "hiding",
  definitions: "directive @hiding on OBJECT",
  model({ uses }) {
    const types = new Set(uses("hiding").map(({ type }) => type));
    if (types.size === 0) return undefined;
    const hidden = (type: string) => ({ kind: "compare", field: `${type}.hidden`, op: "eq", operands: [true] }) as const;
    return {
      ...(narrowsEverywhere !== undefined && { narrowsEverywhere }),
      narrow: (type, purpose) => (types.has(type) && purpose === "query" ? not(hidden(type.stored)) : undefined),
    };
  },
});

const askPlugin = (): DirectivePlugin => ({
  name: "ask",
  definitions: "",
  model: () => ({
    api: () => ({
      roots: [
        {
          operation: "query",
          signature: "asked(as: String): String",
          async run({ execute, arguments: { as } }) {
            const query = "{ q(func: type(Note), orderasc: Note.text) { Note.text } }";
            return { json: JSON.stringify((await execute({ query, language: "dql", as: as === "system" ? "system" : "caller" })).data) };
          },
        },
      ],
    }),
  }),
});

const schema = (hiding: string) => `
  type Note ${hiding} { text: String  hidden: Boolean }
  type Secret @auth(query: { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" }) { text: String }
  type Query {
    notes: [Note] @custom(dql: "{ notes(func: type(Note), orderasc: Note.text) { text: Note.text } }")
    secrets: [Secret] @custom(dql: "{ secrets(func: type(Secret)) { text: Secret.text } }")
  }
  # Service.Authorization {"Header":"Authorization","Namespace":"x","VerificationKey":"secret","Algo":"HS256"}`;

async function start(narrowsEverywhere: boolean | undefined, hiding = "@hiding") {
  running = await temporaryKernel({ plugins: [...standardPlugins(), hidingPlugin(narrowsEverywhere), askPlugin()] });
  const { kernel } = running;
  await kernel.deploy(schema(hiding));
  const run = async (query: string) => JSON.parse((await kernel.execute({ query })).body).data;
  await run('mutation { addNote(input: [{ text: "a" }, { text: "b", hidden: true }]) { numUids } addSecret(input: [{ text: "s" }]) { numUids } }');
  const request = {
    method: "POST",
    url: "/query",
    headers: { host: "localhost", "content-type": "application/dql" },
    remoteAddress: "127.0.0.1",
  } as const;
  const overHttp = async (query: string) => JSON.parse(String((await kernel.http({ ...request, body: Buffer.from(query) })).body)).data;
  return { kernel, run, overHttp };
}

const dql = "{ q(func: type(Note), orderasc: Note.text) { Note.text } s(func: type(Secret)) { count(uid) } }";
const everything = { notes: [{ text: "a" }, { text: "b" }], secrets: [{ text: "s" }] };

describe("a plugin that narrows everywhere", () => {
  it("hides nodes from fields with DQL, from DQL of plugins and from /query, and so do the rules of all others", async () => {
    const { run, overHttp } = await start(true);
    expect(await run("{ notes { text } secrets { text } }")).toEqual({ notes: [{ text: "a" }], secrets: [] });
    expect((await run("{ asked }")).asked).toBe('{"q":[{"Note.text":"a"}]}');
    expect(await overHttp(dql)).toEqual({ q: [{ "Note.text": "a" }], s: [{ count: 0 }] });
  });

  it("hides nothing from the system and from who runs DQL on the store", async () => {
    const { kernel, run } = await start(true);
    expect((await run('{ asked(as: "system") }')).asked).toBe('{"q":[{"Note.text":"a"},{"Note.text":"b"}]}');
    expect((await queryDql(kernel, dql)).q).toEqual([{ "Note.text": "a" }, { "Note.text": "b" }]);
  });

  it.each([
    ["a plugin that narrows and does not demand it", undefined, "@hiding"],
    ["one that declares false", false, "@hiding"],
    ["a schema that does not use the plugin", true, ""],
  ])("leaves DQL outside rules with %s, as Dgraph does", async (_what, narrowsEverywhere, hiding) => {
    const { run, overHttp } = await start(narrowsEverywhere, hiding);
    expect(await run("{ notes { text } secrets { text } }")).toEqual(everything);
    expect(await overHttp(dql)).toEqual({ q: [{ "Note.text": "a" }, { "Note.text": "b" }], s: [{ count: 1 }] });
    if (hiding !== "") expect(await run("{ queryNote { text } }")).toEqual({ queryNote: [{ text: "a" }] });
  });
});

it("gives languages of strangers a view that obeys it", async () => {
  const counting: DirectivePlugin = {
    name: "counting",
    definitions: "",
    model: () => undefined,
    languages: [
      {
        name: "counting",
        async run({ text, snapshot }) {
          const [row] = await snapshot.aggregate({ over: { types: [text] }, measures: [{ kind: "count" }] });
          return { count: row?.[0] ?? 0 };
        },
      },
    ],
  };
  const asking: DirectivePlugin = {
    name: "asking",
    definitions: "",
    model: () => ({
      api: () => ({
        roots: [
          {
            operation: "query",
            signature: "count: Int",
            run: async ({ execute }) => ({ json: Number((await execute({ query: "Note", language: "counting" })).data?.count) }),
          },
        ],
      }),
    }),
  };
  const kernel = createKernel({ storage: await newStorage(), plugins: [hidingPlugin(true), counting, asking] });
  await kernel.open();
  await kernel.deploy("type Note @hiding { text: String  hidden: Boolean }");
  await kernel.execute({ query: "mutation { addNote(input: [{ hidden: true }, { hidden: false }]) { numUids } }" });
  expect(JSON.parse((await kernel.execute({ query: "{ count }" })).body).data).toEqual({ count: 1 });
  await kernel.close();
});
