// The graph in maps, as somebody would keep it who writes a server by hand: found by name, section and tag, sorted by size once.

import { type DebianPackage, extract, readPackages, wholeGraph } from "../graph.ts";

export interface Memory {
  readonly all: readonly DebianPackage[];
  readonly byName: ReadonlyMap<string, DebianPackage>;
  readonly bySection: ReadonlyMap<string, readonly DebianPackage[]>;
  readonly byTag: ReadonlyMap<string, readonly DebianPackage[]>;
  /** Largest first. */
  readonly bySize: readonly DebianPackage[];
}

export async function readMemory(): Promise<Memory> {
  const all = await readPackages(wholeGraph() ?? extract());
  return {
    all,
    byName: new Map(all.map((each) => [each.name, each])),
    bySection: groupByEach(all, (each) => [each.section]),
    byTag: groupByEach(all, (each) => each.tags ?? []),
    bySize: sortedBySize(all),
  };
}

export function sortedBySize(packages: readonly DebianPackage[]): readonly DebianPackage[] {
  return [...packages].sort((a, b) => b.installedSizeKiB - a.installedSizeKiB);
}

export function partners(memory: Memory, names: readonly string[]): readonly DebianPackage[] {
  return names.flatMap((name) => memory.byName.get(name) ?? []);
}

export function groupByEach<T>(values: readonly T[], keys: (value: T) => readonly string[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    for (const key of keys(value)) {
      const group = groups.get(key);
      if (group) group.push(value);
      else groups.set(key, [value]);
    }
  }
  return groups;
}
