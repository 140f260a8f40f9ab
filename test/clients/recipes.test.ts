// The recipes of docs/clients.md as they are printed, in an empty project: its packages are installed from the registry, its commands run, and what they
// write compiles with a query. Where the packages cannot be installed the spec says so and is left out.

import { exec } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it, onTestFinished, type TestContext } from "vitest";

const project = join(import.meta.dirname, "../..");
const guide = readFileSync(join(project, "docs/clients.md"), "utf8");
const cli = join(project, "dist/adapters/cli/main.js");

/** A section of the guide: the commands of its first block, and the texts that are indented. */
function recipe(title: string): { readonly commands: readonly string[]; readonly texts: readonly string[] } {
  const [, section = ""] = guide.split(`## ${title}\n`);
  const [own = ""] = section.split("\n## ");
  const [, commands = ""] = /^```console\n([\s\S]*?)^```/m.exec(own) ?? [];
  const texts = [...own.matchAll(/(?:^ {4}.*\n|^\n(?= {4}))+/gm)].map(([text]) => text.replace(/^ {4}/gm, "").trim());
  return { commands: commands.trim().split("\n"), texts };
}

/** A project with the schema of these specs. TypeScript is of the version that code generators read. */
function emptyProject(): string {
  const place = mkdtempSync(join(tmpdir(), "quern-recipe-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  mkdirSync(join(place, "src"));
  copyFileSync(join(import.meta.dirname, "harbor.graphql"), join(place, "schema.graphql"));
  writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module", private: true }));
  return place;
}

/** Longer than this the registry is as good as absent. */
const installTimeoutMs = 120_000;

/** Runs the commands in order. Without the registry the spec is left out. */
async function run(place: string, commands: readonly string[], context: TestContext): Promise<void> {
  for (const command of commands) {
    if (command.startsWith("npm install")) await install(place, command, context);
    else await promisify(exec)(command.replace(/^npx quern /, `"${process.execPath}" "${cli}" `), { cwd: place });
  }
}

async function install(place: string, command: string, context: TestContext): Promise<void> {
  const whole = `${command} typescript@5 graphql@16 --no-audit --no-fund --prefer-offline`;
  await promisify(exec)(whole, { cwd: place, timeout: installTimeoutMs }).catch((thrown: unknown) => {
    console.info(`LEFT OUT: "${command}" failed. ${thrown instanceof Error ? thrown.message : ""}`);
    context.skip();
  });
}

const strict = { strict: true, module: "nodenext", target: "es2022", skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true };

describe("the recipes of docs/clients.md", () => {
  it("types queries by GraphQL Code Generator", async (context) => {
    const place = emptyProject();
    const { commands, texts } = recipe("GraphQL Code Generator");
    writeFileSync(join(place, "codegen.ts"), texts.find((text) => text.includes("CodegenConfig")) ?? "");
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, module: "preserve" }, include: ["src"] }));
    writeFileSync(
      join(place, "src/boats.ts"),
      `import { graphql } from "./gql/gql";
      import type { ResultOf } from "@graphql-typed-document-node/core";
      const boats = graphql(\`query Boats { queryBoat { code built } }\`);
      type Row = NonNullable<NonNullable<ResultOf<typeof boats>["queryBoat"]>[number]>;
      export const row: Row = { code: "A", built: "2024-01-01T00:00:00Z" };
      // @ts-expect-error: a code is a text.
      export const wrong: Row = { code: 1, built: null };`,
    );
    await run(place, [...commands, "npx tsc -p ."], context);
  });

  it("types queries by gql.tada", async (context) => {
    const place = emptyProject();
    const { commands, texts } = recipe("gql.tada");
    const plugins = JSON.parse(`{ ${texts.find((text) => text.includes("ts-plugin"))} }`);
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, ...plugins }, include: ["src"] }));
    writeFileSync(
      join(place, "src/boats.ts"),
      `${texts.find((text) => text.includes("initGraphQLTada"))}
      import type { ResultOf } from "gql.tada";
      type Row = NonNullable<NonNullable<ResultOf<typeof boats>["queryBoat"]>[number]>;
      export const row: Row = { code: "A", built: "2024-01-01T00:00:00Z" };
      // @ts-expect-error: a code is a text.
      export const wrong: Row = { code: 1, built: null };`,
    );
    await run(place, [...commands, "npx tsc -p ."], context);
  });
});
