// Errors that programs can act on: a code, whether to repeat, and the place of the fault. The same requests answer with Dgraph's texts where a
// server is configured for them.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ErrorStyle, errorCatalogue } from "../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const schema = `
  type Product @auth(query: {rule: "{$ROLE: {eq: \\"any\\"}}"}) { id: ID!  sku: String! @id }
  type Shelf { code: String! @id  name: String!  size: Int @range(min: 0, max: 9)  note: String @length(max: 3)  mail: String @format(type: EMAIL)
    made: DateTime  boxes: [Box] @hasInverse(field: shelf)  next: Shelf  room: Room }
  type Box @unique(fields: ["mark", "colour"]) { id: ID!  mark: String  colour: String  shelf: Shelf  height: Int @range(max: 5)  kept: [Keep] @onDelete(linked: RESTRICT) }
  type Room { name: String! @id  area: Int! }
  type Keep { id: ID!  name: String }
  type Crate @auth(add: {rule: "{$ROLE: {eq: \\"packer\\"}}"}) { id: ID!  label: String! @id }
  # Service.Authorization {"VerificationKey":"01234567890123456789012345678901","Header":"X-Token","Namespace":"https://x.example/claims","Algo":"HS256"}
`;

let at: TemporaryKernel;
beforeEach(async () => {
  at = await temporaryKernel();
  await at.kernel.deploy(schema);
});
afterEach(() => at.remove());

interface Shown {
  readonly message: string;
  readonly path?: readonly unknown[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

async function answer(query: string, asked: Asked = {}): Promise<{ readonly data?: unknown; readonly errors: readonly Shown[] }> {
  const { data, errors = [] } = JSON.parse((await at.kernel.execute({ query, ...asked })).body);
  return { data, errors };
}

/** What a program reads of the errors: code, place in the answer, place in the arguments. */
async function facts(query: string, asked?: Asked): Promise<readonly unknown[]> {
  const { errors } = await answer(query, asked);
  return errors.map(({ path, extensions: { code, input } = {} }) => [code, path, input]);
}

async function restyled(errors: ErrorStyle): Promise<void> {
  at = await at.restart({ errors });
}

describe("an error of a request that is refused as a whole", () => {
  it("is REQUEST_INVALID for a syntax error, an unknown field and an unknown operation", async () => {
    for (const query of ["{", "{ nothing }", "query A { __typename } query B { __typename }", ""]) {
      const { data, errors } = await answer(query);
      expect(data).toBeUndefined();
      expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: "REQUEST_INVALID", retryable: false }]);
    }
  });

  it("says for a variable whether a value is missing or wrong, and where", async () => {
    const query = "mutation ($shelves: [AddShelfInput!]!) { made: addShelf(input: $shelves) { numUids } }";
    const shelves = [
      { code: "a", name: "A" },
      { code: "b", size: 1.5, boxes: [{ mark: 1 }] },
    ];
    expect(await facts(query, { variables: { shelves } })).toEqual([
      ["VALUE_MISSING", ["made"], ["input", 1, "name"]],
      ["VALUE_INVALID", ["made"], ["input", 1, "size"]],
      ["VALUE_INVALID", ["made"], ["input", 1, "boxes", 0, "mark"]],
    ]);
    expect(await facts(query)).toEqual([["VALUE_MISSING", ["made"], ["input"]]]);
    expect(await facts(query, { variables: { shelves: null } })).toEqual([["VALUE_MISSING", ["made"], ["input"]]]);
    expect(await facts(query, { variables: { shelves: [null, { code: null, name: "A" }] } })).toEqual([
      ["VALUE_MISSING", ["made"], ["input", 0]],
      ["VALUE_MISSING", ["made"], ["input", 1, "code"]],
    ]);
  });

  it("takes a text of the caller for no place and for no missing value", async () => {
    const query = "mutation ($shelves: [AddShelfInput!]!) { made: addShelf(input: $shelves) { numUids } }";
    const size = 'at "input[7].name"; Field "name" of required type "String!" was not provided.';
    expect(await facts(query, { variables: { shelves: [{ code: "a", name: "A", size }] } })).toEqual([
      ["VALUE_INVALID", ["made"], ["input", 0, "size"]],
    ]);
  });

  it("finds a variable inside a literal", async () => {
    const query = "mutation ($name: String!) { updateShelf(input: { filter: {}, set: { room: { name: $name } } }) { numUids } }";
    expect(await facts(query, { variables: { name: 5 } })).toEqual([["VALUE_INVALID", ["updateShelf"], ["input", "set", "room", "name"]]]);
  });

  it("is LIMIT_REACHED beyond a limit", async () => {
    at = await at.restart({ limits: { maxDepth: 2 } });
    expect(await facts("{ queryShelf { boxes { shelf { code } } } }")).toEqual([["LIMIT_REACHED", undefined, undefined]]);
  });
});

describe("an error of an input", () => {
  it("is one for each value that breaks a rule, with its place and the rule", async () => {
    const { data, errors } = await answer(
      'mutation { addShelf(input: [{ code: "a", name: "A", size: -1, note: "long", boxes: [{ mark: "x", height: 9 }] }, { code: "b", name: "B", mail: "@" }]) { numUids } }',
    );
    expect(data).toEqual({ addShelf: null });
    expect(errors.map(({ path, extensions }) => ({ path, ...extensions }))).toEqual(
      expect.arrayContaining([
        { path: ["addShelf"], code: "OUT_OF_RANGE", retryable: false, input: ["input", 0, "size"], rule: { name: "range", min: 0, max: 9 } },
        { path: ["addShelf"], code: "OUT_OF_RANGE", retryable: false, input: ["input", 0, "note"], rule: { name: "length", max: 3 } },
        { path: ["addShelf"], code: "OUT_OF_RANGE", retryable: false, input: ["input", 0, "boxes", 0, "height"], rule: { name: "range", max: 5 } },
        { path: ["addShelf"], code: "BAD_FORMAT", retryable: false, input: ["input", 1, "mail"], rule: { name: "format", type: "EMAIL" } },
      ]),
    );
    expect(errors).toHaveLength(4);
  });

  it("has the place of a patch", async () => {
    await answer('mutation { addShelf(input: [{ code: "a", name: "A" }]) { numUids } }');
    expect(await facts('mutation { updateShelf(input: { filter: { code: { eq: "a" } }, set: { size: 10 } }) { numUids } }')).toEqual([
      ["OUT_OF_RANGE", ["updateShelf"], ["input", "set", "size"]],
    ]);
  });

  it("is KEY_TAKEN at the key that another object has, at any depth", async () => {
    await answer('mutation { addShelf(input: [{ code: "a", name: "A" }, { code: "b", name: "B" }]) { numUids } }');
    expect(await facts('mutation { addShelf(input: [{ code: "c", name: "C" }, { code: "a", name: "A" }]) { numUids } }')).toEqual([
      ["KEY_TAKEN", ["addShelf"], ["input", 1, "code"]],
    ]);
    expect(await facts('mutation { updateShelf(input: { filter: { code: { eq: "a" } }, set: { code: "b" } }) { numUids } }')).toEqual([
      ["KEY_TAKEN", ["updateShelf"], ["input", "set", "code"]],
    ]);
  });

  it("is VALUE_MISSING at a required field of a nested object, NOT_FOUND at an ID of nothing, VALUE_INVALID at a text that is none", async () => {
    expect(await facts('mutation { addShelf(input: [{ code: "a", name: "A", room: { name: "r" } }]) { numUids } }')).toEqual([
      ["VALUE_MISSING", ["addShelf"], ["input", 0, "room", "area"]],
    ]);
    expect(await facts('mutation { addShelf(input: [{ code: "a", name: "A", boxes: [{ id: "0xfff" }, { id: "no" }] }]) { numUids } }')).toEqual([
      ["VALUE_INVALID", ["addShelf"], ["input", 0, "boxes", 1, "id"]],
    ]);
    expect(await facts('mutation { addShelf(input: [{ code: "a", name: "A", boxes: [{ id: "0xfff" }] }]) { numUids } }')).toEqual([
      ["NOT_FOUND", ["addShelf"], ["input", 0, "boxes", 0, "id"]],
    ]);
  });

  it("is NOT_UNIQUE with the fields of the combination, RESTRICTED for a delete that the schema forbids", async () => {
    const add = 'mutation { addBox(input: [{ mark: "m", colour: "red" }]) { box { id } } }';
    await answer(add);
    const { errors } = await answer(add);
    expect(errors.map(({ extensions }) => extensions)).toEqual([
      { code: "NOT_UNIQUE", retryable: false, rule: { name: "unique", fields: ["colour", "mark"] } },
    ]);
    await answer('mutation { addBox(input: [{ mark: "kept", kept: [{ name: "k" }] }]) { numUids } }');
    expect(await facts("mutation { deleteBox(filter: {}) { numUids } }")).toEqual([["RESTRICTED", ["deleteBox"], undefined]]);
  });

  it("does not run the mutations after it, and says so with a code", async () => {
    const query = 'mutation { a: addShelf(input: [{ code: "a", name: "A", size: 99 }]) { numUids } b: deleteShelf(filter: {}) { numUids } }';
    expect((await facts(query)).map((each) => (Array.isArray(each) ? each.slice(0, 2) : each))).toEqual([
      ["OUT_OF_RANGE", ["a"]],
      ["NOT_EXECUTED", ["b"]],
    ]);
  });
});

describe("a mutation that access rules refuse", () => {
  const add = 'mutation { addCrate(input: [{ label: "x" }]) { numUids } }';

  it("says FORBIDDEN, and nothing about the reason", async () => {
    const { data, errors } = await answer(add);
    expect(data).toEqual({ addCrate: null });
    expect(errors).toEqual([
      { message: expect.stringContaining("access rules"), path: ["addCrate"], extensions: { code: "FORBIDDEN", retryable: false } },
    ]);
  });

  it("says the same for a key that a hidden object has", async () => {
    const taken = 'mutation { addProduct(input: [{ sku: "s" }]) { numUids } }';
    await answer(taken);
    const refused = await answer(add);
    const hidden = await answer(taken);
    expect(hidden.errors.map(({ message, extensions }) => ({ message, extensions }))).toEqual(
      refused.errors.map(({ message, extensions }) => ({ message, extensions })),
    );
  });

  it("says nothing where Dgraph says nothing", async () => {
    await restyled("compatible");
    expect(await answer(add)).toEqual({ data: { addCrate: null }, errors: [] });
  });

  it("is UNAUTHENTICATED with a token that is none", async () => {
    expect(await facts("{ queryProduct { sku } }", { headers: { "x-token": "no.token.at all" } })).toEqual([
      ["UNAUTHENTICATED", ["queryProduct"], undefined],
    ]);
  });
});

describe("the texts", () => {
  const faults = [
    'mutation { addShelf(input: [{ code: "a", name: "A", size: 99 }]) { numUids } }',
    'mutation { addShelf(input: [{ code: "", name: "A" }]) { numUids } }',
    'mutation { addShelf(input: [{ code: "a", name: "A", made: "soon" }]) { numUids } }',
    'mutation { addShelf(input: [{ code: "a", name: "A", room: { name: "r" } }]) { numUids } }',
    "{ queryShelf(order: { asc: size, then: { asc: size } }) { code } }",
    '{ getBox(id: "x") { mark } }',
  ];

  it("never name Dgraph, unless a server is configured for its texts", async () => {
    for (const query of faults) {
      const { errors } = await answer(query);
      expect(errors, query).not.toEqual([]);
      for (const { message, extensions } of errors) {
        expect(message).not.toMatch(/Dgraph|couldn't rewrite|GraphQL debug/);
        expect(Object.keys(errorCatalogue)).toContain(extensions?.code);
      }
    }
    await restyled("compatible");
    for (const query of faults) {
      const { errors } = await answer(query);
      expect(errors, query).toHaveLength(1);
      expect(errors[0]?.message, query).toMatch(/Dgraph execution failed|couldn't rewrite/);
      expect(errors[0]?.extensions, query).toBeUndefined();
    }
  });

  it("are the same for a query that another one runs in process", async () => {
    const failing = at.kernel.live({ query: "subscription { nothing }" });
    await expect(failing[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      details: { errors: [{ extensions: { code: "REQUEST_INVALID", retryable: false } }] },
    });
  });
});
