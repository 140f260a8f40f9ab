// What administrators read by default, and what they read with `errors: "compatible"`: exactly what Dgraph says.

import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ServerKernel } from "../../../../adapters/server/index.ts";
import type { ErrorStyle } from "../../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, askJson, json } from "./ask.ts";

let stack: TemporaryKernel | undefined;
async function withErrors(errors: ErrorStyle): Promise<ServerKernel> {
  stack = await temporaryKernel({ errors });
  return stack.kernel;
}
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

/** A question at `/admin`. */
const atAdmin = async (kernel: ServerKernel, body: object) =>
  json(await ask(kernel, { path: "/admin", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }));

const wrong = "type Mill {\n  name: Strin\n  owner: Persn\n}\ntype Person { name: String @serch }";
const entry = (line: number, column: number, message: string, hint: string) => ({
  message,
  locations: [{ line, column }],
  extensions: { code: "SCHEMA_INVALID", hint },
});
const entries = [
  entry(2, 9, "Undefined type Strin.", 'Nothing is named Strin; did you mean "String"?'),
  entry(3, 10, "Undefined type Persn.", 'Nothing is named Persn; did you mean "Person"?'),
  entry(5, 29, "Undefined directive serch.", 'Nothing is named serch; did you mean "search"?'),
];
const all = "input:2: Undefined type Strin.\ninput:3: Undefined type Persn.\ninput:5: Undefined directive serch.\n";
const firstOfEach = "input:2: Undefined type Strin.\ninput:5: Undefined directive serch.\n";

describe("a refused schema", () => {
  const deploy = async (kernel: ServerKernel) => json(await ask(kernel, { path: "/admin/schema", body: wrong }));
  const failed = (reason: string) => `resolving updateGQLSchema failed because ${reason} (Locations: [{Line: 3, Column: 4}])`;
  const mutation = "mutation ($s: String!) { updateGQLSchema(input: { set: { schema: $s } }) { gqlSchema { id } } }";
  const update = (kernel: ServerKernel) => atAdmin(kernel, { query: mutation, variables: { s: wrong } });

  it("lists every mistake at `/admin/schema`, with places and hints as data", async () => {
    const kernel = await withErrors("plain");
    expect(await deploy(kernel)).toEqual({ errors: [{ message: failed(all), extensions: { code: "Error", errors: entries } }] });
  });

  it("lists every mistake by updateGQLSchema", async () => {
    const kernel = await withErrors("plain");
    expect(await update(kernel)).toMatchObject({
      errors: [{ message: all, extensions: { code: "SCHEMA_INVALID", errors: entries } }],
    });
  });

  it("lists every mistake at `/admin/schema/validate`, one entry each", async () => {
    const kernel = await withErrors("plain");
    const answer = json(await ask(kernel, { path: "/admin/schema/validate", body: wrong }));
    expect(answer).toEqual({
      errors: entries.map(({ message, locations: [at], extensions: { hint } }) => ({
        message: `input:${at?.line}: ${message}`,
        locations: [at],
        extensions: { code: "ErrorInvalidRequest", hint },
      })),
    });
  });

  it("lists what Dgraph lists in the compatible style, and nothing beside", async () => {
    const kernel = await withErrors("compatible");
    expect(await deploy(kernel)).toEqual({ errors: [{ message: failed(firstOfEach), extensions: { code: "Error" } }] });
    const { errors } = (await update(kernel)) as { readonly errors: readonly object[] };
    expect(errors).toEqual([{ message: `resolving updateGQLSchema failed because ${firstOfEach}`, locations: expect.any(Array) }]);
  });
});

describe("before a schema is deployed", () => {
  const question = { query: "{ queryMill { name } }" };

  it("says which command deploys one", async () => {
    const { errors } = json(await askJson(await withErrors("plain"), question)) as { readonly errors: readonly unknown[] };
    expect(errors).toEqual([
      {
        message: expect.stringContaining("No schema is deployed yet. Deploy one: quern deploy"),
        extensions: { code: "NO_SCHEMA", retryable: false },
      },
    ]);
    expect(JSON.stringify(errors)).not.toContain("Dgraph");
  });

  it("says what Dgraph says in the compatible style", async () => {
    const answer = json(await askJson(await withErrors("compatible"), question));
    expect(answer).toEqual({
      errors: [{ message: "Not resolving queryMill. There's no GraphQL schema in Dgraph. Use the /admin API to add a GraphQL schema" }],
    });
  });
});

describe("the address of the server", () => {
  const addressAt = async (kernel: ServerKernel, headers: Readonly<Record<string, string>>) =>
    (json(await ask(kernel, { method: "GET", path: "/health", headers })) as readonly { readonly address: string }[])[0]?.address;

  it("is where the caller has reached it", async () => {
    const kernel = await withErrors("plain");
    expect(await addressAt(kernel, { host: "boats.example:9000" })).toBe("boats.example:9000");
    expect(JSON.stringify(json(await ask(kernel, { method: "GET", path: "/state", headers: { host: "127.0.0.1:9000" } })))).toContain(
      '"addr":"127.0.0.1:9000"',
    );
    expect(await atAdmin(kernel, { query: "{ health { address } state { groups { members { addr } } } }" })).not.toMatchObject({
      data: { health: [{ address: "localhost:7080" }] },
    });
  });

  it("is the one that Dgraph shows in the compatible style", async () => {
    expect(await addressAt(await withErrors("compatible"), { host: "boats.example:9000" })).toBe("localhost:7080");
  });
});

describe("a folder that cannot be made", () => {
  it("is named in one sentence", async () => {
    const kernel = await withErrors("plain");
    const folder = join(import.meta.filename, "nope");
    const query = "mutation ($d: String!) { backup(input: { destination: $d }) { taskId } }";
    expect(await atAdmin(kernel, { query, variables: { d: folder } })).toMatchObject({
      errors: [{ message: `The folder ${folder} cannot be made (ENOTDIR).`, path: ["backup"] }],
    });
  });
});
