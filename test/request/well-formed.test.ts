// Half a character is no text: a lone surrogate is refused wherever text comes in, as the parser refuses it in a literal. Storage would
// keep U+FFFD in its place, so that two keys became one and nothing found what was just written.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { line, token } from "../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";
import { type Ways, waysInto } from "../support/ways-in.ts";

/** Cuts what is called `cut` in the middle of a character, as `slice` does. */
const cutting: DirectivePlugin = {
  name: "cutting",
  definitions: "",
  model: () => ({
    values: ({ values }) => (values.get("note") === "cut" ? { values: new Map([["note", "🚢".slice(0, 1)]]) } : undefined),
  }),
};

const schema = `
  type Key @withSubscription { name: String! @id  tags: [String]  kind: Kind  note: String @search(by: [hash])  next: Key }
  type Mine @auth(query: { rule: "query($USER: String!) { queryMine(filter: {owner: {eq: $USER}}) { id } }" }) { id: ID!  owner: String @search(by: [hash]) }
  enum Kind { SHORT LONG }
${line}
`;

let stack: TemporaryKernel;
let into: Ways;
beforeAll(async () => {
  stack = await temporaryKernel({ plugins: [...standardPlugins(), cutting] });
  await stack.kernel.deploy(schema);
  into = await waysInto(stack.kernel);
});
afterAll(async () => {
  await into?.close();
  await stack?.remove();
});

const ask = async (query: string, variables?: object, headers?: Readonly<Record<string, string>>) =>
  JSON.parse((await stack.kernel.execute({ query, ...(variables && { variables: { ...variables } }), ...(headers && { headers }) })).body);
const half = "\ud800";
const problem = "Invalid character within String: U+D800.";
const invalid = (variable: string, place = "") => `Variable "$${variable}" got invalid value "\\ud800"${place}; ${problem}`;
const add = "mutation ($input: [AddKeyInput!]!) { addKey(input: $input) { numUids } }";

describe("a lone surrogate", () => {
  it("is refused in a literal", async () => {
    expect((await ask(`{ getKey(name: "${half}") { name } }`)).errors[0].message).toBe("Syntax Error: Invalid character within String: U+D800.");
    expect((await ask('{ getKey(name: "\\ud800") { name } }')).errors[0].message).toBe('Syntax Error: Invalid Unicode escape sequence: "\\ud800".');
    for (const document of [`{ getKey(name: """${half}""") { name } }`, `# ${half}\n{ queryKey { name } }`, `{ queryKey { name${half} } }`]) {
      expect((await ask(document)).errors[0].message).toMatch(/Invalid character.*U\+D800/);
    }
  });

  it.each([
    ["a key", "query ($name: String!) { getKey(name: $name) { name } }", { name: half }, invalid("name")],
    ["an id", "query ($id: ID!) { getMine(id: $id) { owner } }", { id: half }, invalid("id")],
    ["a member of an input object", add, { input: [{ name: half }] }, invalid("input", ' at "input[0].name"')],
    ["one object that stands for a list", add, { input: { name: half } }, invalid("input", ' at "input.name"')],
    ["a list", add, { input: [{ name: "a", tags: ["b", half] }] }, invalid("input", ' at "input[0].tags[1]"')],
    ["a nested object", add, { input: [{ name: "a", next: { name: half } }] }, invalid("input", ' at "input[0].next.name"')],
    ["a filter", "query ($f: KeyFilter) { queryKey(filter: $f) { name } }", { f: { note: { in: [half] } } }, invalid("f", ' at "f.note.in[0]"')],
    ["names of fields", "query ($n: [String]) { queryKey @cascade(fields: $n) { name } }", { n: [half] }, invalid("n", ' at "n[0]"')],
    [
      "a variable beside one with a default",
      'query ($a: String = "x", $name: String!) { getKey(name: $name) { name } aggregateKey(filter: {note: {eq: $a}}) { count } }',
      { name: half },
      invalid("name"),
    ],
    [
      "an enum value",
      add,
      { input: [{ name: "a", kind: half }] },
      `Variable "$input" got invalid value "\\ud800" at "input[0].kind"; Value "${half}" does not exist in "Kind" enum.`,
    ],
    [
      "the name of a member",
      add,
      { input: [{ name: "a", [half]: 1 }] },
      `Variable "$input" got invalid value { name: "a", ${half}: 1 } at "input[0]"; Field "${half}" is not defined by type "AddKeyInput".`,
    ],
  ])("is refused in %s", async (_, query, variables, message) => {
    const { data, errors } = await ask(query, variables);
    expect(data).toBeUndefined();
    expect(errors.map((each: { message: string }) => each.message)).toEqual([message]);
  });

  it("is refused on every transport", async () => {
    const query = "subscription ($k: String!) { queryKey(filter: {name: {eq: $k}}) { name } }";
    for (const [name, way] of into.ways) expect(await way({ query, variables: { k: half } }), name).toEqual([invalid("k")]);
  });

  it("is named in the error, high or low; a surrogate pair is accepted", async () => {
    for (const text of ["\udc00", "a\udfffb", "\udc00\ud800"]) {
      const code = /[\ud800-\udfff]/.exec(text)?.[0].charCodeAt(0).toString(16).toUpperCase();
      expect((await ask("query ($k: String!) { getKey(name: $k) { name } }", { k: text })).errors[0].message).toContain(`U+${code}.`);
    }
    for (const name of ["🚢", "\ufffd", "\u{10ffff}"]) {
      expect((await ask(add, { input: [{ name }] })).errors).toBeUndefined();
      expect((await ask("query ($k: String!) { getKey(name: $k) { name } }", { k: name })).data).toEqual({ getKey: { name } });
    }
  });

  it("is refused in the claims of a token, so that no caller can impersonate another", async () => {
    await ask('mutation { addMine(input: [{ owner: "\ufffd" }]) { numUids } }');
    const seen = (claims: object) => ask("{ queryMine { owner } }", undefined, { "x-harbour": token(claims) });
    expect((await seen({ USER: "\ufffd" })).data).toEqual({ queryMine: [{ owner: "\ufffd" }] });
    for (const claims of [{ USER: half }, { USER: "\ufffd", other: [{ [half]: 1 }] }]) {
      const { data, errors } = await seen(claims);
      expect(data).toEqual({ queryMine: [] });
      expect(errors[0].message).toContain(`could not JSON decode claim: ${problem}`);
    }
  });

  it("is refused in a value that a plugin returns, and nothing is written", async () => {
    const { data, errors } = await ask(add, { input: [{ name: "p", note: "cut" }] });
    expect(data).toEqual({ addKey: null });
    expect(errors[0].message).toContain("A plugin gives Key.note a text that is not well-formed. Invalid character within String: U+D83D.");
    expect((await ask('{ getKey(name: "p") { name } }')).data).toEqual({ getKey: null });
  });

  it("is refused anywhere in a schema", async () => {
    const before = stack.kernel.deployment?.document;
    const texts = [
      `type T { id: ID!  a: String @default(add: {value: "${half}"}) }`,
      'type T { id: ID!  a: String @default(add: {value: "\\ud800"}) }',
      `"${half}" type T { id: ID! }`,
      `# ${half}\ntype T { id: ID! }`,
      `type T { id: ID! }\n# Service.Allow-Origin "${half}"`,
    ];
    for (const text of texts) {
      await expect(stack.kernel.deploy(text), text).rejects.toMatchObject({ code: "SCHEMA_INVALID", message: expect.stringContaining("Invalid") });
    }
    expect(stack.kernel.deployment?.document).toBe(before);
    const body = Buffer.from(
      JSON.stringify({
        query: "mutation ($s: String!) { updateGQLSchema(input: {set: {schema: $s}}) { gqlSchema { schema } } }",
        variables: { s: texts[0] },
      }),
    );
    const headers = { host: "localhost", "content-type": "application/json" };
    const answer = await stack.kernel.http({ method: "POST", url: "/admin", headers, body, remoteAddress: "127.0.0.1" });
    expect(String(answer.body)).toContain("Invalid character");
    expect(stack.kernel.deployment?.document).toBe(before);
  });

  it("is refused in a persisted document, which is not stored", async () => {
    const { createHash } = await import("node:crypto");
    const query = `{ getKey(name: "${half}") { name } }`;
    const sha256Hash = createHash("sha256").update(query).digest("hex");
    const send = async (members: object) => {
      const body = Buffer.from(JSON.stringify({ ...members, extensions: { persistedQuery: { sha256Hash } } }));
      const answer = await stack.kernel.http({ method: "POST", url: "/graphql", headers: { "content-type": "application/json" }, body });
      return JSON.parse(String(answer.body)).errors[0].message;
    };
    expect(await send({ query })).toBe("Syntax Error: Invalid character within String: U+D800.");
    expect(await send({})).toBe("PersistedQueryNotFound");
  });
});
