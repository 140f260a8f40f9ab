// The guide to testing shows a file of tests. It runs as a reader would run it: in a folder of its own, with the built package, by Vitest.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const project = join(import.meta.dirname, "../..");
const guide = readFileSync(join(project, "docs/testing.md"), "utf8");

function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(guide) ?? [];
  if (text === undefined) throw new Error(`docs/testing.md has no block of ${language}.`);
  return text;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}

async function reportOf(folder: string): Promise<Report> {
  const args = [join(project, "node_modules/vitest/vitest.mjs"), "run", "--root", folder, "--reporter=json"];
  const { PATH, HOME, TMPDIR } = process.env;
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, env: { PATH, HOME, TMPDIR } });
  // Failed tests end it with 1.
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  return JSON.parse(stdout);
}

it("shows tests that pass, and that notice a schema without its rules", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quern-testing-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(project, join(folder, "node_modules/quern"));
  symlinkSync(join(project, "node_modules/vitest"), join(folder, "node_modules/vitest"));
  const schema = block("graphql");
  const open = schema.replace(/@auth\([\s\S]*?\n {2}\) /, "");
  expect(open).not.toContain("@auth");
  for (const [name, text] of Object.entries({ ruled: schema, open })) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "schema.graphql"), text);
    writeFileSync(join(folder, name, "notes.test.ts"), block("typescript"));
  }
  const { testResults } = await reportOf(folder);
  const resultsOf = (name: string) => testResults.find((each) => each.name.includes(`/${name}/`))?.assertionResults ?? [];
  expect(resultsOf("ruled").flatMap(({ failureMessages }) => failureMessages)).toEqual([]);
  expect(resultsOf("ruled").map(({ status }) => status)).toEqual(["passed", "passed", "passed", "passed"]);
  const noticed = resultsOf("open").flatMap(({ title, status }) => (status === "failed" ? [title] : []));
  expect(noticed).toEqual(["shows a note to its owner alone", "lets nobody add a note for another", "shows nothing to a client without a token"]);
});
