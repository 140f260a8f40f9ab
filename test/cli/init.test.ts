// quern init: files to start from, in an empty folder and in a project that is there, and nothing overwritten.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { firstConfig } from "../../adapters/cli/first/first-config.ts";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { ask, run, served, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const project = new URL("../..", import.meta.url).pathname;

describe("quern init", () => {
  it("writes a working configuration and schema into an empty folder", async () => {
    const { code, out, err } = await run(folder.path, "init");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(`quern.config.mts is written.
schema.graphql is written.
.gitignore is written.

Next:
  npm install quern graphql
  npx quern dev        serves schema.graphql, and deploys it again each time you save it
`);
    expect(readdirSync(folder.path).sort()).toEqual([".gitignore", "quern.config.mts", "schema.graphql"]);
    expect(await run(folder.path, "validate", "schema.graphql")).toEqual({ code: 0, out: "schema.graphql is valid.\n", err: "" });
    const server = await served(folder.path, "--schema", "schema.graphql");
    const schema = readFileSync(join(folder.path, "schema.graphql"), "utf8");
    const [mutation = "", query = "", ...others] = [...schema.matchAll(/^# {3}(.*)$/gm)].map(([, operation = ""]) => operation);
    expect(others).toEqual([]);
    expect(await ask(server.url, mutation)).toEqual(
      expect.objectContaining({ data: { addAuthor: { author: [{ name: "Ada", posts: [{ id: expect.any(String) }] }] } } }),
    );
    expect(await ask(server.url, query)).toMatchObject({ data: { queryPost: [{ title: "Notes on the engine", author: { name: "Ada" } }] } });
    expect((await server.stop()).code).toBe(0);
  });

  it("finds every entry of the package in a folder where it is not installed", async () => {
    await run(folder.path, "init");
    writeFileSync(
      join(folder.path, "mark-plugin.mts"),
      `import { createKernel } from "quern";
       import { type DirectivePlugin, pluginContract, QuernError } from "quern/plugin";
       import { comparison } from "quern/storage";
       import * as transport from "quern/transport";
       import { storageConformance } from "quern/conformance";
       if (!(new transport.QuernError("INTERNAL", "") instanceof QuernError) || !createKernel || !comparison || !storageConformance) throw new Error("another copy");
       export const markPlugin = (): DirectivePlugin => ({ contract: pluginContract, name: "mark", definitions: "directive @mark on OBJECT", model: () => undefined });`,
    );
    const config = firstConfig.replace(
      'import { defineConfig } from "quern";',
      'import { defineConfig } from "quern";\nimport { markPlugin } from "./mark-plugin.mts";',
    );
    writeFileSync(join(folder.path, "quern.config.mts"), config.replace("  plugins: [", "  plugins: [markPlugin(),"));
    writeFileSync(join(folder.path, "schema.graphql"), "type Author @mark { name: String! @id }");
    expect(await run(folder.path, "validate", "schema.graphql")).toEqual({ code: 0, out: "schema.graphql is valid.\n", err: "" });
  });

  it("configures every plugin of the standard stack", async () => {
    const names = [...firstConfig.matchAll(/^ {4}(\w+)Plugin\(.*\),/gm)].map(([, name = ""]) =>
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    expect(names).toEqual(standardPlugins().map(({ name }) => name));
  });

  it("prints no installation step where the package is installed", async () => {
    writeFileSync(join(folder.path, "package.json"), '{ "name": "mine" }');
    mkdirSync(join(folder.path, "node_modules"));
    symlinkSync(project, join(folder.path, "node_modules", "quern"));
    const { out } = await run(folder.path, "init");
    expect(out).not.toContain("npm install");
    expect(readFileSync(join(folder.path, "package.json"), "utf8")).toBe('{ "name": "mine" }');
  });

  it("creates the given folder, and prints how to enter it", async () => {
    const { code, out } = await run(folder.path, "init", "my harbor");
    expect(code).toBe(0);
    expect(out).toContain('  cd "my harbor"\n');
    expect(existsSync(join(folder.path, "my harbor", "schema.graphql"))).toBe(true);
  });

  it("overwrites no file, and writes no second configuration", async () => {
    writeFileSync(join(folder.path, "schema.graphql"), "type Mine { a: Int }");
    writeFileSync(join(folder.path, "quern.config.mjs"), "export default {};");
    const { code, out } = await run(folder.path, "init");
    expect(code).toBe(0);
    expect(out).toContain("quern.config.mjs exists and is left unchanged.\nschema.graphql exists and is left unchanged.\n");
    expect(readFileSync(join(folder.path, "schema.graphql"), "utf8")).toBe("type Mine { a: Int }");
    expect(readdirSync(folder.path).sort()).toEqual([".gitignore", "quern.config.mjs", "schema.graphql"]);
  });

  it("ignores data, packages and tokens in version control", async () => {
    execFileSync("git", ["init", "-q"], { cwd: folder.path });
    await run(folder.path, "init");
    const ignored = ["data/000003.log", "node_modules/quern/package.json", "dist/main.js", ".env", "admin.token", "auth.pem"];
    const kept = ["quern.config.mts", "schema.graphql", ".gitignore", ".env.example"];
    const input = [...ignored, ...kept].join("\n");
    const { stdout } = spawnSync("git", ["check-ignore", "--no-index", "--stdin"], { cwd: folder.path, input, encoding: "utf8" });
    expect(stdout.trim().split("\n")).toEqual(ignored);
  });

  it("prints a step when an existing .gitignore does not list the data", async () => {
    const hint = "  add data/ to .gitignore: it contains the store\n";
    writeFileSync(join(folder.path, ".gitignore"), "node_modules/\n");
    expect((await run(folder.path, "init")).out).toContain(hint);
    expect(readFileSync(join(folder.path, ".gitignore"), "utf8")).toBe("node_modules/\n");
    writeFileSync(join(folder.path, ".gitignore"), "node_modules/\r\n/data\r\n");
    expect((await run(folder.path, "init")).out).not.toContain(hint);
  });

  it("states why a folder cannot be used", async () => {
    writeFileSync(join(folder.path, "file"), "");
    expect(await run(folder.path, "init", "file")).toMatchObject({ code: 1, err: "file is a file; name a folder.\n" });
    expect(await run(folder.path, "init", "file/below")).toMatchObject({ code: 1, err: "file/below is inside a file; name a folder.\n" });
    symlinkSync("nowhere", join(folder.path, "link"));
    expect(await run(folder.path, "init", "link")).toMatchObject({ code: 1, err: "link is a broken symbolic link; name another.\n" });
    // Node's recursive mkdir never ends here.
    if (!existsSync("/proc")) return console.info("This system has no /proc: the case of a folder that takes no subfolders is skipped.");
    expect(await run(folder.path, "init", "/proc/quern/below")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^\/proc\/quern\/below (cannot be created in its parent folder|is not writable by this user)/),
    });
  });
});
