// `@cascade(fields: $names)`: a name that the type lacks is refused, wherever the variable stands.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel;

beforeAll(async () => {
  stack = await compatibleKernel();
  await stack.kernel.deploy("type Mill { id: ID!  name: String  stones: [Stone] }  type Stone { id: ID!  mass: Int }");
  await ask(`mutation { addMill(input: [{ name: "Kent" }, {}]) { numUids } }`);
});

afterAll(() => stack.remove());

async function ask(query: string, variables: Record<string, unknown> = {}) {
  return JSON.parse((await stack.kernel.execute({ query, variables })).body) as { data?: unknown; errors?: unknown };
}

const unknown = (variable: string, name: string, type: string, column: number) => ({
  message: `input: variables.${variable}.${name} Field \`${name}\` is not present in type \`${type}\`. You can only use fields in cascade which are in type \`${type}\``,
  locations: [{ line: 1, column }],
});

describe("names for @cascade in a variable", () => {
  const query = "query ($f: [String]) { queryMill @cascade(fields: $f) { id name } }";

  it("require the fields that they name", async () => {
    expect(await ask(query, { f: ["name"] })).toMatchObject({ data: { queryMill: [{ name: "Kent" }] } });
    expect(await ask(query, { f: "id" })).toMatchObject({ data: { queryMill: [{ name: "Kent" }, { name: null }] } });
  });

  it("are refused, each with an error, where the type has no such field; every request is checked", async () => {
    expect(await ask(query, { f: ["nam", "name", "constructor"] })).toEqual({
      errors: [unknown("f", "nam", "Mill", 34), unknown("f", "constructor", "Mill", 34)],
    });
    expect(await ask(query, { f: ["name"] })).toMatchObject({ data: { queryMill: [{ name: "Kent" }] } });
  });

  it("mean every selected field when null, absent or an empty list", async () => {
    const kent = { data: { queryMill: [{ name: "Kent" }] } };
    expect([await ask(query), await ask(query, { f: null }), await ask(query, { f: [] }), await ask(query, { f: [null] })]).toMatchObject([
      kent,
      kent,
      kent,
      kent,
    ]);
  });

  it("are checked in lists, on nested fields and in fragments, against the type of that field", async () => {
    const nested = "query ($a: String) { queryMill { ...mill } } fragment mill on Mill { stones @cascade(fields: [$a]) { mass } }";
    expect(await ask(nested, { a: "name" })).toEqual({ errors: [unknown("a", "name", "Stone", 77)] });
    expect(await ask(nested, { a: "mass" })).toMatchObject({ data: {} });
  });

  it("take the variable's default", async () => {
    expect(await ask(`query ($f: [String] = ["nam"]) { queryMill @cascade(fields: $f) { id } }`)).toEqual({
      errors: [unknown("f", "nam", "Mill", 44)],
    });
  });

  it("refuse a mutation before it runs when they are wrong", async () => {
    const add = 'mutation ($f: [String]) { addMill(input: [{ name: "Ely" }]) @cascade(fields: $f) { numUids } }';
    expect(await ask(add, { f: ["name"] })).toEqual({ errors: [unknown("f", "name", "AddMillPayload", 61)] });
    expect(await ask("{ aggregateMill { count } }")).toMatchObject({ data: { aggregateMill: { count: 2 } } });
  });
});
