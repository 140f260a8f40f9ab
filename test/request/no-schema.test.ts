// Requests before any schema: what they ask for is named, one error each, and there is no data.

import { parse } from "graphql";
import { expect, it } from "vitest";
import { chooseOperation } from "../../core/request/documents/choose-operation.ts";
import { noSchemaErrors } from "../../core/request/operation/no-schema.ts";

function errorsOf(query: string): readonly unknown[] {
  const document = parse(query);
  return noSchemaErrors(document, chooseOperation(document, undefined), { debug: false, errors: "compatible" });
}

const none = (key: string) => ({ message: `Not resolving ${key}. There's no GraphQL schema in Dgraph. Use the /admin API to add a GraphQL schema` });

it.each([
  ["a query, by its alias", "{ a: queryMill { name } b: __typename }", ["a", "b"]],
  ["a fragment", "{ ...F } fragment F on Query { queryMill { name } }", ["queryMill"]],
  ["fragments within each other, beside a field", "{ a ... on Query { b ...F } } fragment F on Query { c ... { d } }", ["a", "b", "c", "d"]],
  ["a name twice", "{ a { name } a { size } }", ["a"]],
])("names each root field that is asked for: %s", (_, query, keys) => {
  expect(errorsOf(query)).toEqual(keys.map(none));
});

it("reports the first mutation as not resolved and the others as not executed", () => {
  const skipped = { message: "Mutation b was not executed because of a previous error.", path: ["b"] };
  expect(errorsOf("mutation { ...F b: addMill { numUids } } fragment F on Mutation { a: addMill { numUids } }")).toEqual([none("a"), skipped]);
});

it("answers a document of forty doubling fragments without expanding it", () => {
  const doubling = Array.from({ length: 40 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(" ");
  expect(errorsOf(`{ ...F0 } ${doubling} fragment F40 on Query { a b }`)).toEqual([none("a"), none("b")]);
});

it("says without the words of another product that no schema is deployed, and which command deploys one", () => {
  const document = parse("{ queryMill { name } }");
  expect(noSchemaErrors(document, chooseOperation(document, undefined), { debug: false, errors: "plain" })).toEqual([
    {
      message: "queryMill: No schema is deployed yet. Deploy one: quern deploy schema.graphql --url <url of this server>",
      extensions: { code: "NO_SCHEMA" },
    },
  ]);
});

it("explains itself in debug mode: a hint says how to deploy a schema", () => {
  const document = parse("{ queryMill { name } }");
  expect(noSchemaErrors(document, chooseOperation(document, undefined), { debug: true, errors: "compatible" })).toEqual([
    {
      ...none("queryMill"),
      extensions: { code: "NO_SCHEMA", hint: expect.stringMatching(/^No schema is deployed yet\. Deploy one: quern deploy schema\.graphql/) },
    },
  ]);
});
