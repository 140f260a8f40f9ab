// The fast reader and the `graphql` package, side by side.

import { buildSchema, coerceInputValue, type GraphQLInputType, isInputType } from "graphql";
import { describe, expect, it } from "vitest";
import { inputReader } from "../../core/request/variables/input-reader.ts";
import fc from "../support/properties.ts";

const schema = buildSchema(`
  enum Soil { LOAM CLAY }
  input Tree { name: String!  height: Float  soil: Soil = LOAM  tags: [String!]  planted: [[Int]]  next: Tree  ids: [ID!]! = ["a"] }
  type Query { none: Boolean }
`);

function typeNamed(name: string): GraphQLInputType {
  const type = schema.getType(name);
  if (!isInputType(type)) throw new Error(`${name} is no input type`);
  return type;
}

/** What the package makes of a value; undefined when it finds a mistake. */
function oracle(type: GraphQLInputType, value: unknown): { readonly value: unknown } | undefined {
  const mistakes: unknown[] = [];
  // Version 16 calls back for a mistake; version 17 returns undefined.
  const coerced = coerceInputValue(value, type, () => mistakes.push(0));
  return mistakes.length > 0 || coerced === undefined ? undefined : { value: coerced };
}

function fast(type: GraphQLInputType, value: unknown): { readonly value: unknown } | undefined {
  try {
    return { value: inputReader(type)(value) };
  } catch {
    return undefined;
  }
}

describe("the input reader", () => {
  const tree = typeNamed("Tree");

  it.each([
    [{ name: "a" }],
    [{ name: "a", height: null, tags: "one", planted: 3, next: { name: "b", soil: "CLAY" } }],
    [{ name: null }],
    [{}],
    [{ name: "a", unknown: 1 }],
    [{ name: "a", soil: "clay" }],
    [{ name: "a", tags: ["x", null] }],
    [{ name: "a", ids: null }],
    [{ name: "a", ids: [] }],
    [{ name: "a", next: null }],
    [{ name: "a", height: "3" }],
    [{ name: "a", next: [] }],
    ["a"],
    [null],
    [[{ name: "a" }]],
  ])("reads %j as the package does", (value) => {
    expect(fast(tree, value)).toEqual(oracle(tree, value));
  });

  it("returns members in the order of the type", () => {
    expect(JSON.stringify(fast(tree, { tags: ["x"], name: "a" }))).toBe(JSON.stringify(oracle(tree, { tags: ["x"], name: "a" })));
  });

  it("agrees with graphql's coercion on any JSON value", () => {
    const value = fc.letrec((tie) => ({
      tree: fc.record(
        {
          name: fc.oneof(fc.string(), fc.constantFrom(null, 1)),
          height: fc.oneof(fc.double(), fc.constant(null), fc.string()),
          soil: fc.constantFrom("LOAM", "CLAY", "loam", null, 0),
          tags: fc.oneof(fc.array(fc.oneof(fc.string(), fc.constant(null))), fc.string(), fc.constant(null)),
          planted: fc.oneof(fc.array(fc.array(fc.integer())), fc.integer(), fc.array(fc.integer())),
          next: fc.oneof({ maxDepth: 3 }, fc.constant(null), tie("tree")),
          ids: fc.oneof(fc.array(fc.oneof(fc.string(), fc.integer())), fc.constant(null)),
          other: fc.constant(1),
        },
        { requiredKeys: ["name"] },
      ),
    })).tree;
    fc.assert(
      fc.property(value, (given) => {
        expect(fast(tree, given)).toEqual(oracle(tree, given));
      }),
      { numRuns: 500 },
    );
  });
});
