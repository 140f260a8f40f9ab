// Eight plugins as a stranger writes them, each as short as the contract allows.

import { describe, expect, it } from "vitest";
import { type DirectivePlugin, QuernError } from "../../core/plugin.ts";
import { tried } from "./kit.ts";

describe("@trim: values are changed before they are written", () => {
  const trimPlugin = (): DirectivePlugin => ({
    name: "trim",
    definitions: "directive @trim on FIELD_DEFINITION",
    model(context) {
      const fields = new Set(context.uses("trim").map(({ field }) => field));
      if (fields.size === 0) return undefined;
      return {
        values: ({ type, values }) => ({
          values: new Map(
            [...values].flatMap(([name, value]) => (typeof value === "string" && fields.has(type.fields.get(name)) ? [[name, value.trim()]] : [])),
          ),
        }),
      };
    },
  });

  it("stores texts without the white space around them, and leaves other fields alone", async () => {
    const { ask } = await tried(trimPlugin(), "type Note { id: ID!  a: String @trim  b: String }");
    await ask('mutation { addNote(input: [{ a: "  x ", b: " y " }]) { numUids } }');
    expect((await ask("{ queryNote { a b } }")).data).toEqual({ queryNote: [{ a: "x", b: " y " }] });
  });
});

describe("@shout: a field is computed from others", () => {
  const shoutPlugin = (): DirectivePlugin => ({
    name: "shout",
    definitions: "directive @shout(of: String!) on FIELD_DEFINITION",
    model(context) {
      const computed = context.uses("shout").flatMap(({ field, type, args }) => {
        const source = type?.fields.get(String(args.of));
        if (field?.role !== "value" || source?.role !== "value") return [];
        context.record.computed(field);
        return [{ field, needs: [source.stored] }];
      });
      if (computed.length === 0) return undefined;
      return {
        api: () => ({
          computed: computed.map((each) => ({
            ...each,
            compute: (parents: readonly { readonly values: readonly unknown[] }[]) =>
              parents.map(({ values: [text] }) => (typeof text === "string" ? text.toUpperCase() : null)),
          })),
        }),
      };
    },
  });

  it("is null where there is nothing to shout", async () => {
    const { ask } = await tried(shoutPlugin(), 'type Note { id: ID!  text: String  loud: String @shout(of: "text") }');
    await ask('mutation { addNote(input: [{ text: "hey" }, {}]) { numUids } }');
    expect((await ask("{ queryNote(order: { asc: text }) { loud } }")).data).toEqual({ queryNote: [{ loud: "HEY" }, { loud: null }] });
  });
});

describe("@frozen: writes are refused in the transaction", () => {
  const frozenPlugin = (): DirectivePlugin => ({
    name: "frozen",
    definitions: "directive @frozen on OBJECT",
    model(context) {
      const types = new Set(context.uses("frozen").flatMap(({ type }) => (type ? [type.stored] : [])));
      if (types.size === 0) return undefined;
      return {
        check({ changes }) {
          const touched = changes.find((change) => (change.kind === "set" || change.kind === "remove") && types.has(change.type));
          if (touched) throw new QuernError("REQUEST_REFUSED", "What is frozen stays as it was added.");
        },
      };
    },
  });

  it("adds, and changes and deletes nothing; the code reaches the client", async () => {
    const { ask } = await tried(frozenPlugin(), "type Fact @frozen { id: ID!  text: String }");
    await ask('mutation { addFact(input: [{ text: "a" }]) { numUids } }');
    expect((await ask('mutation { updateFact(input: { filter: {}, set: { text: "b" } }) { numUids } }')).codes).toEqual(["REQUEST_REFUSED"]);
    expect((await ask("mutation { deleteFact(filter: {}) { numUids } }")).codes).toEqual(["REQUEST_REFUSED"]);
    expect((await ask("{ queryFact { text } }")).data).toEqual({ queryFact: [{ text: "a" }] });
  });
});

describe("@mine: who may see a node", () => {
  const minePlugin = (): DirectivePlugin => ({
    name: "mine",
    definitions: "directive @mine on FIELD_DEFINITION",
    model(context) {
      const fields = context.uses("mine").flatMap(({ field }) => (field?.role === "value" ? [field] : []));
      if (fields.length === 0) return undefined;
      return {
        narrowsEverywhere: true,
        narrow(type, _purpose, { facts }) {
          const field = fields.find(({ owner }) => owner === type);
          if (!field) return undefined;
          const { sub } = (facts.claims ?? {}) as { readonly sub?: string };
          return sub === undefined ? { kind: "none" } : { kind: "compare", field: field.stored, op: "eq", operands: [sub] };
        },
      };
    },
  });

  it("shows each caller what is theirs, and a stranger nothing", async () => {
    const { ask } = await tried(minePlugin(), "type Note { id: ID!  owner: String @mine  text: String }");
    const add = (owner: string) => ask(`mutation { addNote(input: [{ owner: "${owner}", text: "of ${owner}" }]) { numUids } }`, { sub: owner });
    await add("ada");
    await add("bob");
    const seen = async (sub?: string) => (await ask("{ queryNote { text } aggregateNote { count } }", sub === undefined ? undefined : { sub })).data;
    expect(await seen("ada")).toEqual({ queryNote: [{ text: "of ada" }], aggregateNote: { count: 1 } });
    expect(await seen()).toMatchObject({ queryNote: [] });
  });
});

describe("checkout: several mutations in one transaction", () => {
  const checkoutPlugin = (): DirectivePlugin => ({
    name: "checkout",
    definitions: "",
    model: () => ({
      api: () => ({
        roots: [
          {
            operation: "mutation",
            signature: "checkout(item: String!): Boolean!",
            async run({ arguments: { item }, transaction }) {
              await transaction(async ({ execute }) => {
                const query = "query ($item: String!) { getItem(name: $item) { left } }";
                const { data } = await execute({ query, variables: { item } });
                const { left } = (data?.getItem ?? { left: 0 }) as { readonly left: number };
                if (left < 1) throw new QuernError("REQUEST_REFUSED", "Nothing is left.");
                const write = `mutation ($item: String!, $left: Int!) {
                  updateItem(input: { filter: { name: { eq: $item } }, set: { left: $left } }) { numUids }
                  addOrder(input: [{ of: { name: $item } }]) { numUids }
                }`;
                await execute({ query: write, variables: { item, left: left - 1 } });
              });
              return { json: true };
            },
          },
        ],
      }),
    }),
  });

  it("makes one order of three for the last item", async () => {
    const { ask } = await tried(
      checkoutPlugin(),
      "type Item { name: String! @id  left: Int!  orders: [Order] @hasInverse(field: of) }\ntype Order { id: ID!  of: Item }",
    );
    await ask('mutation { addItem(input: [{ name: "lamp", left: 1 }]) { numUids } }');
    const answers = await Promise.all([1, 2, 3].map(() => ask('mutation { checkout(item: "lamp") }')));
    expect(answers.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
    expect((await ask('{ aggregateOrder { count } getItem(name: "lamp") { left } }')).data).toEqual({
      aggregateOrder: { count: 1 },
      getItem: { left: 0 },
    });
  });
});

describe("@rot13: another value is shown than the stored one", () => {
  const turned = (text: string) => text.replace(/[a-z]/gu, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
  const rot13Plugin = (): DirectivePlugin => ({
    name: "rot13",
    definitions: "directive @rot13 on FIELD_DEFINITION",
    model(context) {
      const fields = context.uses("rot13").flatMap(({ field }) => (field?.role === "value" ? [field] : []));
      if (fields.length === 0) return undefined;
      return {
        values: ({ type, values }) => ({
          values: new Map(
            fields.flatMap(({ owner, name }) => {
              const value = values.get(name);
              return owner === type && typeof value === "string" ? [[name, turned(value)]] : [];
            }),
          ),
        }),
        shown: fields.map((field) => ({ field, show: (stored) => (typeof stored === "string" ? turned(stored) : stored) })),
      };
    },
  });

  it("keeps its field's name, and the store never sees the text", async () => {
    const { ask, kernel } = await tried(rot13Plugin(), "type Note { id: ID!  text: String @rot13 }");
    await ask('mutation { addNote(input: [{ text: "hello" }]) { numUids } }');
    expect((await ask("{ queryNote { text } }")).data).toEqual({ queryNote: [{ text: "hello" }] });
    const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
    const { columns } = await snapshot.find({ types: ["Note"], where: { kind: "all" }, fields: ["Note.text"] });
    snapshot.close();
    expect(columns).toEqual([["uryyb"]]);
  });
});

describe("outbox: hidden nodes are written in the same commit", () => {
  const outboxPlugin = (): DirectivePlugin => ({
    name: "outbox",
    definitions: "directive @outbox on OBJECT",
    model(context) {
      if (context.uses("outbox").length === 0) return undefined;
      return {
        layout: () => ({
          types: [{ name: "outbox.Event", fields: ["outbox.Event.what"] }],
          fields: [{ name: "outbox.Event.what", kind: "string", list: false }],
        }),
        async append({ mutation, uids }) {
          const [uid] = await uids(1);
          return uid === undefined ? [] : [{ kind: "create", uid, type: "outbox.Event", fields: { "outbox.Event.what": mutation.field } }];
        },
      };
    },
  });

  it("has an event for each mutation that wrote, and no API", async () => {
    const { ask, kernel } = await tried(outboxPlugin(), "type Note @outbox { id: ID!  text: String }");
    await ask('mutation { addNote(input: [{ text: "a" }]) { numUids } }');
    await ask("mutation { deleteNote(filter: {}) { numUids } }");
    const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
    const { columns } = await snapshot.find({ types: ["outbox.Event"], where: { kind: "all" }, fields: ["outbox.Event.what"] });
    snapshot.close();
    expect(columns).toEqual([["addNote", "deleteNote"]]);
    expect(kernel.deployment?.api.sdl).not.toContain("outbox.Event");
  });
});

describe("a hook that never settles: the server goes on", () => {
  const hangingPlugin = (): DirectivePlugin => ({
    name: "hanging",
    definitions: "",
    model: () => ({ changes: ({ mutation }) => (mutation.type.name === "Slow" ? new Promise(() => undefined) : undefined) }),
  });

  it("is named by a code, and others write", async () => {
    const { kernel, ask } = await tried(hangingPlugin(), "type Slow { id: ID! text: String }\ntype Fast { id: ID! text: String }");
    expect(kernel.limits.hookMs).toBeGreaterThan(0);
    const slow = ask('mutation { addSlow(input: [{ text: "a" }]) { numUids } }');
    const fast = ask('mutation { addFast(input: [{ text: "a" }]) { numUids } }');
    expect((await slow).codes).toEqual(["PLUGIN_TIMEOUT"]);
    expect(await fast).toEqual({ data: { addFast: { numUids: 1 } }, codes: [] });
  });
});
