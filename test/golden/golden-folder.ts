// Where the shared cases lie. They are data of others and no part of the project; without them their tests say so and do nothing.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "../../core/ground/json/parse-json.ts";

const folder = process.env.QUERN_GOLDEN ?? fileURLToPath(new URL("../../../shared/golden", import.meta.url));

/** The path of a golden file or folder; undefined, with a line that says so, where there is none. */
export function goldenPath(...parts: readonly string[]): string | undefined {
  const path = join(folder, ...parts);
  if (existsSync(path)) return path;
  console.info(`NOT TESTED: no golden cases at ${parts.join("/")}. Set QUERN_GOLDEN to the folder that holds them.`);
  return undefined;
}

/** With all digits of its integers. The caller says what the file holds. */
export function readGolden<T>(path: string): T {
  return parseJson(readFileSync(path, "utf8")) as T;
}
