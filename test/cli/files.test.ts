// Files of `@file` on the command line: where they are kept, and how they are checked, copied and brought back.

import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, run, served, temporaryFolder } from "./quern.ts";

const schema = "type Photo { id: ID!  title: String  image: File @file }";
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

/** By their texts. */
function filesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [readFileSync(path, "utf8"), path]));
}

/** What a server over `data` gives for each file. */
async function readAll(folder: string, data: string): Promise<readonly string[]> {
  const server = await served(folder, "--data", data);
  const answer = await ask(server.url, "{ queryPhoto(order: { asc: title }) { image { url } } }");
  const { data: found } = answer as { data: { queryPhoto: readonly { image: { url: string } }[] } };
  const texts = await Promise.all(found.queryPhoto.map(async ({ image }) => await (await fetch(new URL(image.url, server.url))).text()));
  await server.stop();
  return texts;
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

  it("is refused for a running server", async () => {
    const { code, err } = await run(place(), "backup", "copies", "--url", "http://127.0.0.1:1", "--files");
    expect([code, err]).toEqual([1, expect.stringContaining("--files needs --data or --config")]);
  });
});
