// Files of `@file` on the command line: where they are kept, and how they are checked, copied and brought back.

import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, run, type Served, served, temporaryFolder } from "./quern.ts";

const schema = "type Photo { id: ID!  title: String @search(by: [hash])  image: File @file }";
const add = "mutation ($title: String, $upload: Upload!) { addPhoto(input: [{ title: $title, image: { upload: $upload } }]) { numUids } }";

function place(): string {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  writeFileSync(join(path, "schema.graphql"), schema);
  return path;
}

/** A folder with a store `data` and files of these texts. */
async function withFiles(texts: readonly string[], ...args: readonly string[]): Promise<string> {
  const folder = place();
  const server = await served(folder, "--schema", "schema.graphql", "--data", "data", ...args);
  for (const text of texts) {
    const { upload } = await (await fetch(new URL("/files", server.url), { method: "POST", body: text })).json();
    expect(await ask(server.url, add, { title: text, upload })).toMatchObject({ data: { addPhoto: { numUids: expect.any(Number) } } });
  }
  await server.stop();
  return folder;
}

/** A server over a store of `withFiles` that administrators ask without a token. */
async function runningOver(folder: string, ...args: readonly string[]): Promise<Served & { readonly origin: string }> {
  const server = await served(folder, "--admin-open", ...args);
  onTestFinished(async () => void (await server.stop()));
  return { ...server, origin: new URL(server.url).origin };
}

/** By their texts. */
function filesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [readFileSync(path, "utf8"), path]));
}

/** What a server over `data` gives for each file. */
async function readAll(folder: string, data: string): Promise<readonly string[]> {
  const server = await served(folder, "--data", data);
  const texts = await readFrom(server);
  await server.stop();
  return texts;
}

async function readFrom(server: Pick<Served, "url">): Promise<readonly string[]> {
  const answer = await ask(server.url, "{ queryPhoto(order: { asc: title }) { image { url } } }");
  const { data: found } = answer as { data: { queryPhoto: readonly { image: { url: string } }[] } };
  return await Promise.all(found.queryPhoto.map(async ({ image }) => await (await fetch(new URL(image.url, server.url))).text()));
}

describe("quern start", () => {
  it("keeps files beside the data, or where --files-at says", async () => {
    expect([...filesIn(join(await withFiles(["beside"]), "data.files")).keys()]).toEqual(["beside"]);
    const folder = await withFiles(["elsewhere"], "--files-at", "other");
    expect([...filesIn(join(folder, "other")).keys()]).toEqual(["elsewhere"]);
  });

  it("names what is missing for files in S3", async () => {
    const ended = await run(place(), "start", "--data", "data", "--port", "0", "--files-at", "s3://photos");
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("Files in S3 need the environment variable AWS_ACCESS_KEY_ID.")]);
  });
});

describe("quern check --files", () => {
  it("names files that are missing, damaged and orphaned, and removes orphaned ones on request", async () => {
    const folder = await withFiles(["missing", "damaged", "shorter", "whole"]);
    const store = join(folder, "data.files");
    const check = async (...args: readonly string[]) => {
      const { code, out } = await run(folder, "check", "--data", "data", "--files", ...args);
      const kinds = out.split("\n").flatMap((line) => /^ {2}(\w+): .*?(; removed)?$/.exec(line)?.slice(1) ?? []);
      return [code, kinds.filter((each) => each !== undefined).sort()];
    };
    expect(await check()).toEqual([0, []]);
    const paths = filesIn(store);
    const missing = paths.get("missing") ?? "";
    renameSync(missing, join(store, "incoming", "0".repeat(40)));
    writeFileSync(paths.get("damaged") ?? "", "DAMAGED");
    writeFileSync(paths.get("shorter") ?? "", "short");
    expect(await check()).toEqual([1, ["damaged", "damaged", "missing", "orphaned"]]);
    expect(await check("--repair")).toEqual([1, ["; removed", "damaged", "damaged", "missing", "orphaned"]]);
    writeFileSync(missing, "missing");
    writeFileSync(paths.get("damaged") ?? "", "damaged");
    writeFileSync(paths.get("shorter") ?? "", "shorter");
    expect(await check()).toEqual([0, []]);
  });

  it("removes nothing of a schema without files, where everything would count as orphaned", async () => {
    const folder = await withFiles(["kept"]);
    writeFileSync(join(folder, "schema.graphql"), "type Note { text: String }");
    await (await served(folder, "--schema", "schema.graphql", "--data", "data")).stop();
    const { code, err } = await run(folder, "check", "--data", "data", "--files", "--repair");
    expect([code, err]).toEqual([1, expect.stringContaining("The deployed schema has no field with @file")]);
    expect([...filesIn(join(folder, "data.files")).keys()]).toEqual(["kept"]);
  });
});

describe("--files", () => {
  it("of backup and restore brings files with the database, and copies each once", async () => {
    const folder = await withFiles(["a", "b"]);
    expect((await run(folder, "backup", "copies", "--data", "data", "--files")).out).toContain("files: 2 copied");
    expect((await run(folder, "backup", "copies", "--data", "data", "--files")).out).not.toMatch(/files: [1-9]/);
    expect((await run(folder, "restore", "copies", "--data", "restored", "--files")).out).toContain("files: 2 copied");
    expect(await readAll(folder, "restored")).toEqual(["a", "b"]);
  });

  it("of export and import brings files into another store", async () => {
    const folder = await withFiles(["a", "b"]);
    expect((await run(folder, "export", "moved", "--data", "data", "--files")).out).toContain("files: 2 copied");
    expect((await run(folder, "import", "moved", "--data", "imported", "--files")).out).toContain("files: 2 copied");
    expect(await readAll(folder, "imported")).toEqual(["a", "b"]);
  });

  it("says what a copy lacks", async () => {
    const folder = await withFiles(["a", "b"]);
    renameSync(filesIn(join(folder, "data.files")).get("a") ?? "", join(folder, "lost"));
    const { code, out, err } = await run(folder, "export", "moved", "--data", "data", "--files");
    expect([code, out, err]).toEqual([1, expect.stringContaining("files: 1 copied"), expect.stringContaining("files: 1 is missing:\nthe file 0x")]);
  });
});

describe("--files with --url", () => {
  it("of export and import brings files out of a running server and into another one, each once", async () => {
    const folder = await withFiles(["a", "b", ""]);
    const source = await runningOver(folder, "--data", "data");
    const { out } = await run(folder, "export", "moved", "--url", source.origin, "--files");
    expect(out).toMatch(/\d nodes are in .*; files: 3 copied, 0\.0 MB/);
    const exported = join(folder, "moved", readdirSync(join(folder, "moved"))[0] ?? "");
    expect(readdirSync(join(folder, "moved"))).toHaveLength(1);
    const target = await runningOver(folder, "--data", "imported");
    expect((await run(folder, "import", exported, "--url", target.origin, "--files")).out).toContain("files: 3 copied");
    expect(await readFrom(target)).toEqual(["", "a", "b"]);
    expect((await run(folder, "import", exported, "--url", target.origin, "--files")).out).toContain("files: 0 copied");
    // The folder that the server was told, in which it made one.
    expect((await run(folder, "import", "moved", "--data", "beside", "--files")).out).toContain("files: 3 copied");
  });

  it("of backup and restore brings files with the database of a running server", async () => {
    const folder = await withFiles(["a", "b"]);
    const server = await runningOver(folder, "--data", "data");
    const backup = async () => (await run(folder, "backup", "copies", "--url", server.origin, "--files")).out;
    expect([await backup(), await backup()]).toEqual([expect.stringContaining("files: 2 copied"), expect.stringContaining("files: 0 copied")]);
    await ask(server.url, 'mutation { deletePhoto(filter: { title: { eq: "a" } }) { numUids } }');
    await expect.poll(() => [...filesIn(join(folder, "data.files")).keys()]).toEqual(["b"]);
    expect((await run(folder, "restore", "copies", "--url", server.origin, "--files")).out).toContain("files: 1 copied");
    expect(await readFrom(server)).toEqual(["a", "b"]);
  });

  it("says what is missing, and sends no other bytes than those of the database", async () => {
    const folder = await withFiles(["a", "b", "c"]);
    await run(folder, "export", "moved", "--data", "data", "--files");
    const copies = filesIn(join(folder, "moved/files"));
    renameSync(copies.get("a") ?? "", join(folder, "lost"));
    const target = await runningOver(folder, "--data", "imported");
    const lacking = await run(folder, "import", "moved", "--url", target.origin, "--files");
    expect([lacking.code, lacking.out]).toEqual([1, expect.stringContaining("files: 2 copied")]);
    expect(lacking.err).toContain("files: 1 is missing:\nthe file 0x");

    const key = (copies.get("a") ?? "").split("/").at(-1);
    const put = async (body: string, of = key) => (await fetch(`${target.origin}/files/copies/${of}`, { method: "PUT", body })).status;
    expect([await put("A"), await put("aa"), await put("a", "0".repeat(40))]).toEqual([415, 413, 404]);
    expect([...filesIn(join(folder, "imported.files")).keys()].sort()).toEqual(["b", "c"]);
    expect(await put("a")).toBe(201);
    expect(await readFrom(target)).toEqual(["a", "b", "c"]);
  });

  it("needs an administrator", async () => {
    const folder = await withFiles(["a"]);
    const server = await served(folder, "--data", "data");
    onTestFinished(async () => void (await server.stop()));
    const statuses = ["GET", "PUT"].map(async (method) => {
      const path = method === "GET" ? "/files/copies" : `/files/copies/${"0".repeat(40)}`;
      return (await (await fetch(new URL(path, server.url), { method })).json()).errors[0].extensions.code;
    });
    expect(await Promise.all(statuses)).toEqual(["ErrorUnauthorized", "ErrorUnauthorized"]);
  });
});
