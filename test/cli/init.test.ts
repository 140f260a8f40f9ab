// quern init: files to start from, in an empty folder and in a project that is there, and nothing overwritten.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { firstConfig } from "../../adapters/cli/first-config.ts";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import { ask, run, started, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const project = new URL("../..", import.meta.url).pathname;

describe("quern init", () => {
  it("writes a configuration and a schema that work as they are, in an empty folder", async () => {
    const { code, out, err } = await run(folder.path, "init");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(`quern.config.mts is written.
schema.graphql is written.
.gitignore is written.

Next:
  npm install quern graphql
  npx quern dev        serves schema.graphql, and deploys it again whenever you save it
`);
    expect(readdirSync(folder.path).sort()).toEqual([".gitignore", "quern.config.mts", "schema.graphql"]);
    expect(await run(folder.path, "validate", "schema.graphql")).toEqual({ code: 0, out: "schema.graphql is valid.\n", err: "" });
    const server = await started(folder.path, "--schema", "schema.graphql");
    expect(await ask(server.url, 'mutation { addAuthor(input: [{ name: "Ada", posts: [{ title: "Notes" }] }]) { numUids } }')).toMatchObject({
      data: { addAuthor: { numUids: 2 } },
    });
    server.child.kill("SIGINT");
    expect((await server.ended).code).toBe(0);
  });

  it("configures the standard stack", async () => {
    const names = [...firstConfig.matchAll(/^ {4}(\w+)Plugin\(\),/gm)].map(([, name = ""]) =>
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    expect(names).toEqual(standardPlugins().map(({ name }) => name));
  });

  it("asks for no installation where the package is installed", async () => {
    writeFileSync(join(folder.path, "package.json"), '{ "name": "mine" }');
    mkdirSync(join(folder.path, "node_modules"));
    symlinkSync(project, join(folder.path, "node_modules", "quern"));
    const { out } = await run(folder.path, "init");
    expect(out).not.toContain("npm install");
    expect(readFileSync(join(folder.path, "package.json"), "utf8")).toBe('{ "name": "mine" }');
  });

  it("makes the folder it is given, and says how to get there", async () => {
    const { code, out } = await run(folder.path, "init", "my harbor");
    expect(code).toBe(0);
    expect(out).toContain('  cd "my harbor"\n');
    expect(existsSync(join(folder.path, "my harbor", "schema.graphql"))).toBe(true);
  });

  it("leaves what is there as it is, also a configuration of another name", async () => {
    writeFileSync(join(folder.path, "schema.graphql"), "type Mine { a: Int }");
    writeFileSync(join(folder.path, "quern.config.mjs"), "export default {};");
    const { code, out } = await run(folder.path, "init");
    expect(code).toBe(0);
    expect(out).toContain("quern.config.mjs is there already and stays as it is.\nschema.graphql is there already and stays as it is.\n");
    expect(readFileSync(join(folder.path, "schema.graphql"), "utf8")).toBe("type Mine { a: Int }");
    expect(readdirSync(folder.path).sort()).toEqual([".gitignore", "quern.config.mjs", "schema.graphql"]);
  });

  it("leaves data, packages and tokens out of version control", async () => {
    execFileSync("git", ["init", "-q"], { cwd: folder.path });
    await run(folder.path, "init");
    const ignored = ["data/000003.log", "node_modules/quern/package.json", "dist/main.js", ".env", "admin.token", "auth.pem"];
    const kept = ["quern.config.mts", "schema.graphql", ".gitignore", ".env.example"];
    const input = [...ignored, ...kept].join("\n");
    const { stdout } = spawnSync("git", ["check-ignore", "--no-index", "--stdin"], { cwd: folder.path, input, encoding: "utf8" });
    expect(stdout.trim().split("\n")).toEqual(ignored);
  });

  it("says so where a .gitignore of the project does not name the data", async () => {
    const hint = "  add data/ to .gitignore: the store is kept there\n";
    writeFileSync(join(folder.path, ".gitignore"), "node_modules/\n");
    expect((await run(folder.path, "init")).out).toContain(hint);
    expect(readFileSync(join(folder.path, ".gitignore"), "utf8")).toBe("node_modules/\n");
    writeFileSync(join(folder.path, ".gitignore"), "node_modules/\r\n/data\r\n");
    expect((await run(folder.path, "init")).out).not.toContain(hint);
  });

  it("says why a folder cannot be used", async () => {
    writeFileSync(join(folder.path, "file"), "");
    expect(await run(folder.path, "init", "file")).toMatchObject({ code: 1, err: "file is a file; name a folder.\n" });
    expect(await run(folder.path, "init", "file/below")).toMatchObject({ code: 1, err: "file/below lies below a file; name a folder.\n" });
    symlinkSync("nowhere", join(folder.path, "link"));
    expect(await run(folder.path, "init", "link")).toMatchObject({ code: 1, err: "link is a link that leads nowhere; name another.\n" });
    // Node's recursive mkdir tries this for ever.
    if (!existsSync("/proc")) return console.warn("There is no /proc here: a folder that takes no folders is left out.");
    expect(await run(folder.path, "init", "/proc/quern/below")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^\/proc\/quern\/below (cannot be made there|may not be written by this user)/),
    });
  });
});
