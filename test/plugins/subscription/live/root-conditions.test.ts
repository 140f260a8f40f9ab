// A subscription's root field must not depend on a condition. It is refused before it runs, by every way in, and nothing of it is a fault.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEntry } from "../../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { type Ways, waysInto } from "../../../support/ways-in.ts";

let stack: TemporaryKernel;
let into: Ways;
const faults: LogEntry[] = [];

beforeAll(async () => {
  stack = await temporaryKernel({ log: { level: "error", to: { write: (entry) => void faults.push(entry) } } });
  await stack.kernel.deploy("type A @withSubscription { k: String! @id  n: Int }");
  await stack.kernel.execute({ query: 'mutation { addA(input: [{k: "a", n: 1}]) { numUids } }' });
  into = await waysInto(stack.kernel);
});
afterAll(async () => {
  await into?.close();
  await stack?.remove();
});

/** Ways that end with the first answer of a subscription. */
const lives = /^(kernel\.live|graphql-)/;

const refused = (subject: string) => `${subject} must not use \`@skip\` or \`@include\` directives in the top level selection.`;
const anonymous = refused("Anonymous Subscription");
const variable = (type: string, position: string) => `Variable "$x" of type "${type}" used in position expecting type "${position}".`;

const cases: readonly (readonly [string, readonly string[], object?])[] = [
  ["subscription ($x: Boolean!) { queryA @skip(if: $x) { k } }", [anonymous], { x: false }],
  ["subscription ($x: Boolean!) { queryA @skip(if: $x) { k } }", [anonymous]],
  ["subscription S ($x: Boolean! = false) { queryA @skip(if: $x) { k } }", [refused('Subscription "S"')]],
  ["subscription ($x: Boolean) { queryA @include(if: $x) { k } }", [anonymous, variable("Boolean", "Boolean!")], { x: null }],
  ["subscription { queryA @skip(if: $x) { k } }", [anonymous, 'Variable "$x" is not defined.']],
  ["subscription { queryA @include(if: true) { k } }", [anonymous]],
  ["subscription { queryA @include(if: 5) { k } }", ["Boolean cannot represent a non boolean value: 5", anonymous]],
  ["subscription { queryA @skip { k } }", ['Directive "@skip" argument "if" of type "Boolean!" is required, but it was not provided.', anonymous]],
  ["subscription ($x: Boolean!) { ... @include(if: $x) { queryA { k } } }", [anonymous], { x: true }],
  ["subscription ($x: Boolean!) { ...F @include(if: $x) } fragment F on Subscription { queryA { k } }", [anonymous], { x: true }],
  ["subscription ($x: Boolean!) { ...F } fragment F on Subscription { queryA @skip(if: $x) { k } }", [anonymous], { x: true }],
  [
    "subscription { ...F ...F } fragment F on Subscription { ... on Subscription { queryA @skip(if: [1]) { k } } }",
    [anonymous, "Boolean cannot represent a non boolean value: [1]"],
  ],
  ["subscription { a: queryA { k } b: queryA { k } }", ["Anonymous Subscription must select only one top level field."]],
  ["subscription { __typename }", ["Anonymous Subscription must not select an introspection top level field."]],
];

describe.each(cases.map(([query, messages, variables = {}]) => [query, messages, variables] as const))("%s", (query, messages, variables) => {
  it("is refused by every protocol", async () => {
    for (const [name, way] of into.ways) {
      expect([...(await way({ query, variables: { ...variables } }))].sort(), name).toEqual([...messages].sort());
    }
    expect(faults).toEqual([]);
  });
});

it("allows conditions below the root of a subscription, and at the root of a query", async () => {
  const below = "subscription ($x: Boolean!) { ...F } fragment F on Subscription { queryA { k n @skip(if: $x) } }";
  for (const [name, way] of into.ways) if (lives.test(name)) expect(await way({ query: below, variables: { x: true } }), name).toEqual([]);
  const { body } = await stack.kernel.execute({ query: "query ($x: Boolean!) { queryA @skip(if: $x) { k } }", variables: { x: true } });
  expect(JSON.parse(body).data).toEqual({});
  expect(faults).toEqual([]);
});
