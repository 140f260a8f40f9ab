// npx tsx test/bench/route.ts: the way of one request through the code. Files and functions that a warm query by key, a warm add and a deploy enter,
// by folder, counted by V8's own coverage.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { printTable } from "./table.ts";

// Compiled one module a file: the build gathers modules in chunks, and coverage of sources that are compiled while they load counts the compiler's
// helpers too.
const project = fileURLToPath(new URL("../../", import.meta.url));
// Inside the project, so that its modules find the packages and the package itself.
const dist = join(project, "test/.built/route");
execFileSync(
  "npx",
  ["tsc", "-p", "tsconfig.build.json", "--emitDeclarationOnly", "false", "--declaration", "false", "--declarationMap", "false", "--outDir", dist],
  {
    cwd: project,
    stdio: "inherit",
  },
);

const load = (path: string) => import(pathToFileURL(join(dist, path)).href);
const { createKernel }: typeof import("../../core/index.ts") = await load("core/index.js");
const { standardPlugins }: typeof import("../../adapters/cli/index.ts") = await load("adapters/cli/index.js");
const { leveldbStorage }: typeof import("../../adapters/level/index.ts") = await load("adapters/level/index.js");

const schema = `
  type Author { name: String! @id  posts: [Post] @hasInverse(field: author) }
  type Post { title: String! @id  text: String @search(by: [term])  author: Author! }`;
const add = (n: number) => `mutation { addPost(input: [{ title: "p${n}", text: "salt and stone", author: { name: "Ada" } }]) { numUids } }`;
const query = '{ getPost(title: "p1") { title author { name } } }';
const warmUp = 50;

interface Entered {
  readonly file: string;
  readonly name: string;
}

const folder = mkdtempSync(join(tmpdir(), "quern-route-"));
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const kernel = createKernel({ storage: leveldbStorage({ path: join(folder, "store") }), plugins: standardPlugins() });
await kernel.open();

const rows: (readonly string[])[] = [];
await kernel.deploy(schema);
await report("deploy of an optional field", () => kernel.deploy(schema.replace("text:", "note: String  text:")));
for (let n = 0; n < warmUp; n++) await run(add(n));
await report("add with a reference", () => run(add(warmUp)));
for (let n = 0; n < warmUp; n++) await run(query);
await report("query by key, one link", () => run(query));
printTable(["request", "files", "functions", "of core", "of plugins", "of adapters"], rows);

await kernel.close();
session.disconnect();
rmSync(folder, { recursive: true, force: true });

async function run(text: string): Promise<void> {
  const { body } = await kernel.execute({ query: text });
  if (body.includes('"errors"')) throw new Error(body);
}

/** Counts what `work` enters. */
async function report(name: string, work: () => Promise<unknown>): Promise<void> {
  await taken();
  await work();
  const entered = await taken();
  const countOf = (part: string) => String(new Set(entered.filter(({ file }) => file.startsWith(part)).map(({ file }) => file)).size);
  rows.push([name, countOf(""), String(entered.length), ...["core/", "plugins/", "adapters/"].map(countOf)]);
}

/** The functions of the package that were entered since the last call. */
async function taken(): Promise<readonly Entered[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result.flatMap(({ url, functions }) => {
    const file = url.startsWith("file:") ? relative(dist, fileURLToPath(url)) : "..";
    if (file.startsWith("..")) return [];
    return functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => ({ file, name: functionName }));
  });
}
