// The registry of index kinds.

import { QuernError } from "../../core/plugin.ts";
import type { IndexKind } from "./ground/kind.ts";

export interface Registry {
  get(name: string): IndexKind | undefined;
  /** The kinds for fields of `type`, sorted by name. `type` is the name of a GraphQL type, or `enum`. */
  fitting(type: string): readonly IndexKind[];
  /** The default kind for fields of `type`. */
  defaultFor(type: string): IndexKind | undefined;
}

/** @throws QuernError `PLUGIN_CLASH` when two kinds have one name or are the default for one type */
export function createRegistry(kinds: readonly IndexKind[]): Registry {
  const byName = new Map<string, IndexKind>();
  const defaults = new Map<string, IndexKind>();
  for (const kind of kinds) {
    if (byName.has(kind.name)) throw new QuernError("PLUGIN_CLASH", `Two index kinds of @search are named ${kind.name}.`);
    byName.set(kind.name, kind);
    for (const type of kind.defaultFor ?? []) {
      const other = defaults.get(type);
      if (other) throw new QuernError("PLUGIN_CLASH", `The index kinds ${other.name} and ${kind.name} are both the default of @search for ${type}.`);
      defaults.set(type, kind);
    }
  }
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    get: (name) => byName.get(name),
    fitting: (type) => sorted.filter((kind) => kind.fits.includes(type)),
    defaultFor: (type) => defaults.get(type),
  };
}
