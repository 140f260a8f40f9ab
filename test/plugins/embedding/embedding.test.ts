import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kernel } from "../../../core/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";
import { line, token } from "../auth/token.ts";

const schema = `
  type Shade @withSubscription {
    code: String! @id
    name: String @search(by: [term])
    price: Int @search
    colour: [Float!] @embedding @search(by: ["hnsw"])
    mood: [Float!] @embedding @search(by: ["hnsw(metric: cosine)"])
    glow: [Float!] @embedding @search(by: ["hnsw(metric: dotproduct)"])
    plain: [Float!] @embedding
  }
  interface Item { sku: String! @id  shape: [Float!] @embedding @search(by: ["hnsw"]) }
  type Lamp implements Item { watt: Int }
  type Chair implements Item { legs: Int }
  type Note @auth(query: { rule: "query($ME: String!) { queryNote(filter: {owner: {eq: $ME}}) { code } }" }) {
    code: String! @id  owner: String @search(by: [hash])  topic: [Float!] @embedding @search(by: ["hnsw"])
  }
  type Pear { id: ID!  code: String! @id  skin: [Float!] @embedding @search(by: ["hnsw"]) }
  ${line}
`;

let stack: TemporaryKernel;
let kernel: Kernel;

async function ask(
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { body } = await kernel.execute({ query, variables, headers });
  const answer: { readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] } = JSON.parse(body);
  return answer.errors ? answer.errors.map(({ message }) => message) : answer.data;
}

const as = (name: string) => ({ "x-harbour": token({ ME: name }) });

beforeAll(async () => {
  stack = await compatibleKernel();
  kernel = stack.kernel;
  await kernel.deploy(schema);
  await ask(`mutation {
    addShade(input: [
      {code: "red", name: "warm red", price: 1, colour: [1, 0, 0], mood: [1, 0], glow: [2, 0], plain: [1, 0]}
      {code: "pink", name: "soft red", price: 2, colour: [1, 0.5, 0.5], mood: [0, 2], glow: [1, 1], plain: [0, 1]}
      {code: "blue", name: "cold blue", price: 3, colour: [0, 0, 1], mood: [-1, 0], glow: [-1, 0]}
      {code: "none", name: "no red"}
    ]) { numUids }
    addLamp(input: [{sku: "L1", watt: 5, shape: [1, 0]}, {sku: "L2", watt: 7, shape: [2, 0]}]) { numUids }
    addChair(input: [{sku: "C1", legs: 4, shape: [1.5, 0]}]) { numUids }
    addNote(input: [{code: "n1", owner: "ann", topic: [1, 0]}, {code: "n2", owner: "bob", topic: [2, 0]}, {code: "n3", owner: "ann", topic: [3, 0]}]) { numUids }
  }`);
});

afterAll(() => stack.remove());

describe("a vector", () => {
  const shade = (code: string, plain: string) =>
    ask(`mutation { addShade(input: [{code: "${code}", plain: ${plain}}], upsert: true) { shade { plain } } }`);
  const stored = (plain: readonly number[]) => ({ addShade: { shade: [{ plain }] } });

  it("keeps order and repeats, and reads as the shortest decimals of 32-bit floats", async () => {
    expect(await shade("v", "[3, 1, 1, 2]")).toEqual(stored([3, 1, 1, 2]));
    expect(await shade("v", "[0.1, 1e-10, 16777217, 123456789, -0.0045]")).toEqual(stored([0.1, 1e-10, 16777216, 123456790, -0.0045]));
  });

  it("takes a single number as a vector of one element", async () => {
    expect(await shade("v", "7")).toEqual(stored([7]));
  });

  it("is refused when it is empty, or an element is beyond 32-bit floats", async () => {
    expect(await shade("v", "[]")).toEqual([expect.stringContaining("a vector has at least one element")]);
    expect(await shade("v", "[1, 1e39]")).toEqual([expect.stringContaining("beyond the range of 32-bit floats")]);
    expect(await ask(`{ getShade(code: "v") { plain } }`)).toEqual({ getShade: { plain: [7] } });
  });

  it("is replaced as a whole by set, and removed by null or an equal vector", async () => {
    const update = (patch: string) => ask(`mutation { updateShade(input: {filter: {code: {eq: "v"}}, ${patch}}) { shade { plain } } }`);
    const left = (plain: readonly number[]) => ({ updateShade: { shade: [{ plain }] } });
    expect(await update("set: {plain: [1, 2]}")).toEqual(left([1, 2]));
    expect(await update("set: {plain: null}")).toEqual(left([1, 2]));
    expect(await update("remove: {plain: [2, 1]}")).toEqual(left([1, 2]));
    expect(await update("remove: {plain: [1, 2]}")).toEqual(left([]));
    expect(await update("set: {plain: [1, 2]}, remove: {plain: null}")).toEqual(left([]));
    await ask(`mutation { deleteShade(filter: {code: {eq: "v"}}) { numUids } }`);
  });

  it("has the length of the others of its index", async () => {
    const add = (colour: string) => ask(`mutation { addShade(input: [{code: "w", colour: ${colour}}, {code: "x", colour: [1, 1, 1]}]) { numUids } }`);
    expect(await add("[1, 2]")).toEqual([expect.stringContaining("euclidean distance on vectors of different lengths")]);
    expect(await add("[1, 2, 3, 4]")).toEqual([expect.stringContaining("vectors of different lengths")]);
    expect(await ask(`{ aggregateShade { count } }`)).toEqual({ aggregateShade: { count: 4 } });
  });

  it("may have another length once all others are gone", async () => {
    const add = (code: string, vector: string) => ask(`mutation { addLamp(input: [{sku: "${code}", shape: ${vector}}]) { numUids } }`);
    await stack.kernel.deploy(`${schema} type Solo { code: String! @id  v: [Float!] @embedding @search(by: ["hnsw"]) }`);
    const solo = (code: string, v: string) => ask(`mutation { addSolo(input: [{code: "${code}", v: ${v}}]) { numUids } }`);
    expect(await solo("a", "[1, 2]")).toEqual({ addSolo: { numUids: 1 } });
    expect(await solo("b", "[1, 2, 3]")).toEqual([expect.stringContaining("different lengths")]);
    await ask(`mutation { deleteSolo(filter: {}) { numUids } }`);
    expect(await solo("b", "[1, 2, 3]")).toEqual({ addSolo: { numUids: 1 } });
    expect(await ask(`{ querySimilarSoloByEmbedding(by: v, topK: 3, vector: [1, 2, 3]) { code } }`)).toEqual({
      querySimilarSoloByEmbedding: [{ code: "b" }],
    });
    expect(await add("L9", "[1]")).toEqual([expect.stringContaining("different lengths")]);
    await stack.kernel.deploy(schema);
  });
});

describe("querySimilar<T>ByEmbedding", () => {
  const similar = (by: string, vector: string, more = "") =>
    ask(`{ querySimilarShadeByEmbedding(by: ${by}, vector: ${vector}, topK: 3 ${more}) { code vector_distance } }`);
  const found = (...rows: readonly (readonly [string, number])[]) => ({
    querySimilarShadeByEmbedding: rows.map(([code, vector_distance]) => ({ code, vector_distance })),
  });

  it("returns the nearest by each metric, nearest first", async () => {
    expect(await similar("colour", "[1, 0, 0]")).toEqual(found(["red", 0], ["pink", Math.SQRT1_2], ["blue", Math.SQRT2]));
    expect(await similar("mood", "[5, 0]")).toEqual(found(["red", 0], ["pink", 1], ["blue", 2]));
    expect(await similar("glow", "[1, 0]")).toEqual(found(["red", -1], ["pink", 0], ["blue", 2]));
  });

  it("filters after the cut", async () => {
    expect(await ask(`{ querySimilarShadeByEmbedding(by: colour, vector: [1, 0, 0], topK: 1, filter: {code: {eq: "pink"}}) { code } }`)).toEqual({
      querySimilarShadeByEmbedding: [],
    });
  });

  it("drops what is farther than the threshold, which dot products ignore", async () => {
    expect(await similar("colour", "[1, 0, 0]", "distance_threshold: 0.8")).toEqual(found(["red", 0], ["pink", Math.SQRT1_2]));
    expect(await similar("colour", "[1, 0, 0]", "distance_threshold: 0")).toEqual(found(["red", 0]));
    expect(await similar("glow", "[1, 0]", "distance_threshold: 0")).toEqual(found(["red", -1], ["pink", 0], ["blue", 2]));
  });

  it("finds nothing by cosine for a vector of zeros", async () => {
    expect(await similar("mood", "[0, 0]")).toEqual(found());
  });

  it.each([
    ["colour", "[1, 0]", "", "can not compute euclidean distance on vectors of different lengths"],
    ["mood", "[1, 0, 0]", "", "can not compute cosine distance on vectors of different lengths"],
    ["glow", "[1]", "", "can not compute dot product on vectors of different lengths"],
    ["colour", "[]", "", "the vector to search for is empty"],
    ["colour", "[1e300, 0, 0]", "", "beyond the range of 32-bit floats"],
    ["plain", "[1, 0]", "", "Shade.plain is not indexed"],
    ["colour", "[1, 0, 0]", "ef: 0", "'ef' must be positive"],
    ["colour", "[1, 0, 0]", "distance_threshold: -1", "'distance_threshold' must be non-negative"],
  ])("refuses %s %s %s", async (by, vector, more, message) => {
    expect(await similar(by, vector, more)).toEqual([expect.stringContaining(message)]);
  });

  it.each([0, -1, -2_147_483_648])("returns nothing for topK %i", async (topK) => {
    expect(await ask(`{ querySimilarShadeByEmbedding(by: colour, vector: [1, 0, 0], topK: ${topK}) { code } }`)).toEqual({
      querySimilarShadeByEmbedding: [],
    });
  });

  it("returns all for a topK beyond their number", async () => {
    expect(await ask(`{ querySimilarShadeByEmbedding(by: colour, vector: [0, 0, 1], topK: 1000000) { code } }`)).toEqual({
      querySimilarShadeByEmbedding: [{ code: "blue" }, { code: "pink" }, { code: "red" }],
    });
  });

  it("finds nodes of all types of an interface, and of one type only its own", async () => {
    expect(await ask(`{ querySimilarItemByEmbedding(by: shape, vector: [2, 0], topK: 2) { sku vector_distance ... on Chair { legs } } }`)).toEqual({
      querySimilarItemByEmbedding: [
        { sku: "L2", vector_distance: 0 },
        { sku: "C1", vector_distance: 0.5, legs: 4 },
      ],
    });
    expect(await ask(`{ querySimilarLampById(by: shape, sku: "L1", topK: 3) { sku vector_distance } }`)).toEqual({
      querySimilarLampById: [
        { sku: "L1", vector_distance: 0 },
        { sku: "L2", vector_distance: 1 },
      ],
    });
  });
});

describe("querySimilar<T>ById", () => {
  const similar = (key: string) => ask(`{ querySimilarShadeById(by: colour, topK: 2, ${key}) { code vector_distance } }`);

  it("finds what is near a stored vector, itself included", async () => {
    expect(await similar(`code: "pink"`)).toEqual({
      querySimilarShadeById: [
        { code: "pink", vector_distance: 0 },
        { code: "red", vector_distance: Math.SQRT1_2 },
      ],
    });
  });

  it("finds nothing for an unknown object and for one without a vector", async () => {
    expect(await similar(`code: "green"`)).toEqual({ querySimilarShadeById: [] });
    expect(await similar(`code: "none"`)).toEqual({ querySimilarShadeById: [] });
  });

  it("refuses a key that is null", async () => {
    const query = "query ($code: String, $id: ID) { near: querySimilarPearById(by: skin, topK: 2, code: $code, id: $id) { code } }";
    const { body } = await kernel.execute({ query, variables: { code: null, id: "0x1" } });
    expect(JSON.parse(body)).toEqual({
      data: { near: [] },
      errors: [
        {
          message: "couldn't rewrite query near because Argument (code) of querySimilarPearById was not able to be parsed as a string",
          locations: [{ line: 1, column: 34 }],
          path: ["near"],
        },
      ],
    });
  });

  it("does not search by the vector of an object that the caller may not see", async () => {
    const near = (code: string, who: string) => ask(`{ querySimilarNoteById(by: topic, topK: 3, code: "${code}") { code } }`, {}, as(who));
    expect(await near("n2", "ann")).toEqual({ querySimilarNoteById: [] });
    expect(await near("n2", "bob")).toEqual({ querySimilarNoteById: [{ code: "n2" }] });
  });
});

describe("query<T>(near:)", () => {
  const near = (args: string, more = "", selection = "code vector_distance") => ask(`{ queryShade(near: {${args}} ${more}) { ${selection} } }`);
  const codes = (...list: readonly string[]) => ({ queryShade: list.map((code) => ({ code })) });
  const red = "by: colour, vector: [1, 0, 0]";

  it("returns the nearest first, with their distances", async () => {
    expect(await near(`${red}, topK: 2`)).toEqual({
      queryShade: [
        { code: "red", vector_distance: 0 },
        { code: "pink", vector_distance: Math.SQRT1_2 },
      ],
    });
  });

  it("filters before the cut", async () => {
    expect(await near(`${red}, topK: 1`, `filter: {price: {ge: 2}}`, "code")).toEqual(codes("pink"));
    expect(await near(`${red}, topK: 2`, `filter: {not: {code: {eq: "red"}}}`, "code")).toEqual(codes("pink", "blue"));
    expect(await near(`${red}, topK: 2`, `filter: {code: {eq: "none"}}`, "code")).toEqual(codes());
  });

  it("counts only what the caller may see", async () => {
    const notes = (who: string) => ask(`{ queryNote(near: {by: topic, vector: [1, 0], topK: 1}) { code } }`, {}, as(who));
    expect(await notes("ann")).toEqual({ queryNote: [{ code: "n1" }] });
    expect(await notes("bob")).toEqual({ queryNote: [{ code: "n2" }] });
    expect(await notes("eve")).toEqual({ queryNote: [] });
  });

  it("orders the nearest as asked, and pages last", async () => {
    expect(await near(`${red}, topK: 2`, "order: {asc: code}", "code")).toEqual(codes("pink", "red"));
    expect(await near(`${red}, topK: 3`, "first: 1, offset: 1", "code")).toEqual(codes("pink"));
    expect(await near(`${red}, topK: 3`, "order: {desc: price}, first: 2", "code")).toEqual(codes("blue", "pink"));
    expect(await near(`${red}, topK: 3`, "first: -1")).toEqual([expect.stringContaining("negative first")]);
  });

  it("searches embeddings without an index too", async () => {
    expect(await near("by: plain, vector: [0, 3], topK: 1", "", "code vector_distance")).toEqual({
      queryShade: [{ code: "pink", vector_distance: 2 }],
    });
  });

  it.each([
    [`${red}, topK: 0`, []],
    [`${red}, topK: -3`, []],
  ])("returns nothing for %s", async (args, rows) => expect(await near(args)).toEqual({ queryShade: rows }));

  it.each([
    ["by: colour, vector: [1, 0], topK: 1", "different lengths"],
    ["by: colour, vector: [], topK: 1", "empty"],
    [`${red}, topK: 1, ef: -1`, "'ef' must be positive"],
    [`${red}, topK: 1, distance_threshold: -0.5`, "non-negative"],
  ])("refuses %s", async (args, message) => expect(await near(args)).toEqual([expect.stringContaining(message)]));

  it("takes variables", async () => {
    const query = "query ($near: ShadeNear) { queryShade(near: $near, first: 1) { code } }";
    expect(await ask(query, { near: { by: "colour", vector: [0, 0, 1], topK: 5 } })).toEqual(codes("blue"));
    expect(await ask(query, { near: null })).toEqual(codes("red"));
  });
});

describe("vector_distance", () => {
  it("is null in other queries and below the nearest", async () => {
    expect(await ask(`{ getShade(code: "red") { vector_distance } }`)).toEqual({ getShade: { vector_distance: null } });
  });

  it("has its value under every alias", async () => {
    expect(await ask(`{ queryShade(near: {by: colour, vector: [1, 0, 0], topK: 1}) { a: vector_distance b: vector_distance } }`)).toEqual({
      queryShade: [{ a: 0, b: 0 }],
    });
  });

  it("is never stored: no object has it", async () => {
    expect(await ask(`{ queryShade(filter: {has: [vector_distance]}) { code } }`)).toEqual({ queryShade: [] });
  });
});

describe("a deploy", () => {
  const deploy = async (by: string) => {
    try {
      await kernel.deploy(`type T { code: String! @id  v: [Float!] @embedding @search${by} }`);
      return "deployed";
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };

  it.each([
    [`(by: ["hnsw(metric: manhattan)"])`, "Can't create a vector index for manhattan"],
    [`(by: ["hnsw(metric: Cosine)"])`, 'did you mean "cosine"'],
    [`(by: ["hnsw(colour: red)"])`, "option colour is not allowed!"],
    [`(by: ["hnsw(exponent: big)"])`, "exponent must be a whole number"],
    [`(by: ["hnsw(quantize: int4)"])`, "quantize can only be int8"],
    ["", "the index float does not fit"],
    [`(by: [float])`, "the index float does not fit"],
  ])("is refused for @search%s", async (by, message) => expect(await deploy(by)).toContain(message));
});
