import { beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { link, type Subgraph, subgraph } from "./harness.ts";

const mills = `
  type Mill @key(fields: "code") { code: String! @id  stones: Int  village: Village }
  type MillRace @key(fields: "code") { code: String! @id  depth: Float }
  type Village @key(fields: "id") { id: ID!  name: String @search(by: [hash]) }
  type Gauge @key(fields: "number") { number: Int64! @id  label: String }
`;

async function millsOf(): Promise<Subgraph & { readonly kent: string }> {
  const served = await subgraph(mills);
  await served.ask(`mutation {
    addMill(input: [{ code: "a", stones: 1, village: { name: "Kent" } }, { code: "b", stones: 2 }, { code: "ä", stones: 3 }, { code: " ", stones: 4 }]) { numUids }
    addMillRace(input: [{ code: "a", depth: 0.5 }]) { numUids }
    addGauge(input: [{ number: 9007199254740993, label: "big" }]) { numUids }
  }`);
  const { data } = await served.ask("{ queryVillage { id } }");
  const [village] = Reflect.get(Object(data), "queryVillage");
  return { ...served, kent: village.id };
}

const every = "__typename ... on Mill { code stones } ... on MillRace { code depth } ... on Village { name } ... on Gauge { number label }";

describe("_entities", () => {
  let served: Awaited<ReturnType<typeof millsOf>>;
  beforeAll(async () => {
    served = await millsOf();
  });

  it("answers representations of several types in their order, with null where there is nothing", async () => {
    const { entities, kent } = served;
    const answer = await entities(
      [
        { __typename: "Mill", code: "b" },
        { __typename: "MillRace", code: "a" },
        { __typename: "Mill", code: "none" },
        { __typename: "Village", id: kent },
        { __typename: "MillRace", code: "b" },
        { __typename: "Mill", code: "a" },
        { __typename: "Mill", code: "b" },
        { __typename: "Gauge", number: 9007199254740993n },
      ],
      every,
    );
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({
      _entities: [
        { __typename: "Mill", code: "b", stones: 2 },
        { __typename: "MillRace", code: "a", depth: 0.5 },
        null,
        { __typename: "Village", name: "Kent" },
        null,
        { __typename: "Mill", code: "a", stones: 1 },
        { __typename: "Mill", code: "b", stones: 2 },
        { __typename: "Gauge", number: 9007199254740993n, label: "big" },
      ],
    });
  });

  it("keeps the digits of a large integer in a literal", async () => {
    const { ask } = served;
    const near = await ask('{ _entities(representations: [{ __typename: "Gauge", number: 9007199254740992 }]) { ... on Gauge { label } } }');
    const same = await ask('{ _entities(representations: [{ __typename: "Gauge", number: 9007199254740993 }]) { ... on Gauge { label } } }');
    expect([near.data, same.data]).toEqual([{ _entities: [null] }, { _entities: [{ label: "big" }] }]);
  });

  it("finds a blank and other alphabets, and no node of another type by its id", async () => {
    const { entities, kent } = served;
    const answer = await entities(
      [
        { __typename: "Mill", code: " " },
        { __typename: "Mill", code: "ä" },
        { __typename: "Village", id: `0x${(Number(kent) - 1).toString(16)}` },
      ],
      every,
    );
    expect(answer.data).toEqual({
      _entities: [{ __typename: "Mill", code: " ", stones: 4 }, { __typename: "Mill", code: "ä", stones: 3 }, null],
    });
  });

  it("reads below an entity with filters, orders and links", async () => {
    const { entities, kent } = served;
    const answer = await entities([{ __typename: "Mill", code: "a" }], '... on Mill { village(filter: { name: { eq: "Kent" } }) { id } }');
    expect(answer.data).toEqual({ _entities: [{ village: { id: kent } }] });
  });

  it.each([
    ["no representation", []],
    ["a representation that is no object", ["Mill"]],
    ["a representation without __typename", [{ code: "a" }]],
    ["__typename that is no text", [{ __typename: ["Mill"], code: "a" }]],
    ["an unknown type", [{ __typename: "Mills", code: "a" }]],
    ["a type without key", [{ __typename: "MillFilter", code: "a" }]],
    ["a representation without the key", [{ __typename: "Mill", stones: 1 }]],
    ["an inherited member as key", [{ __typename: "Mill", constructor: "a" }]],
    ["a bad one after a good one", [{ __typename: "Mill", code: "a" }, { __typename: "Mill" }]],
  ])("is an error for %s", async (_name, representations) => {
    const { entities } = served;
    const { data, errors = [] } = await entities(representations, every);
    expect(data).toEqual({ _entities: [] });
    expect(errors.map(({ path }) => path)).toEqual([["_entities"]]);
  });

  it("answers ten thousand representations, of which every other one is missing", async () => {
    const { ask, entities } = served;
    const codes = Array.from({ length: 5_000 }, (_, i) => ({ code: `n${i}`, stones: i }));
    await ask("mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", { input: codes });
    const representations = Array.from({ length: 10_000 }, (_, i) => ({ __typename: "Mill", code: i % 2 === 0 ? `n${i / 2}` : `m${i}` }));
    const { data, errors } = await entities(representations, "... on Mill { stones }");
    expect(errors).toBeUndefined();
    const found: readonly ({ readonly stones: number } | null)[] = Reflect.get(Object(data), "_entities");
    expect(found).toHaveLength(10_000);
    expect(found.every((each, i) => (i % 2 === 0 ? each?.stones === i / 2 : each === null))).toBe(true);
  });
});

describe("_entities under rules", () => {
  const schema = `
    type Note @key(fields: "code") @auth(query: { rule: "query($USER: String!) { queryNote(filter: { owner: { eq: $USER } }) { code } }" }) {
      code: String! @id
      owner: String @search(by: [hash])
      text: String
    }
    type Vault @key(fields: "code") @auth(query: { rule: "{$ROLE: { eq: \\"boss\\" } }" }) { code: String! @id  text: String }
    type Open @key(fields: "code") { code: String! @id  note: Note }
    # Service.Authorization {"Header":"X-Token","Namespace":"https://app","VerificationKey":"a secret","Algo":"HS256"}
  `;

  it("is null for hidden entities, in their places, also beside open types", async () => {
    const { ask, entities } = await subgraph(schema);
    await ask(`mutation {
      addNote(input: [{ code: "n1", owner: "ada", text: "mine" }, { code: "n2", owner: "bob" }]) { numUids }
      addVault(input: [{ code: "v1" }]) { numUids }
      addOpen(input: [{ code: "o1" }]) { numUids }
    }`);
    const of = ["Note n2", "Open o1", "Vault v1", "Note n1"].map((each) => ({ __typename: each.split(" ")[0], code: each.split(" ")[1] }));
    const selection = "... on Note { code } ... on Open { code } ... on Vault { code }";
    expect((await entities(of, selection)).data).toEqual({ _entities: [null, { code: "o1" }, null, null] });
    const token = await tokenFor({ USER: "ada" });
    expect((await entities(of, selection, { "x-token": token })).data).toEqual({ _entities: [null, { code: "o1" }, null, { code: "n1" }] });
  });
});

async function tokenFor(claims: object): Promise<string> {
  const { SignJWT } = await import("jose");
  return new SignJWT({ "https://app": claims }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode("a secret"));
}

describe("_entities of federation 2", () => {
  const schema = `
    ${link("key")}
    type Flour @key(fields: "upc") @key(fields: "sku maker") @key(fields: "name company { code }") @key(fields: "id", resolvable: false) {
      id: ID!
      upc: String! @id
      sku: String!
      maker: String!
      name: String
      company: Company
      grams: Int
    }
    type Company { code: String! @id  place: String }
  `;
  const add = `mutation { addFlour(input: [
    { upc: "1", sku: "s", maker: "Mill", name: "rye", grams: 1, company: { code: "c" } }
    { upc: "2", sku: "s", maker: "Farm", name: "rye", grams: 2, company: { code: "d" } }
    { upc: "3", sku: "t", maker: "Mill", name: "rye", grams: 3, company: { code: "d" } }
  ]) { numUids } }`;

  it("takes any resolvable key: simple, compound, nested", async () => {
    const { ask, entities } = await subgraph(schema);
    await ask(add);
    const { data } = await entities(
      [
        { __typename: "Flour", sku: "s", maker: "Farm" },
        { __typename: "Flour", upc: "1" },
        { __typename: "Flour", sku: "t", maker: "Farm" },
        { __typename: "Flour", name: "rye", company: { code: "c", __typename: "Company" } },
        { __typename: "Flour", sku: "t", maker: "Mill" },
        { __typename: "Flour", sku: "t", maker: null },
      ],
      "... on Flour { grams }",
    );
    expect(data).toEqual({ _entities: [{ grams: 2 }, { grams: 1 }, null, { grams: 1 }, { grams: 3 }, null] });
  });

  it("is null with an error where a nested key names several", async () => {
    const { ask, entities } = await subgraph(schema);
    await ask(add);
    const { data, errors = [] } = await entities([{ __typename: "Flour", name: "rye", company: { code: "d" } }], "... on Flour { grams }");
    expect(data).toEqual({ _entities: [null] });
    expect(errors.map(({ path }) => path)).toEqual([["_entities", 0]]);
  });

  it("keeps compound keys unique", async () => {
    const { ask } = await subgraph(schema);
    await ask(add);
    const taken = await ask('mutation { addFlour(input: [{ upc: "9", sku: "s", maker: "Mill" }]) { numUids } }');
    expect(taken.errors).toHaveLength(1);
    const free = await ask('mutation { addFlour(input: [{ upc: "9", sku: "t", maker: "Farm" }]) { numUids } }');
    expect(free.data).toEqual({ addFlour: { numUids: 1 } });
  });

  it("refuses a key that it does not resolve", async () => {
    const { entities } = await subgraph(schema);
    const { errors = [] } = await entities([{ __typename: "Flour", id: "0x1" }], "... on Flour { grams }");
    expect(errors[0]?.message).toContain("`upc` or `sku maker` or `name company { code }`");
  });
});

describe("_entities and @requires", () => {
  /** `@joined` puts the texts of other fields together. */
  const joined: DirectivePlugin = {
    name: "joined",
    definitions: "directive @joined(of: [String!]!) on FIELD_DEFINITION",
    model(context) {
      const uses = context.uses("joined");
      if (uses.length === 0) return undefined;
      for (const { field } of uses) if (field) context.record.computed(field);
      return {
        api: () => ({
          computed: uses.flatMap(({ field, args }) => {
            const names = Array.isArray(args.of) ? args.of : [];
            const needs = names.flatMap((name) => {
              const needed = field?.owner.fields.get(String(name));
              return needed?.role === "value" ? [needed.stored] : [];
            });
            return field
              ? [{ field, needs, compute: (parents) => parents.map(({ values }) => values.map((each) => String(each ?? "-")).join("+")) }]
              : [];
          }),
        }),
      };
    },
  };

  it("gives computed fields the values of representations, each its own, and plain fields those that are stored", async () => {
    const { ask, entities } = await subgraph(
      `extend type Parcel @key(fields: "code") {
        code: String! @id @external
        grams: Int @external
        from: String @external
        label: String @requires(fields: "grams from") @joined(of: ["code", "grams", "from"])
        note: String
      }`,
      [...standardPlugins(), joined],
    );
    await ask('mutation { addParcel(input: [{ code: "p", note: "n" }, { code: "q" }]) { numUids } }');
    const { data } = await entities(
      [
        { __typename: "Parcel", code: "p", grams: 5, from: "Kent" },
        { __typename: "Parcel", code: "none", grams: 1 },
        { __typename: "Parcel", code: "p", grams: "6", from: null },
        { __typename: "Parcel", code: "q" },
      ],
      "... on Parcel { label grams note }",
    );
    expect(data).toEqual({
      _entities: [
        { label: "p+5+Kent", grams: null, note: "n" },
        null,
        { label: "p+6+-", grams: null, note: "n" },
        { label: "q+-+-", grams: null, note: null },
      ],
    });
  });
});
