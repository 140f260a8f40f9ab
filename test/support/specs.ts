// Which specs run on every storage: those whose imports lead to `storage.ts`, however far. There is no list to forget one in.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const tests = join(import.meta.dirname, "..");
const door = join(import.meta.dirname, "storage.ts");

/** Specs that open a store by `test/support`, as paths from the project's root. */
export function specsOnEveryStorage(): readonly string[] {
  const reaches = new Map<string, boolean>([[door, true]]);
  const leadsToDoor = (file: string): boolean => {
    const known = reaches.get(file);
    if (known !== undefined) return known;
    reaches.set(file, false); // a circle adds nothing
    const found = importsOf(file).some(leadsToDoor);
    reaches.set(file, found);
    return found;
  };
  const specs = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
  return specs.filter((file) => leadsToDoor(join(tests, file))).map((file) => join("test", file));
}

/** Imports that stay within the tests. Texts that a spec writes to files may name others. */
function importsOf(file: string): readonly string[] {
  const found = readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+\.ts)"/g);
  return [...found].map(([, target = ""]) => join(dirname(file), target)).filter((path) => path.startsWith(tests) && existsSync(path));
}
