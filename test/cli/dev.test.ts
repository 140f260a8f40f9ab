// quern dev: what is saved is served, what is wrong is shown with its place, and the old API answers meanwhile.

import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, type HostedProgram, hosted, run, temporaryFolder } from "./quern.ts";

const packageFolder = join(import.meta.dirname, "../..");

let folder: ReturnType<typeof temporaryFolder>;
let server: HostedProgram | undefined;
beforeEach(() => {
  folder = temporaryFolder();
  save("type Boat {\n  name: String! @id\n  seats: Int\n}\n");
});
afterEach(async () => {
  server?.kill("SIGINT");
  await server?.ended;
  server = undefined;
  folder.remove();
});

const path = () => join(folder.path, "schema.graphql");
/** As editors do that empty a file and write it anew. Who looks in between sees half of it. */
const saveInPlace = (text: string) => writeFileSync(path(), text);
/** As editors do that write another file and put it in the place of the old one. */
function save(text: string): void {
  writeFileSync(`${path()}~`, text);
  renameSync(`${path()}~`, path());
}

let shown: HostedProgram["output"];
async function dev(...args: readonly string[]): Promise<string> {
  begin(...args);
  await until(() => shown.out.includes("press Ctrl-C to stop."));
  return address();
}

function begin(...args: readonly string[]): void {
  server = hosted(folder.path, "dev", "--port", "0", ...args);
  shown = server.output;
}

function address(): string {
  return /^http.*$/m.exec(shown.out)?.[0] ?? "";
}

/** Waits until the process has printed what `holds` looks for. */
async function until(holds: () => boolean): Promise<void> {
  const late = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > late) throw new Error(`Not printed within a minute. The output is:\n${shown.out}\n${shown.err}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("quern dev", () => {
  it("serves, stores data in ./data, and exits with code 0 at Ctrl-C", async () => {
    const url = await dev();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/graphql$/);
    expect(shown.out).toContain("Open the first in a browser for GraphiQL. Watching schema.graphql; press Ctrl-C to stop.");
    expect((await fetch(url, { headers: { accept: "text/html" } })).headers.get("content-type")).toContain("text/html");
    await ask(url, 'mutation { addBoat(input: [{ name: "Heron" }]) { numUids } }');
    expect(existsSync(join(folder.path, "data", "CURRENT"))).toBe(true);
    server?.kill("SIGINT");
    expect((await server?.ended)?.code).toBe(0);
    expect(await ask(await dev(), "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [{ name: "Heron" }] } });
  });

  it("deploys a saved schema, and prints the changes", async () => {
    const url = await dev();
    saveInPlace("type Boat {\n  name: String! @id\n  length: Float\n}\n");
    // The last of its lines.
    await until(() => /\n {2}and \d+ in generated types\n/.test(shown.out));
    expect(shown.out).toContain("+ Boat.length: Float was added.");
    expect(shown.out).toMatch(/schema\.graphql is deployed \(\d+ ms\)\. \d+ breaking, \d+ safe changes of the API:/);
    expect(shown.out).toContain("- Boat.seats was removed.  (breaking)");
    expect(await ask(url, "{ queryBoat { length } }")).toMatchObject({ data: { queryBoat: [] } });
  });

  it("detects every replacement of the schema file by another file", async () => {
    const url = await dev();
    for (const field of ["a", "b", "c"]) {
      save(`type Boat {\n  name: String! @id\n  ${field}: Int\n}\n`);
      await until(() => shown.out.includes(`+ Boat.${field}: Int was added.`));
    }
    expect(await ask(url, "{ queryBoat { c } }")).toMatchObject({ data: { queryBoat: [] } });
  });

  it("shows the location of an error, keeps the old API, and deploys the corrected schema", async () => {
    const url = await dev();
    save("type Boat {\n  name: String! @id\n  seats: Intt\n}\n");
    await until(() => shown.err.includes("the API is unchanged"));
    expect(shown.err).toMatch(/did you mean "Int"\?\nschema\.graphql:3:10\n2 \| {3}name: String! @id\n3 \| {3}seats: Intt\n {2}\| +\^/);
    expect(await ask(url, "{ queryBoat { seats } }")).toMatchObject({ data: { queryBoat: [] } });
    save("type Boat {\n  name: String! @id\n  seats: Int!\n}\n");
    await until(() => shown.out.includes("~ Boat.seats changed type from Int to Int!."));
  });

  it("prints which data become hidden, and how to declare a rename", async () => {
    const url = await dev();
    await ask(url, 'mutation { addBoat(input: [{ name: "Heron", seats: 4 }, { name: "Egret", seats: 2 }, { name: "Ibis" }]) { numUids } }');
    save("type Boat {\n  name: String! @id\n  places: Int\n}\n");
    await until(() => shown.err.includes("@was"));
    expect(shown.err).toContain(
      'Boat.seats is no longer in the schema; values of 2 nodes are hidden, not deleted.\n  Nothing is deleted. If you renamed it, add @was(name: "seats") to the new declaration to keep its data visible.\n',
    );
    save('type Boat {\n  name: String! @id\n  places: Int @was(name: "seats")\n}\n');
    await until(() => shown.out.includes("Boat.seats is renamed to Boat.places and keeps its data."));
    expect(await ask(url, '{ getBoat(name: "Heron") { places } }')).toMatchObject({ data: { getBoat: { places: 4 } } });
  });

  it("refuses a schema that the data contradict, and names the nodes", async () => {
    save("type Boat {\n  name: String\n}\n");
    const url = await dev();
    await ask(url, 'mutation { addBoat(input: [{ name: "Heron" }, { name: "Heron" }]) { numUids } }');
    save("type Boat {\n  name: String! @id\n}\n");
    await until(() => shown.err.includes("the API is unchanged"));
    expect(shown.err).toContain('Boat.name must be unique, but "Heron" is held by 0x1 and 0x2');
  });

  it("starts with an invalid schema, reports its errors, and serves the first valid one", async () => {
    save("type Boat { name: Strin }");
    begin();
    await until(() => shown.err.includes("there is no API yet"));
    save("type Boat { name: String }");
    await until(() => shown.out.includes("schema.graphql is deployed"));
    expect(await ask(address(), "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });
  });

  it("continues after the schema file is absent for a while", async () => {
    await dev();
    renameSync(path(), `${path()}.away`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    renameSync(`${path()}.away`, path());
    save("type Boat {\n  name: String! @id\n  late: Int\n}\n");
    await until(() => shown.out.includes("+ Boat.late: Int was added."));
  });

  it("fails with a hint when the schema file does not exist", async () => {
    expect(await run(folder.path, "dev", "none.graphql")).toMatchObject({
      code: 1,
      err: "The schema file none.graphql does not exist; check the path.\nCreate one with: quern init\n",
    });
  });
});

describe.each(["ts", "mts", "js", "mjs"])("quern dev with a configuration in a .%s file", (type) => {
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const config = (functions: string) => `import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { lambdaPlugin } from "quern/plugins/lambda";
${functions}
export default defineConfig({ storage: leveldbStorage({ path: "./data" }), transports: [wsTransport()], plugins: [identityPlugin(), lambdaPlugin({ functions })] });
`;
  const greeting = (word: string) => `export const functions = { "Boat.hail": ({ parents }) => parents.map(({ name }) => "${word} " + name) };\n`;
  const hail = async () => await ask(address(), "{ queryBoat { hail } }");
  beforeEach(() => {
    // The copy of the package under test.
    mkdirSync(join(folder.path, "node_modules"), { recursive: true });
    symlinkSync(packageFolder, join(folder.path, "node_modules/quern"));
    if (type === "js") write("package.json", '{ "type": "module" }');
    save("type Boat {\n  name: String! @id\n  hail: String @lambda\n}\n");
    mkdirSync(join(folder.path, "logic"));
    write(`logic/boats.${type}`, greeting("Ahoy"));
    write(`quern.config.${type}`, config(`import { functions } from "./logic/boats.${type}";`));
  });

  it("uses changed functions, keeps data and port, serves the former ones while a file has an error, and says where it is", async () => {
    const url = await dev();
    expect(shown.out).toContain(`Watching schema.graphql, quern.config.${type} and logic/boats.${type}; press Ctrl-C to stop.`);
    expect(shown.out).toContain("Not watched: installed packages");
    await ask(url, 'mutation { addBoat(input: [{ name: "Ada" }]) { numUids } }');
    expect(await hail()).toMatchObject({ data: { queryBoat: [{ hail: "Ahoy Ada" }] } });

    write(`logic/boats.${type}`, greeting("Moin"));
    await until(() => shown.err.includes("The new configuration is used"));
    expect(await hail()).toMatchObject({ data: { queryBoat: [{ hail: "Moin Ada" }] } });

    shown.err = "";
    write(`logic/boats.${type}`, "export const functions = {\n  broken:\n};\n");
    await until(() => shown.err.includes("the server runs with the former one"));
    expect(shown.err).toMatch(new RegExp(`boats\\.${type}:3\\b`));
    expect(await hail()).toMatchObject({ data: { queryBoat: [{ hail: "Moin Ada" }] } });

    shown.err = "";
    write(`logic/boats.${type}`, "export const functions = missing();\n");
    await until(() => shown.err.includes("the server runs with the former one"));
    expect(shown.err).toContain("missing is not defined");
    expect(shown.err).toContain(`(logic/boats.${type}:1)`);

    shown.err = "";
    write(`logic/boats.${type}`, greeting("Hey"));
    await until(() => shown.err.includes("The new configuration is used"));
    expect(await hail()).toMatchObject({ data: { queryBoat: [{ hail: "Hey Ada" }] } });
  });

  it("keeps the former plugins where the deployed schema needs them, and starts the former server again where the new one cannot", async () => {
    const url = await dev();
    await ask(url, 'mutation { addBoat(input: [{ name: "Ada" }]) { numUids } }');
    write(`quern.config.${type}`, config("const functions = {};"));
    await until(() => shown.err.includes("the former one"));
    expect(shown.err).toContain("Boat.hail");
    expect(await hail()).toMatchObject({ data: { queryBoat: [{ hail: "Ahoy Ada" }] } });

    shown.err = "";
    write(`quern.config.${type}`, config(greeting("Hey").replace("export ", "")).replace("./data", "./schema.graphql"));
    await until(() => shown.err.includes("the former one runs again"));
    expect(await hail()).toMatchObject({ data: { queryBoat: [{ hail: "Ahoy Ada" }] } });
  });
});

it("quern dev uses a changed module of functions and a changed script, also of a JavaScript configuration, and keeps the former ones while they fail", async () => {
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const greeting = (word: string) => `export const functions = { "Boat.hail": ({ parents }) => parents.map(({ name }) => "${word} " + name) };\n`;
  const answer = (word: string) => `self.addGraphQLResolvers({ "Query.call": () => "${word}" });\n`;
  const entry = (name: string) => join(packageFolder, "dist", name, "index.js");
  write(
    "quern.config.mjs",
    `import { standardPlugins, standardStack } from "${entry("adapters/cli")}";
import { lambdaPlugin } from "${entry("plugins/lambda")}";
const lambda = lambdaPlugin({ functions: new URL("functions.mjs", import.meta.url), script: "./script.js" });
export default { ...standardStack({ data: "./data" }), plugins: [...standardPlugins().filter(({ name }) => name !== "lambda"), lambda] };
`,
  );
  write("functions.mjs", 'export { functions } from "./hails.mjs";\n');
  write("hails.mjs", greeting("Ahoy"));
  write("script.js", answer("one"));
  save("type Boat {\n  name: String! @id\n  hail: String @lambda\n}\ntype Query { call: String @lambda }\n");
  const url = await dev();
  expect(shown.out).toContain("3 files that it imports");
  await ask(url, 'mutation { addBoat(input: [{ name: "Ada" }]) { numUids } }');
  const both = async () => await ask(address(), "{ call queryBoat { hail } }");
  expect(await both()).toMatchObject({ data: { call: "one", queryBoat: [{ hail: "Ahoy Ada" }] } });

  for (const [name, text] of [
    ["hails.mjs", greeting("Moin")],
    ["script.js", answer("two")],
  ] as const) {
    shown.err = "";
    write(name, text);
    await until(() => shown.err.includes("The new configuration is used"));
  }
  expect(await both()).toMatchObject({ data: { call: "two", queryBoat: [{ hail: "Moin Ada" }] } });

  shown.err = "";
  write("hails.mjs", "export const functions = { broken: };\n");
  await until(() => shown.err.includes("the server runs with the former one"));
  expect(shown.err).toContain("The module of functions functions.mjs cannot be used");
  expect(await both()).toMatchObject({ data: { call: "two", queryBoat: [{ hail: "Moin Ada" }] } });
});

it("quern dev uses changed CommonJS modules too", async () => {
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  mkdirSync(join(folder.path, "node_modules"), { recursive: true });
  symlinkSync(packageFolder, join(folder.path, "node_modules/quern"));
  write("port.cjs", "exports.maxDepth = 3;\n");
  write(
    "quern.config.js",
    'const { standardStack } = require("quern/adapters/cli");\nconst { maxDepth } = require("./port.cjs");\nmodule.exports = { ...standardStack({ data: "./data" }), limits: { maxDepth } };\n',
  );
  const url = await dev();
  const deep = "{ __schema { types { fields { type { ofType { name } } } } } }";
  expect(await ask(url, deep)).toMatchObject({ errors: [{ message: expect.stringContaining("3") }] });
  write("port.cjs", "exports.maxDepth = 30;\n");
  await until(() => shown.err.includes("The new configuration is used"));
  expect(await ask(address(), deep)).not.toHaveProperty("errors");
});
