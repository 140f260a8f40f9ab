// Plugins of @envelop/core see every stage of a request, and answers are the same with and without one.

import type { Plugin } from "@envelop/core";
import { GraphQLError, type ValidationRule } from "graphql";
import { expect, it } from "vitest";
import { compatibleKernel } from "../support/kernel.ts";

const requests = [
  { query: 'mutation { addMill(input: [{ name: "Kent", grains: 9007199254740993 }]) { numUids mill { name grains } } }' },
  { query: "{ queryMill { name grains } __typename }" },
  { query: "query ($n: String!) { getMill(name: $n) { name } }", variables: { n: "Kent" } },
  { query: "query ($n: String!) { getMill(name: $n) { name } }", variables: { n: 1 } },
  { query: "{ queryMill { nme } }" },
  { query: "{ queryMill" },
  { query: "" },
];

async function answers(envelop: readonly Plugin[]): Promise<readonly string[]> {
  const { kernel, remove } = await compatibleKernel({ envelop });
  try {
    await kernel.deploy("type Mill { name: String! @id  grains: Int64 }");
    const bodies: string[] = [];
    for (const request of requests) bodies.push((await kernel.execute(request)).body.replace(/"requestID":"[^"]+"/, '"requestID":""'));
    return bodies;
  } finally {
    await remove();
  }
}

it("answers the same when a plugin only observes", async () => {
  const seen: unknown[] = [];
  const looks: Plugin = { onExecute: () => ({ onExecuteDone: ({ result }) => void seen.push("data" in result ? result.data : undefined) }) };
  expect(await answers([looks])).toEqual(await answers([]));
  expect(seen).toEqual([
    { addMill: { numUids: 1, mill: [{ name: "Kent", grains: 9007199254740993n }] } },
    { queryMill: [{ name: "Kent", grains: 9007199254740993n }], __typename: "Query" },
    { getMill: { name: "Kent" } },
  ]);
});

it("writes a result that a plugin replaced", async () => {
  const replaces: Plugin = { onExecute: () => ({ onExecuteDone: ({ setResult }) => setResult({ data: { replaced: 9007199254740993n } }) }) };
  const [, second] = await answers([replaces]);
  expect(second).toMatch(/^\{"data":\{"replaced":9007199254740993\}/);
});

it("refuses a document that breaks a plugin's validation rule", async () => {
  const noMutations: ValidationRule = (context) => ({
    OperationDefinition: (node) => {
      if (node.operation === "mutation") context.reportError(new GraphQLError("Not today."));
    },
  });
  const adds: Plugin = { onValidate: ({ addValidationRule }) => addValidationRule(noMutations) };
  const [first, second] = await answers([adds]);
  expect(first).toBe('{"errors":[{"message":"Not today."}]}');
  expect(second).toBe('{"data":{"queryMill":[],"__typename":"Query"}}');
});
