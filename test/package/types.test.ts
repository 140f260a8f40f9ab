// The declarations of the packed package in a stranger's project: they compile with `skipLibCheck: false`, with the oldest and the newest types of Node, from
// modules and from CommonJS.

import { exec, execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const project = join(import.meta.dirname, "../..");
const patienceMs = 600_000;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}
const manifest: Manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** The lowest version of Node's types that the package takes, and the highest that there is. */
const nodeTypes = { oldest: (manifest.dependencies["@types/node"] ?? "").replace(">=", ""), newest: "latest" };

/** Adapters and plugins with a peer dependency of their own: who imports them installs it. */
const withPeer = ["accounts", "mongodb", "opentelemetry", "yoga"];

/** Every name by which the package is imported, but for those with a peer. */
function entries(): readonly string[] {
  const plain = Object.keys(manifest.exports).filter((name) => !name.includes("*") && !name.endsWith(".json"));
  const folders = ["plugins", "adapters"].flatMap((kind) =>
    readdirSync(join(place, "node_modules/quern/dist", kind), { recursive: true, encoding: "utf8" })
      .filter((path) => /^[^/]+\/index\.d\.ts$/.test(path))
      .map((path) => `${kind}/${path.split("/", 1)[0]}`),
  );
  const names = [
    ...plain.map((name) => name.replace(/^\.\/?/, "")),
    ...folders.filter((name) => !withPeer.some((each) => name.endsWith(`/${each}`))),
  ];
  return names.map((name) => (name === "" ? "quern" : `quern/${name}`));
}

/** What the installed package is used for, so that its types count and not only its names. */
const use = `
const kernel = createKernel({ storage: memoryStorage() });
export async function titles(): Promise<readonly string[]> {
  const { body } = await kernel.execute({ query: "{ queryTask { title } }", claims: { sub: "ada" } });
  return JSON.parse(body).data.queryTask.map(({ title }: { title: string }) => title);
}
const handler = fetchHandler(createServerKernel({ storage: memoryStorage() }));
export const GET = (request: Request): Promise<Response> => handler(request);
`;
const place = mkdtempSync(join(tmpdir(), "quern-types-"));
let missing: string | undefined;

async function npm(command: string): Promise<void> {
  await promisify(exec)(`npm ${command} --no-audit --no-fund --prefer-offline --ignore-scripts`, { cwd: place, timeout: 240_000 });
}

beforeAll(async () => {
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }));
  await promisify(exec)(`npm pack --ignore-scripts --pack-destination "${place}"`, { cwd: project });
  await npm(`install ./quern-*.tgz graphql typescript@5 @types/node@${nodeTypes.oldest}`).catch((thrown: unknown) => {
    missing = `the packages cannot be installed. ${thrown instanceof Error ? thrown.message : ""}`;
  });
  if (missing !== undefined) return;
  const names = entries();
  const imports = names.map((name, i) => `import * as entry${i} from "${name}";`);
  const requires = names.map((name, i) => `import entry${i} = require("${name}");`);
  const all = `console.log(${names.map((_, i) => `entry${i}`).join(", ")});`;
  const named = (from: (names: string, entry: string) => string) =>
    [
      from("createKernel, createServerKernel", "quern"),
      from("fetchHandler", "quern/adapters/fetch"),
      from("memoryStorage", "quern/adapters/memory"),
    ].join("\n");
  writeFileSync(join(place, "module.mts"), [...imports, named((what, entry) => `import { ${what} } from "${entry}";`), all, use].join("\n"));
  writeFileSync(join(place, "common.cts"), [...requires, named((what, entry) => `import { ${what} } from "${entry}";`), all, use].join("\n"));
  writeFileSync(join(place, "common.cjs"), `const { createKernel } = require("quern");\nconsole.log(typeof createKernel);\n`);
}, patienceMs);
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What the compiler prints; it is empty when nothing is wrong. */
async function compiled(file: string, module: string, resolution: string): Promise<string> {
  const language = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--target", "es2022", "--types", "node"];
  const args = [join(place, "node_modules/typescript/bin/tsc"), ...language, "--module", module, "--moduleResolution", resolution, file];
  const run = promisify(execFile)(process.execPath, args, { cwd: place });
  return (await run.catch((error: { readonly stdout: string }) => error)).stdout;
}

describe.each(Object.entries(nodeTypes))("the packed declarations, with the %s types of Node", (_which, version) => {
  beforeAll(async () => {
    if (missing === undefined) await npm(`install @types/node@${version}`);
  }, patienceMs);

  it.each([
    ["module.mts", "nodenext", "nodenext"],
    ["module.mts", "node16", "node16"],
    ["module.mts", "preserve", "bundler"],
    ["common.cts", "nodenext", "nodenext"],
  ])(
    "compile in %s with module %s and module resolution %s, libraries included",
    async (file, module, resolution) => {
      if (missing === undefined) expect(await compiled(file, module, resolution)).toBe("");
      else console.info(`LEFT OUT: ${missing}`);
    },
    patienceMs,
  );
});

it(
  "the package is loaded by require, and its types are not with module node16, as the README says",
  async (context) => {
    if (missing !== undefined) {
      console.info(`LEFT OUT: ${missing}`);
      context.skip();
    }
    const { stdout } = await promisify(execFile)(process.execPath, ["common.cjs"], { cwd: place });
    expect(stdout).toBe("function\n");
    expect(await compiled("common.cts", "node16", "node16")).toMatch(/TS1471|TS1479/);
    expect(readFileSync(join(project, "README.md"), "utf8")).toContain("`module: node16` cannot");
  },
  patienceMs,
);
