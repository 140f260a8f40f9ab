import { describe, expect, it } from "vitest";
import { json } from "../../adapters/server/http/ask.ts";
import { deploy } from "./harness.ts";

/** What `POST /admin/schema` says to a document. */
async function refusal(schema: string): Promise<unknown> {
  const { stack } = await deploy("type Old { a: Int }", {}, { errors: "compatible" });
  const answer = json(
    await stack.kernel.http({
      method: "POST",
      url: "/admin/schema",
      headers: { host: "localhost" },
      body: Buffer.from(schema),
      remoteAddress: "127.0.0.1",
    }),
  );
  return (answer as { errors?: readonly { message: string }[] }).errors?.[0]?.message;
}

const failed = (reason: string) => `resolving updateGQLSchema failed because ${reason} (Locations: [{Line: 3, Column: 4}])`;
const line = (members: object) => `type T { a: Int }\n# Service.Authorization ${JSON.stringify(members)}`;
const whole = { Header: "X-T", Namespace: "ns", VerificationKey: "k", Algo: "HS256" };

describe("a deploy", () => {
  it.each([
    [line({}), "required field missing in Service.Authorization: `Verification key`/`JWKUrl`/`JWKUrls` `Algo` `Header` `Namespace`"],
    [line({ ...whole, Header: "", Namespace: null }), "required field missing in Service.Authorization: `Header` `Namespace`"],
    [line({ JWKURL: "http://127.0.0.1:9/" }), "required field missing in Service.Authorization: `Audience`  `Header` `Namespace`"],
    [line({ ...whole, jwkurl: "http://127.0.0.1:9/" }), "expecting either JWKUrl/JWKUrls or (VerificationKey, Algo), both were given"],
    [line({ JWKUrl: "http://127.0.0.1:9/", JWKUrls: ["http://127.0.0.1:9/"] }), "expecting either JWKUrl or JWKUrls, both were given"],
    [line({ ...whole, Algo: "ES256" }), "invalid jwt algorithm: found ES256, but supported options are: HS256,HS384,HS512,RS256,RS384,RS512"],
    [line({ ...whole, Algo: "RS256" }), "invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key"],
    [line({ ...whole, Audience: "a" }), `input: Invalid \`Service.Authorization\` format: ${line({ ...whole, Audience: "a" }).split("\n")[1]}`],
    [
      `${line(whole)}\n# Dgraph.Authorization x`,
      "Dgraph.Authorization should be only be specified once in a schema, found second mention: # Dgraph.Authorization x",
    ],
    [
      `type T { a: Nothing }\n# Service.Authorization {}`,
      "required field missing in Service.Authorization: `Verification key`/`JWKUrl`/`JWKUrls` `Algo` `Header` `Namespace`",
    ],
    ['type T @auth(query: { rule: "{$X: {ne: 1}}" }) { a: Int }', "Type T: @auth: `ne` operator is not supported."],
    [
      'type T @auth(query: { rule: "{$X: {ne: 1}}" }, add: { rule: "{$Y: {eq: null}}" }) { a: Int }',
      "Type T: @auth: `ne` operator is not supported.\nType T: @auth: `eq` operator has invalid value. null values aren't supported.",
    ],
    [
      'type T @auth(query: { or: { rule: "{$X: {eq: 1}}" } }) { a: Int }',
      'Type T: @auth: no arguments - there should be only one of "and", "or", "not" and "rule"\nType T: @auth: \'OR\' should contain at least two rules',
    ],
    [
      'type T @auth(query: { and: [{ rule: "{$X: {ne: 1}}" }, { or: [{ rule: "{$Y: {in: 1}}" }] }], not: { rule: "" } }) { a: Int }',
      "Type T: @auth: `in` operator has invalid value `1`. Value should be an array.\nType T: @auth: 'OR' should contain at least two rules\n" +
        "Type T: @auth: `ne` operator is not supported.\nType T: @auth: a rule should be exactly one query, found 0 GraphQL operations\n" +
        'Type T: @auth: there should be only one of "and", "or", "not" and "rule"',
    ],
    ['type T { a: Int @auth(query: { rule: "{$X: {eq: 1}}" }) }', "input:1: Directive auth is not applicable on FIELD_DEFINITION.\n"],
  ])("is refused with Dgraph's error text: %s", async (schema, reason) => expect(await refusal(schema)).toBe(failed(reason)));
});

describe("a graph rule that is no valid query", () => {
  const rule = (text: string) =>
    `type T @auth(query: { rule: ${JSON.stringify(text)} }) { a: Int @search  b: T  c: Kind @search }\nenum Kind { WAX }`;
  it.each([
    ["query { queryT }}", ["failed to parse GraphQL rule [reason : Unexpected }]"]],
    [" {$X: {eq: 1}}", ["failed to parse GraphQL rule [reason : Expected Name, found $]"]],
    ["query { queryT(filter: {d: {eq: 1}}) { a } }", ['Field "d" is not defined by type TFilter. Did you mean a or c?']],
    ["query { queryT(wher: {}) { a } }", ['Unknown argument "wher" on field "queryT" of type "Query".']],
    ["query { getT { a } }", ['Cannot query field "getT" on type "Query".']],
    ['query { queryT(filter: {a: {eq: "1"}}) { a } }', ['Expected type Int, found "1".']],
    ["query { queryT(filter: {c: {eq: WACKS}}) { a } }", ["Expected type Kind, found WACKS. Did you mean the enum value WAX?"]],
    [
      "query($A: String!) { queryT(filter: {a: {eq: $A}}) { a } }",
      [
        "Variable type provided String! is incompatible with expected type Int",
        'Variable "$A" of type "String!" used in position expecting type "Int".',
      ],
    ],
  ])("is refused with Dgraph's words: %s", async (text, reasons) => {
    const whole = reasons.map((reason) => (reason.startsWith("failed") ? reason : `failed to validate GraphQL rule [reason : ${reason}]`));
    expect(await refusal(rule(text))).toBe(failed(whole.map((reason) => `Type T: @auth: ${reason}`).join("\n")));
  });
});

describe("the older form of the line", () => {
  it.each([
    ['# Dgraph.Authorization X-T ns HS256 "k"', undefined],
    ['#   Service.Authorization   X-T   ns  HS256    "k"  and more', undefined],
    ['# Dgraph.Authorization X-T ns HS256 ""', expect.stringContaining("Invalid `Dgraph.Authorization` format")],
    ["# Dgraph.Authorizations are explained elsewhere", expect.stringContaining("Invalid `Dgraph.Authorization` format")],
    ["## Dgraph.Authorization oops", undefined],
  ])("is read or refused as by Dgraph: %s", async (settings, reason) => expect(await refusal(`type T { a: Int }\n${settings}`)).toEqual(reason));
});
