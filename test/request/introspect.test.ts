// Introspection: the answers of graphql's own executor, in turns of the event loop and within the limits of any other answer.

import { execute, getIntrospectionQuery, parse } from "graphql";
import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { type Limits, parseJson } from "../../core/index.ts";
import { prepareDeployment } from "../../core/prepare-deployment.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

const schema = `
  """ What "has" a name. """
  interface Named { name: String! @id }
  "Grinds.\\n\\tFinely: ü, 😀, \\u2028."
  type Mill implements Named { power: Int @search @deprecated(reason: "use force")  force: Float  kind: Kind  next: Mill }
  type Barn implements Named { mills: [Mill] }
  union Building = Mill | Barn
  type Yard { id: ID!  buildings: [Building] }
  enum Kind { WIND WATER @deprecated }
`;

async function kernelWith(limits: Partial<Limits> = {}) {
  stack = await compatibleKernel({ limits });
  await stack.kernel.deploy(schema);
  const { kernel } = stack;
  return async (query: string, variables: Readonly<Record<string, unknown>> = {}) =>
    Object(parseJson((await kernel.execute({ query, variables })).body));
}

describe("introspection", () => {
  const everything = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
  });
  it.each<[string, string, Record<string, unknown>?]>([
    ["everything", everything],
    ["everything that is not deprecated", getIntrospectionQuery()],
    [
      "a type",
      '{ __type(name: "Mill") { name fields { name } all: fields(includeDeprecated: true) { name deprecationReason } interfaces { name } } }',
    ],
    ["a type that is not there", '{ __type(name: "Mil") { name } __typename }'],
    [
      "types by variables",
      'query ($name: String! = "Kind", $old: Boolean) { __type(name: $name) { enumValues(includeDeprecated: $old) { name } } }',
      { old: true },
    ],
    [
      "the types of a union and of an interface",
      '{ u: __type(name: "Building") { possibleTypes { name } } i: __type(name: "Named") { possibleTypes { name } } }',
    ],
    [
      "through fragments, twice, with conditions",
      "query ($on: Boolean!) { ...A ...A @include(if: $on) __schema { queryType { ...T } types @skip(if: $on) { name } } } fragment A on Query { __schema { queryType { name } mutationType { ...T } } } fragment T on __Type { __typename kind fields { name @skip(if: $on) type { ofType { name } } } }",
      { on: true },
    ],
    ["nothing but the root's type", "{ __typename again: __typename }"],
  ])("gives %s as graphql's executor does", async (_, query, variables = {}) => {
    const ask = await kernelWith();
    const { api } = prepareDeployment(schema, standardPlugins());
    const expected = await execute({ schema: api.schema, document: parse(query), variableValues: variables });
    expect(await ask(query, variables)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it("stands beside data in the order of the document", async () => {
    const ask = await kernelWith();
    const { data } = await ask('{ z: __typename queryMill { name } a: __type(name: "Kind") { name } }');
    expect(Object.entries(data)).toEqual([
      ["z", "Query"],
      ["queryMill", []],
      ["a", { name: "Kind" }],
    ]);
  });

  const often = (times: number) =>
    Array.from({ length: times }, (_, i) => `s${i}: __schema { types { name fields { name args { name type { name kind } } } } }`).join(" ");

  it("is refused as any answer that is too long", async () => {
    const ask = await kernelWith({ maxAnswerBytes: 200_000 });
    expect((await ask(`{ ${often(1)} }`)).errors).toBeUndefined();
    expect(await ask(`{ queryMill { name } ${often(100)} }`)).toEqual({
      data: null,
      errors: [{ message: expect.stringContaining("limits.maxAnswerBytes") }],
    });
  });

  it("does not hide what a mutation has done whose answer is too long", async () => {
    const ask = await kernelWith({ maxAnswerBytes: 2_000 });
    const { data } = await ask(`mutation { addMill(input: [{ name: "${"a".repeat(3_000)}" }]) { numUids mill { name } } __typename }`);
    expect(data).toEqual({ addMill: { numUids: 1, mill: null }, __typename: "Mutation" });
    expect((await ask("{ aggregateMill { count } }")).data).toEqual({ aggregateMill: { count: 1 } });
  });

  it("lets others run meanwhile", async () => {
    const ask = await kernelWith();
    let turns = 0;
    let isAnswered = false;
    const count = () => {
      turns++;
      if (!isAnswered) setImmediate(count);
    };
    setImmediate(count);
    const { data } = await ask(`{ ${often(200)} }`);
    isAnswered = true;
    expect(Object.keys(data)).toHaveLength(200);
    expect(turns).toBeGreaterThan(10);
  });
});
