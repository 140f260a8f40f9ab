// A stack that does not fit together ends the start in sentences that name what clashes and the way out.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const head = `
  import { defineConfig } from "quern";
  import { leveldbStorage } from "quern/adapters/level";
  import { wsTransport } from "quern/adapters/ws";
  import { searchPlugin } from "quern/plugins/search";
  const stack = { storage: leveldbStorage({ path: "./data" }), transports: [wsTransport()], port: 0 };
  const plugin = (name: string, more: object = {}) => ({ name, definitions: "", model: () => undefined, ...more });
`;

/** What \`quern start\` says with a configuration that exports \`config\`. */
async function failure(config: string): Promise<string> {
  writeFileSync(join(folder.path, "quern.config.ts"), `${head}\nexport default defineConfig(${config});\n`);
  const { code, out, err } = await run(folder.path, "start");
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).not.toMatch(/\n {4}at /);
  return err;
}

describe("quern start with a wrong configuration", () => {
  it.each([
    ["an option is wrong", "{ ...stack, prot: 1 }", 'The configuration has an unknown option "prot"; did you mean "port"?'],
    ["a value is wrong", '{ ...stack, port: "8080" }', "The configuration has a wrong port: it must be a whole number from 0 to 65535."],
    [
      "the storage is missing",
      "{ ...stack, storage: undefined }",
      'The configuration has no storage; it must be a storage such as leveldbStorage({ path: "./data" }).',
    ],
    [
      "a factory is not called",
      "{ ...stack, plugins: [searchPlugin] }",
      "Entry 1 of plugins is not a plugin: an object with name, definitions and model; call its factory, as in plugins: [searchPlugin()].",
    ],
    [
      "two plugins have one name",
      '{ ...stack, plugins: [searchPlugin(), plugin("search")] }',
      'Two plugins are named "search"; remove one of them from plugins.',
    ],
    [
      "two plugins define one directive",
      '{ ...stack, plugins: [searchPlugin(), plugin("find", { definitions: "directive @search on FIELD_DEFINITION" })] }',
      'Plugin "find" defines the directive @search, which plugin "search" has already; remove one of them from plugins.',
    ],
    [
      "a plugin defines a directive of the language",
      '{ ...stack, plugins: [plugin("old", { definitions: "directive @deprecated on OBJECT" })] }',
      'Plugin "old" defines the directive @deprecated, which the kernel has already; remove one of them from plugins.',
    ],
    [
      "two plugins define one type in two ways",
      '{ ...stack, plugins: [plugin("one", { definitions: "enum Mood { calm }" }), plugin("two", { definitions: "enum Mood { wild }" })] }',
      'Plugin "two" defines the type Mood, which plugin "one" has already; remove one of them from plugins.',
    ],
    [
      "a plugin's definitions are not valid SDL",
      '{ ...stack, plugins: [plugin("odd", { definitions: "directive search" })] }',
      'The definitions of plugin "odd" are not valid SDL (Syntax Error: Expected "@", found Name "search"); fix the plugin or remove it from plugins.',
    ],
    [
      "a need is missing",
      '{ ...stack, plugins: [plugin("auth", { after: ["search"] })] }',
      'Plugin "auth" needs plugin "search"; add it to plugins, before "auth".',
    ],
    [
      "a plugin stands before what it needs",
      '{ ...stack, plugins: [plugin("auth", { after: ["search"] }), searchPlugin()] }',
      'Plugin "auth" is listed before plugin "search", on which it depends; move "search" before it in plugins.',
    ],
    [
      "two plugins need each other",
      '{ ...stack, plugins: [plugin("a", { after: ["b"] }), plugin("b", { after: ["a"] })] }',
      'Plugins "a" and "b" depend on each other: "a" after "b", "b" after "a". Remove one of them from plugins, or fix its dependencies.',
    ],
    [
      "three do so in a ring",
      '{ ...stack, plugins: [plugin("a", { after: ["b"] }), plugin("b", { follows: ["c"] }), plugin("c", { after: ["a"] }), plugin("d", { after: ["a"] })] }',
      'Plugins "a", "b" and "c" depend on each other: "a" after "b", "b" after "c", "c" after "a". Remove one of them from plugins, or fix its dependencies.',
    ],
    [
      "a plugin needs itself",
      '{ ...stack, plugins: [plugin("a", { after: ["a"] })] }',
      'Plugin "a" depends on itself; remove it from plugins, or fix its dependencies.',
    ],
    [
      "nobody would be let in",
      "{ ...stack, anonymousAccess: false }",
      "anonymousAccess is false and apiKeys is empty, so every request would be refused; add a key to apiKeys, or remove anonymousAccess.",
    ],
  ])("says where the mistake is, and what fits: %s", async (_, config, sentence) => {
    expect(await failure(config)).toBe(`quern.config.ts: ${sentence}\n`);
  });

  it("reports every one of several invalid options", async () => {
    expect(await failure('{ ...stack, prot: 1, plugins: [plugin("auth", { after: ["search"] })] }')).toBe(
      'quern.config.ts: The configuration has an unknown option "prot"; did you mean "port"?\n\nquern.config.ts: Plugin "auth" needs plugin "search"; add it to plugins, before "auth".\n',
    );
  });

  it("names both of two plugins that filter one field when a schema uses it", async () => {
    const loud = `plugin("loud", { model: ({ model }) => ({ api: () => ({ filters: [{ field: model.nodeTypes.get("Boat").fields.get("name"), input: "StringHashFilter", predicate: () => undefined }] }) }) })`;
    expect(await failure(`{ ...stack, schema: "type Boat { name: String @search }", plugins: [searchPlugin(), ${loud}] }`)).toContain(
      'Plugin "loud" filters the field Boat.name, which plugin "search" does already; remove one of them from plugins.\n',
    );
  });
});

describe("quern start with a syntax error in the configuration", () => {
  it.each([
    ["JavaScript", "quern.config.mjs", "export default {", "export default {"],
    ["TypeScript", "quern.config.mts", "const port: number = 1;\nexport default {", "export default {"],
  ])("shows the line with a caret: %s", async (_, name, head, first) => {
    writeFileSync(join(folder.path, name), `${head}\n  port: = 9000,\n};\n`);
    const { code, err } = await run(folder.path, "start");
    const line = head.split("\n").length + 1;
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(`^The configuration file ${name} cannot be loaded: Unexpected token.*\\(${name}:${line}\\)\n\n${name}:${line}:9\n`),
    );
    expect(err).toContain(`${first}\n${line} |   port: = 9000,\n  |         ^\n`);
  });

  it("shows the line of the file that it imports", async () => {
    writeFileSync(join(folder.path, "boats.mjs"), "export const boats = { a: 1,, };\n");
    writeFileSync(join(folder.path, "quern.config.mjs"), 'import { boats } from "./boats.mjs";\nexport default { storage: boats };\n');
    const { err } = await run(folder.path, "start");
    expect(err).toContain("boats.mjs:1:29\n1 | export const boats = { a: 1,, };\n  |                             ^\n");
  });
});

describe("quern start with a configuration without a default export", () => {
  it.each([
    ["quern.config.ts", "export const config = { port: 8080 };", "it exports config"],
    ["quern.config.mjs", "export const config = { port: 8080 };", "it exports config"],
    ["quern.config.mts", "const config = { port: 8080 };", "it exports nothing"],
  ])("says so of %s: %s", async (name, text, what) => {
    writeFileSync(join(folder.path, name), text);
    const { err, code } = await run(folder.path, "start");
    expect(err).toBe(`${name} has no default export (${what}). Write: export default defineConfig({ ... })\n`);
    expect(code).toBe(1);
  });
});

describe("quern start with a plugin that cannot be loaded", () => {
  const load = async (config: string) => {
    writeFileSync(join(folder.path, "quern.config.ts"), config);
    const { code, err } = await run(folder.path, "start");
    expect(code).toBe(1);
    return err;
  };

  it("names a package that is not installed, and the command to install it", async () => {
    expect(await load('import { slugPlugin } from "quern-slug/plugin";\nexport default slugPlugin;')).toBe(
      "The configuration file quern.config.ts cannot be loaded: it imports quern-slug/plugin, which does not exist. Run: npm install quern-slug\n",
    );
    expect(await load('import { slugPlugin } from "@harbor/slug";\nexport default slugPlugin;')).toContain("Run: npm install @harbor/slug\n");
  });

  it("names a file that does not exist", async () => {
    expect(await load('import { slugPlugin } from "./plugins/slug.ts";\nexport default slugPlugin;')).toBe(
      "The configuration file quern.config.ts cannot be loaded: it imports plugins/slug.ts, which does not exist. Check the path of the import.\n",
    );
  });

  it("names the plugin file whose import is missing", async () => {
    mkdirSync(join(folder.path, "plugins"));
    writeFileSync(join(folder.path, "plugins", "slug.ts"), 'import slugify from "slugify-it";\nexport const slugPlugin = slugify;');
    expect(await load('import { slugPlugin } from "./plugins/slug.ts";\nexport default slugPlugin;')).toBe(
      "The configuration file quern.config.ts cannot be loaded: plugins/slug.ts imports slugify-it, which does not exist. Run: npm install slugify-it\n",
    );
  });

  it("reports what a plugin throws when it is created, and where", async () => {
    expect(await load('\nthrow new Error("slugPlugin() needs a field");\nexport default {};')).toBe(
      "The configuration file quern.config.ts cannot be loaded: slugPlugin() needs a field (quern.config.ts:2)\n",
    );
  });

  it("reports the same for a JavaScript configuration", async () => {
    writeFileSync(join(folder.path, "quern.config.mjs"), 'import { slugPlugin } from "quern-slug";\nexport default slugPlugin;');
    const { err } = await run(folder.path, "start");
    expect(err).toBe(
      "The configuration file quern.config.mjs cannot be loaded: it imports quern-slug, which does not exist. Run: npm install quern-slug\n",
    );
  });
});
