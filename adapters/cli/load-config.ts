// Finds and loads the configuration: quern.config.ts and its siblings, or the file that was named.

import { existsSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createJiti } from "jiti";
import { assertNoProblems, checkServerConfig, type QuernConfig, QuernError } from "../../core/index.ts";

const names = ["quern.config.ts", "quern.config.mts", "quern.config.js", "quern.config.mjs"];

/**
 * The configuration in `file`, or in the first `quern.config.*` of `folder`; undefined when no file is named and none is there.
 * Errors: `CONFIG_INVALID`, `PLUGIN_MISSING`, `PLUGIN_CLASH`, the file's name before the sentence.
 */
export async function loadConfig(file: string | undefined, folder: string): Promise<QuernConfig | undefined> {
  const found = file ?? names.find((name) => existsSync(join(folder, name)));
  if (found === undefined) return undefined;
  const path = resolve(folder, found);
  if (!existsSync(path)) throw new QuernError("CONFIG_INVALID", `The configuration file ${found} does not exist; check the path after --config.`);
  const config = await importDefault(path, found);
  checked(config, found);
  return config;
}

async function importDefault(path: string, shown: string): Promise<unknown> {
  try {
    // Files that Node runs by itself are left to it, so that they share this process's copy of the package.
    if (![".ts", ".mts", ".cts"].includes(extname(path))) {
      const loaded: { default?: unknown } = await import(pathToFileURL(path).href);
      return loaded.default;
    }
    return await createJiti(import.meta.url, { fsCache: false, moduleCache: false }).import(path, { default: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuernError("CONFIG_INVALID", `The configuration file ${shown} cannot be loaded: ${reason}`, { cause: error });
  }
}

function checked(config: unknown, shown: string): asserts config is QuernConfig {
  const problems = checkServerConfig(config);
  assertNoProblems(problems.map((each) => new QuernError(each.code, `${shown}: ${each.message}`)));
}
