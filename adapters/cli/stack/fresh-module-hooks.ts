// Module hooks, which Node runs in a thread of their own: the addresses of the project's modules get the number of the reload.

import type { InitializeHook, ResolveHook } from "node:module";

/** What both threads know. */
export interface Reloads {
  /** Shared between the threads: how often the modules are to be read anew. */
  readonly count: Int32Array<SharedArrayBuffer>;
  /** The address of the folder whose modules stay. */
  readonly ownFolder: string;
}

let reloads: Reloads | undefined;

export const initialize: InitializeHook<Reloads> = (data) => {
  reloads = data;
};

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const found = await nextResolve(specifier, context);
  if (reloads === undefined || !isModuleOfProject(found.url, reloads.ownFolder)) return found;
  const url = new URL(found.url);
  url.searchParams.set("reload", String(Atomics.load(reloads.count, 0)));
  return { ...found, url: url.href };
};

export function isModuleOfProject(url: string, ownFolder: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/") && !url.startsWith(ownFolder);
}
