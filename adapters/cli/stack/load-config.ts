// Finds and loads the configuration: the given file, or quern.config.{mts,ts,js,mjs}.

import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { assertNoProblems, QuernError } from "../../../core/plugin.ts";
import type { QuernConfig } from "../../server/index.ts";
import { moduleFile, modulesFolder } from "./own-modules.ts";
import { parseFailureText, syntaxPlace } from "./syntax-place.ts";

/** In the order in which they are looked for. */
export const configNames: readonly string[] = ["quern.config.mts", "quern.config.ts", "quern.config.js", "quern.config.mjs"];

/**
 * The configuration in `file`, or in the first `quern.config.*` of `folder`; undefined if no file is given and none exists.
 * Errors: `CONFIG_INVALID`, `PLUGIN_MISSING`, `PLUGIN_CLASH`; the message starts with the file name.
 */
export async function loadConfig(file: string | undefined, folder: string): Promise<QuernConfig | undefined> {
  const found = configFile(file, folder);
  if (found === undefined) return undefined;
  const path = resolve(folder, found);
  if (!existsSync(path)) throw new QuernError("CONFIG_INVALID", `The configuration file ${found} does not exist; check the path after --config.`);
  const config = defaultOf(await importModule(path, found), found);
  const { checkServerConfig } = await import("../../server/index.ts");
  assertValid(config, checkServerConfig(config), found);
  return config;
}

/** The file that `loadConfig` would load, as a path for messages. */
export function configFile(file: string | undefined, folder: string): string | undefined {
  return file ?? configNames.find((name) => existsSync(join(folder, name)));
}

function isTypeScript(path: string): boolean {
  return [".ts", ".mts", ".cts"].includes(extname(path));
}

/** Whether files of `folder` can import the package by its name. */
export function isInstalled(folder: string): boolean {
  try {
    createRequire(join(resolve(folder), "quern.config.ts")).resolve("quern/package.json");
    return true;
  } catch {
    return false;
  }
}

async function importModule(path: string, shown: string): Promise<object> {
  try {
    // Node imports JavaScript itself, so that the file shares this process's copy of the package.
    if (!isTypeScript(path)) {
      const loaded: object = await import(pathToFileURL(path).href);
      return loaded;
    }
    // If the package is not installed, as after npx quern init in an empty folder, its entries resolve to the running copy.
    const alias = isInstalled(dirname(path)) ? {} : ownExports();
    // jiti writes no cache to disk, unless JITI_FS_CACHE asks for it.
    const cache = process.env.JITI_FS_CACHE === undefined ? { fsCache: false } : {};
    const { createJiti } = await import("jiti");
    const jiti = createJiti(import.meta.url, { ...cache, moduleCache: false, alias });
    const loaded = await jiti.import<object>(path);
    if ("default" in loaded || Object.keys(loaded).length === 0) return loaded;
    // `module.exports` looks like the exports of a module until jiti is asked for its default.
    const exported = await jiti.import(path, { default: true });
    return isModule(exported) ? exported : { default: exported };
  } catch (error) {
    const failure = error instanceof Error ? await parseFailureText(error.message, dirname(path)) : undefined;
    if (failure !== undefined)
      throw new QuernError("CONFIG_INVALID", `The configuration file ${shown} cannot be loaded: ${failure}`, { cause: error });
    const place = error instanceof SyntaxError && !isTypeScript(path) ? await syntaxPlace(path, dirname(path)) : placeOf(error, path);
    throw loadError(shown, path, { cause: error, place });
  }
}

/** How jiti marks what a module exports. */
function isModule(loaded: unknown): loaded is object {
  return typeof loaded === "object" && loaded !== null && "__esModule" in loaded && loaded.__esModule === true;
}

function defaultOf(loaded: { readonly default?: unknown }, shown: string): unknown {
  if ("default" in loaded) return loaded.default;
  const found = Object.keys(loaded);
  const exported = found.length === 0 ? "it exports nothing" : `it exports ${found.join(", ")}`;
  throw new QuernError("CONFIG_INVALID", `${shown} has no default export (${exported}). Write: export default defineConfig({ ... })`);
}

/** The package's entries, and their files in the running copy. */
function ownExports(): Record<string, string> {
  const folders = ["plugins", "adapters"].flatMap((kind) => readdirSync(join(modulesFolder, kind)).map((name) => `${kind}/${name}`));
  const entries = [
    ...folders.map((folder) => [`quern/${folder}`, moduleFile(`${folder}/index`)] as const),
    ["quern/plugin", moduleFile("plugins/index")] as const,
    ...["server", "storage", "transport"].map((entry) => [`quern/${entry}`, moduleFile(`core/${entry}`)] as const),
    ["quern/conformance", moduleFile("test/conformance/index")] as const,
  ];
  return Object.fromEntries([...entries.filter(([, path]) => existsSync(path)), ["quern", moduleFile("adapters/server/index")]]);
}

/** Names the module that cannot be imported and its importer, with the next step. */
function loadError(shown: string, path: string, { cause, place }: { readonly cause: unknown; readonly place: string }): QuernError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const [, missing] = /^Cannot find (?:package|module) '([^']+)'/.exec(reason) ?? [];
  const start = `The configuration file ${shown} cannot be loaded`;
  if (missing === undefined) return new QuernError("CONFIG_INVALID", `${start}: ${reason}${place}`, { cause });
  const [, importer = path] = /(?:imported from |Require stack:\n- )(\S+)/.exec(reason) ?? [];
  const by = resolve(importer) === path ? "it" : relative(dirname(path), importer);
  const isFile = /^(?:[./]|file:|[a-z]:\\)/i.test(missing);
  const name = isFile ? relative(dirname(path), missing.replace(/^file:\/\//, "")) : missing;
  const nextStep = isFile ? "Check the path of the import." : `Run: npm install ${packageOf(missing)}`;
  return new QuernError("CONFIG_INVALID", `${start}: ${by} imports ${name}, which does not exist. ${nextStep}`, { cause });
}

/** ` (functions.ts:3)`: the line where a file of the project threw; compiling keeps lines, not columns. Empty when the message says it, or nothing does. */
function placeOf(cause: unknown, path: string): string {
  const { message = "", stack = "" } = cause instanceof Error ? cause : {};
  const places = [...stack.matchAll(/\(?((?:file:\/\/)?\/[^\s()]+):(\d+):(\d+)\)?/g)];
  const own = places.find(([, file = ""]) => withoutScheme(file).startsWith(`${dirname(path)}/`) && !file.includes("/node_modules/"));
  if (own === undefined || message.includes(basename(withoutScheme(own[1] ?? "")))) return "";
  return ` (${relative(dirname(path), withoutScheme(own[1] ?? ""))}:${own[2]})`;
}

/** A path of a stack: without the scheme, and without the number that `readModulesAnew` adds. */
function withoutScheme(file: string): string {
  return file.replace(/^file:\/\//, "").replace(/\?.*$/, "");
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** @param problems of the check of `config` */
function assertValid(config: unknown, problems: readonly QuernError[], shown: string): asserts config is QuernConfig {
  assertNoProblems(problems.map((each) => new QuernError(each.code, `${shown}: ${each.message}`)));
}
