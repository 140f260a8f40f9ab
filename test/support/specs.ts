// Which spec files there are, and what each one uses. A spec is sorted by what it imports, however far: a file that is added or moved
// needs no entry in a list.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");
const tests = join(root, "test");
const storageDoor = join(import.meta.dirname, "storage.ts");
const kits = join(tests, "conformance");
const startsProcess = /from "(?:node:child_process|playwright-core)";$|process\.execPath/m;

/** Every spec file, as a path from the project's root with `/`. */
export function allSpecs(): readonly string[] {
  return testSources().filter((file) => file.endsWith(".test.ts"));
}

/** TypeScript files of the tests that are no specs, as `allSpecs` names them. */
export function sharedModules(): readonly string[] {
  return testSources().filter((file) => !file.endsWith(".test.ts"));
}

function testSources(): readonly string[] {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.map((file) => relative(root, join(tests, file)).replaceAll("\\", "/")).sort();
}

/** Specs that open a store by `test/support`. They run on every storage. */
export function specsOnEveryStorage(): readonly string[] {
  return specsThatReach((file) => file === storageDoor);
}

/** Specs that start a process: of Node, of the command line, of a compiler, of a browser. The kits start one only where a spec hands it to them. */
export function specsWithProcesses(): readonly string[] {
  return specsThatReach((file) => !file.startsWith(kits) && startsProcess.test(textOf(file)));
}

function specsThatReach(isGoal: (file: string) => boolean): readonly string[] {
  const reaches = new Map<string, boolean>();
  const leadsThere = (file: string): boolean => {
    const known = reaches.get(file);
    if (known !== undefined) return known;
    reaches.set(file, false); // a circle adds nothing
    const found = isGoal(file) || importsOf(file).some(leadsThere);
    reaches.set(file, found);
    return found;
  };
  return allSpecs().filter((spec) => leadsThere(join(root, spec)));
}

/** Imports that stay within the tests. Texts that a spec writes to files may name others. */
function importsOf(file: string): readonly string[] {
  const found = textOf(file).matchAll(/\bfrom "(\.[^"]+\.ts)"/g);
  return [...found].map(([, target = ""]) => join(dirname(file), target)).filter((path) => path.startsWith(tests) && existsSync(path));
}

const texts = new Map<string, string>();
function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, "utf8");
  texts.set(file, text);
  return text;
}
