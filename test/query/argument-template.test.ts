// Arguments with variables inside their literals have the values that the `graphql` package gives them.

import assert from "node:assert/strict";
import { buildSchema, getArgumentValues, getVariableValues, Kind, parse } from "graphql";
import { expect, it } from "vitest";
import { planArguments } from "../../core/query/plan/plan-arguments.ts";
import { coercedVariables, packageVariables } from "../../core/schema/api/package-version.ts";

const schema = buildSchema(`
  input Range { min: Int = 1  max: Int  unit: String! = "m" }
  input Filter { name: String  names: [String!]  range: Range  ranges: [Range]  and: [Filter]  must: Int!  grid: [[Int]] }
  input Choice @oneOf { a: Int  b: String }
  type Query { find(filter: Filter  choice: Choice  first: Int = 10  ids: [ID!]): Int }
`);
const field = schema.getQueryType()?.getFields().find;
assert.ok(field);

const variables = "$i: Int, $m: Int!, $s: String, $t: String!, $ss: [String!], $r: Range, $f: Filter, $id: ID!, $ii: [Int], $u: String!";
const given = { i: 3, m: 4, s: "s", t: "t", ss: ["x", "y"], r: { max: 5 }, f: { must: 1 }, id: "0x1", ii: [1, null], u: "u" };

const literals = [
  "filter: $f",
  "filter: {must: $m}",
  "filter: {must: 1, name: $s}",
  "filter: {name: $s, must: $m}",
  "filter: {must: 1, names: $ss}",
  'filter: {must: 1, names: ["a", $t]}',
  "filter: {must: 1, names: [$t]}",
  "filter: {must: 1, range: {max: $i}}",
  "filter: {must: 1, range: {min: null, max: $i, unit: $u}}",
  "filter: {must: 1, ranges: [$r, {max: $i}, null, {}]}",
  "filter: {must: 1, ranges: {max: $i}}",
  "filter: {must: 1, and: [{must: 2, name: $s}, $f, {must: 3, and: {must: 4, name: $s}}]}",
  "filter: {must: 1, grid: [[1, $i], $ii, [2]]}",
  "choice: {a: $m}",
  "choice: {b: $t}, first: $i",
  "first: $i, filter: {must: 1}",
  "ids: [$id], first: 3",
  "ids: $id",
];

/** Every variable with a value, one of them null, and one of them missing, where its type allows that. */
const requests = [
  given,
  { ...given, i: null },
  { ...given, s: null },
  { ...given, ss: null },
  without("i"),
  without("s"),
  without("r"),
  without("f"),
];

function without(name: keyof typeof given): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([each]) => each !== name));
}

/** The result, by the names of its arguments, or the message of what is thrown. */
function outcome(run: () => Readonly<Record<string, unknown>>): unknown {
  try {
    const entries = Object.entries(run()).filter(([, value]) => value !== null && value !== undefined);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

it.each(literals)("gives the values that graphql gives: %s", (literal) => {
  const [operation] = parse(`query(${variables}) { find(${literal}) }`).definitions;
  assert.ok(operation?.kind === Kind.OPERATION_DEFINITION);
  const [node] = operation.selectionSet.selections;
  assert.ok(node?.kind === Kind.FIELD);
  const planned = planArguments(field, node);
  for (const request of requests) {
    const coerced = coercedVariables(getVariableValues(schema, operation.variableDefinitions ?? [], request));
    const expected = outcome(() => getArgumentValues(field, node, packageVariables(coerced)));
    const values = outcome(() => planned.values(coerced));
    expect(values).toEqual(expected);
    expect(JSON.stringify(values)).toBe(JSON.stringify(expected));
  }
});
