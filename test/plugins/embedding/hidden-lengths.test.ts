// A search by a vector of another length tells nobody that hidden objects have vectors.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { Kernel } from "../../../core/index.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { line, token } from "../auth/token.ts";

const rule = `{ rule: "query($ME: String!) { queryNote(filter: { owner: { eq: $ME } }) { code } }" }`;

/** Each hides the vectors of others: with their objects, or alone. */
const schemas = {
  "a rule of the type": `type Note @auth(query: ${rule}) {
    code: String! @id  owner: String @search(by: [hash])  topic: [Float!] @embedding @search(by: ["hnsw"])  plain: [Float!] @embedding
  }`,
  "a rule of the field": `type Note {
    code: String! @id
    owner: String @search(by: [hash])
    topic: [Float!] @embedding @search(by: ["hnsw"]) @auth(query: ${rule})
    plain: [Float!] @embedding @auth(query: ${rule})
  }`,
};
const queries = `
  type Found { code: String }
  type Query {
    near(to: String!): [Found] @custom(dql: "query q($to: string) { near(func: similar_to(Note.topic, 2, $to)) { code: Note.code } }")
  }
`;

let stack: TemporaryKernel | undefined;
afterEach(() => stack?.remove());

async function start(schema: string): Promise<Kernel> {
  const others = standardPlugins().filter(({ name }) => name !== "auth" && name !== "dql");
  stack = await temporaryKernel({ plugins: [...others, authPlugin({ fieldRules: true }), dqlPlugin({ rules: true })] });
  await stack.kernel.deploy(`${schema} ${queries} ${line}`);
  return stack.kernel;
}

async function asked(kernel: Kernel, name: string, query: string): Promise<unknown> {
  const { data, errors } = JSON.parse((await kernel.execute({ query, headers: { "x-harbour": token({ ME: name }) } })).body);
  return errors ? errors.map(({ message }: { readonly message: string }) => message.replace(/.*(vectors of different lengths)/u, "$1")) : data;
}

/** The answers to a vector of one element, by every way to search. */
async function answers(kernel: Kernel, name: string): Promise<readonly unknown[]> {
  const searches = [
    "{ found: queryNote(near: { by: topic, vector: [1], topK: 2 }) { code } }",
    `{ found: queryNote(near: { by: topic, vector: [1], topK: 2 }, filter: { not: { owner: { eq: "zoe" } } }, order: { asc: code }) { code } }`,
    "{ found: queryNote(near: { by: plain, vector: [1], topK: 2 }) { code } }",
    "{ found: querySimilarNoteByEmbedding(by: topic, vector: [1], topK: 2) { code vector_distance } }",
    `{ found: near(to: "[1]") { code } }`,
  ];
  return Promise.all(searches.map((query) => asked(kernel, name, query)));
}

const add = (code: string, owner: string, vectors = "topic: [1, 0], plain: [1, 0]") =>
  `mutation { addNote(input: [{ code: "${code}", owner: "${owner}", ${vectors} }]) { numUids } }`;
const nothing = new Array(5).fill({ found: [] });
const refused = new Array(5).fill([expect.stringContaining("vectors of different lengths")]);

describe.each(Object.entries(schemas))("a vector of another length, with %s", (_, schema) => {
  it("finds nothing where nobody has a vector, and where others have, who are hidden", async () => {
    const kernel = await start(schema);
    await asked(kernel, "eve", add("e", "eve", "topic: null"));
    expect(await answers(kernel, "eve")).toEqual(nothing);
    await asked(kernel, "ann", add("a", "ann"));
    expect(await answers(kernel, "eve")).toEqual(nothing);
    expect(await asked(kernel, "eve", `{ found: querySimilarNoteById(code: "a", by: topic, topK: 2) { code } }`)).toEqual({ found: [] });
    expect(await asked(kernel, "eve", `{ found: querySimilarNoteById(code: "x", by: topic, topK: 2) { code } }`)).toEqual({ found: [] });
  });

  it("is an error for those who see a vector, until it is gone", async () => {
    const kernel = await start(schema);
    await asked(kernel, "ann", add("a", "ann"));
    await asked(kernel, "eve", add("e", "eve"));
    expect(await answers(kernel, "ann")).toEqual(refused);
    expect(await answers(kernel, "eve")).toEqual(refused);
    await asked(kernel, "eve", `mutation { deleteNote(filter: { owner: { eq: "eve" } }) { numUids } }`);
    expect(await answers(kernel, "eve")).toEqual(nothing);
    expect(await answers(kernel, "ann")).toEqual(refused);
  });
});

it("a filter that leaves out all vectors leaves nothing to compare with", async () => {
  const kernel = await start(`type Note { code: String! @id  owner: String @search(by: [hash])  topic: [Float!] @embedding @search(by: ["hnsw"]) }`);
  await asked(kernel, "", add("a", "ann", "topic: [1, 0]"));
  await asked(kernel, "", add("b", "bob", "topic: null"));
  const near = (owner: string) => `{ found: queryNote(near: { by: topic, vector: [1], topK: 1 }, filter: { owner: { eq: "${owner}" } }) { code } }`;
  expect(await asked(kernel, "", near("bob"))).toEqual({ found: [] });
  expect(await asked(kernel, "", near("ann"))).toEqual([expect.stringContaining("vectors of different lengths")]);
});
