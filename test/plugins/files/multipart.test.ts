// Forms: the GraphQL multipart request specification at /graphql, and one file to /files.

import { describe, expect, it } from "vitest";
import { answerOf, kept, pixel, type Served, served, transports } from "./served.ts";

const add =
  "mutation ($title: String, $file: Upload!) { addPhoto(input: [{ title: $title, image: { upload: $file } }]) { photo { title image { name type bytes } } } }";

interface Parts {
  readonly operations?: unknown;
  readonly map?: unknown;
  readonly files?: Readonly<Record<string, Blob | File>>;
}

function form({ operations, map, files = {} }: Parts): FormData {
  const sent = new FormData();
  if (operations !== undefined) sent.append("operations", typeof operations === "string" ? operations : JSON.stringify(operations));
  if (map !== undefined) sent.append("map", JSON.stringify(map));
  for (const [name, file] of Object.entries(files)) sent.append(name, file);
  return sent;
}

async function send({ url }: Served, body: FormData, headers = {}) {
  const answer = await fetch(`${url}/graphql`, { method: "POST", body, headers });
  return { status: answer.status, ...answerOf(await answer.json()) };
}

const operation = (variables: object, query = add) => ({ query, variables });
const text = (bytes: string, name = "a.txt") => new File([bytes], name, { type: "text/plain" });

describe.each(Object.keys(transports))("a multipart request over %s", (transport) => {
  it("adds an object with its file in one request", async () => {
    const at = await served({ transport });
    const file = new File([pixel], "gull.png", { type: "image/png" });
    const parts = { operations: operation({ title: "Gull", file: null }), map: { 0: ["variables.file"] }, files: { 0: file } };
    const { data, messages } = await send(at, form(parts));
    expect(messages).toEqual([]);
    expect(data.addPhoto.photo).toEqual([{ title: "Gull", image: { name: "gull.png", type: "image/png", bytes: pixel.byteLength } }]);
    expect(await kept(at.store)).toEqual([pixel.byteLength]);
  });

  it("carries several files, each longer than any other body may be", async () => {
    const at = await served({ transport });
    const long = at.kernel.limits.maxBodyBytes + 1;
    const input = "mutation ($input: [AddPhotoInput!]!) { addPhoto(input: $input) { photo { title image { bytes } } } }";
    const photos = [1, 2].map((n) => ({ title: `${n}`, image: { upload: null } }));
    const map = { a: ["variables.input.0.image.upload"], b: ["variables.input.1.image.upload"] };
    const files = { a: new Blob([Buffer.alloc(long)]), b: new Blob([Buffer.alloc(long + 1)]) };
    const { data, messages } = await send(at, form({ operations: operation({ input: photos }, input), map, files }));
    expect(messages).toEqual([]);
    expect(data.addPhoto.photo.map(({ image }: { image: { bytes: number } }) => image.bytes).sort()).toEqual([long, long + 1]);
  });

  it("leaves nothing when its operation fails, or its form is wrong", async () => {
    const at = await served({ transport, schema: "type Photo { id: ID!  title: String @length(max: 3)  image: File @file }" });
    const map = { 0: ["variables.file"] };
    const files = { 0: text("bytes") };
    const failed = await send(at, form({ operations: operation({ title: "too long", file: null }), map, files }));
    expect(failed.codes).toEqual(["OUT_OF_RANGE"]);
    const missing = await send(at, form({ operations: operation({ file: null }), map: { ...map, 1: ["variables.other"] }, files }));
    expect(missing.messages).toEqual(['Not a valid multipart request: map names the file "1", which is not there.']);
    await expect.poll(() => kept(at.store)).toEqual([]);
    await expect.poll(async () => (await at.upload("x")).status).toBe(201);
  });

  it("refuses a file that is too long while it arrives", async () => {
    const at = await served({ transport, maxBytes: 1000 });
    const parts = { operations: operation({ file: null }), map: { 0: ["variables.file"] }, files: { 0: text("x".repeat(1_000_000)) } };
    const { codes } = await send(at, form(parts));
    expect(codes).toEqual(["LIMIT_REACHED"]);
    await expect.poll(() => kept(at.store)).toEqual([]);
  });
});

describe("a multipart request", () => {
  it.each([
    ["without operations", {}, "it has no field operations"],
    ["whose operations are no JSON", { operations: "{" }, "operations is not JSON"],
    ["with a list of operations", { operations: [] }, "operations is no object; send one operation at a time"],
    ["whose map comes first", { map: {} }, 'it has a field "map" where operations comes'],
    ["whose map is a list of paths", { operations: {}, map: { 0: "variables.file" } }, 'map must give a list of paths for "0"'],
    ["with a file before its map", { operations: {}, files: { 0: text("x") } }, "operations and map come before the files"],
    ["with a file that map does not name", { operations: {}, map: {}, files: { 0: text("x") } }, 'map says nothing of the file "0"'],
    [
      "whose map leads to no variable",
      { operations: { variables: {} }, map: { 0: ["variables.__proto__.polluted"] }, files: { 0: text("x") } },
      '"variables.__proto__.polluted" of map is no variable that is null',
    ],
    [
      "whose map leads to the query",
      { operations: { query: null }, map: { 0: ["query"] }, files: { 0: text("x") } },
      '"query" of map is no variable that is null',
    ],
  ])("%s is refused, and says why", async (_what, parts: Parts, message) => {
    const at = await served();
    const { codes, messages } = await send(at, form(parts));
    expect([codes, messages]).toEqual([["REQUEST_INVALID"], [`Not a valid multipart request: ${message}.`]]);
  });

  it("that is no form, or breaks off, is refused, and the server goes on", async () => {
    const at = await served();
    const whole = await new Response(
      form({ operations: operation({ file: null }), map: { 0: ["variables.file"] }, files: { 0: text("x") } }),
    ).arrayBuffer();
    const type = "multipart/form-data; boundary=x";
    for (const body of [Buffer.from("nonsense"), Buffer.alloc(0), Buffer.from(whole).subarray(0, whole.byteLength - 60)]) {
      const answer = await fetch(`${at.url}/graphql`, { method: "POST", body, headers: { "content-type": type } });
      expect((await answer.json()).errors[0].extensions.code).toBe("REQUEST_INVALID");
    }
    const cut = new Response(form({ operations: operation({ file: null }), map: { 0: ["variables.file"] }, files: { 0: text("x".repeat(5000)) } }));
    const headers = { "content-type": cut.headers.get("content-type") ?? "" };
    const bytes = Buffer.from(await cut.arrayBuffer());
    const answer = await fetch(`${at.url}/graphql`, { method: "POST", body: bytes.subarray(0, bytes.byteLength - 3000), headers });
    expect((await answer.json()).errors[0].extensions.code).toBe("REQUEST_INVALID");
    await expect.poll(() => kept(at.store)).toEqual([]);
    expect((await at.upload("x")).status).toBe(201);
  });

  it("of a page of another site writes nothing: browsers send forms without asking", async () => {
    const at = await served();
    const parts = { operations: operation({ file: null }), map: { 0: ["variables.file"] }, files: { 0: text("x") } };
    const foreign = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    const refused = await send(at, form(parts), foreign);
    expect([refused.status, refused.codes]).toEqual([403, ["REQUEST_REFUSED"]]);
    expect(await kept(at.store)).toEqual([]);
    // A page of the server's own, and one after a preflight.
    expect((await send(at, form(parts), { origin: at.url })).messages).toEqual([]);
    expect((await send(at, form(parts), { origin: "https://elsewhere.example", "apollo-require-preflight": "true" })).messages).toEqual([]);
  });

  it("is refused as any other type where the schema has no files", async () => {
    const at = await served({ schema: "type Note { text: String }" });
    const { messages } = await send(at, form({ operations: operation({ file: null }), map: { 0: ["variables.file"] }, files: { 0: text("x") } }));
    expect(messages).toEqual(["Unrecognised Content-Type.  Please use application/json or application/graphql for GraphQL requests"]);
  });
});

describe("a form to /files", () => {
  const post = async (at: Served, body: FormData) => await fetch(`${at.url}/files`, { method: "POST", body });

  it("gives a ticket for its only file, with its name and type", async () => {
    const at = await served();
    const answer = await post(at, form({ files: { any: text("hello", "../hello.txt") } }));
    expect([answer.status, await answer.json()]).toMatchObject([
      201,
      { name: "hello.txt", type: "text/plain", bytes: 5, upload: expect.any(String) },
    ]);
  });

  it("with none or two is refused, and leaves nothing", async () => {
    const at = await served();
    expect((await (await post(at, form({ operations: {} }))).json()).errors[0].message).toBe("The form has no file.");
    const two = await post(at, form({ files: { a: text("1"), b: text("2") } }));
    expect([two.status, (await two.json()).errors[0].extensions.code]).toEqual([413, "LIMIT_REACHED"]);
    await expect.poll(() => kept(at.store)).toEqual([]);
  });
});
