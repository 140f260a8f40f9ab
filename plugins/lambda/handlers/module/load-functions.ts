// Loads the functions that a module exports.

import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { isFunctions, type LambdaFunctions } from "../functions.ts";

/**
 * @param url of a module of JavaScript or TypeScript that exports `functions`
 * @throws what the module throws; TypeError when it exports no functions
 */
export async function loadFunctions(url: string): Promise<LambdaFunctions> {
  const { functions } = await imported(url);
  if (isFunctions(functions)) return functions;
  throw new TypeError('it exports no functions: export const functions = { "Query.nearest": ({ args }) => ... }');
}

/** Not every Node that we run on reads TypeScript. */
async function imported(url: string): Promise<{ readonly functions?: unknown }> {
  const file = fileURLToPath(url);
  if (![".ts", ".mts", ".cts"].includes(extname(file))) return await import(url);
  const { createJiti } = await import("jiti");
  // jiti writes no cache to disk, unless JITI_FS_CACHE asks for it.
  return await createJiti(import.meta.url, process.env.JITI_FS_CACHE === undefined ? { fsCache: false } : {}).import(file);
}
