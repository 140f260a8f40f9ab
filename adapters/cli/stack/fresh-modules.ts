// Makes Node read the modules of the project from their files again. Without it Node keeps each module for as long as the process runs.

import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { isModuleOfProject, type Reloads } from "./fresh-module-hooks.ts";
import { moduleFile, modulesFolder } from "./own-modules.ts";

/** The package itself, as it runs: its modules stay, so that the configuration and the command share them. */
const ownFolder = pathToFileURL(`${modulesFolder}/`).href;

let reloads: Reloads | undefined;

/**
 * Imports after this call read the modules of the project anew: files outside of `node_modules`. What was imported before stays in memory until the
 * process ends, as Node has no way to release it.
 */
export function readModulesAnew(): void {
  reloads ??= registered();
  Atomics.add(reloads.count, 0, 1);
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) if (isModuleOfProject(`file://${path}`, ownFolder)) delete cache[path];
}

function registered(): Reloads {
  const data: Reloads = { count: new Int32Array(new SharedArrayBuffer(4)), ownFolder };
  register(pathToFileURL(moduleFile("adapters/cli/stack/fresh-module-hooks")), { data });
  return data;
}
