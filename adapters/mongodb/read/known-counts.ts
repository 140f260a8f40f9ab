// The counts that a view knows without reading, and their names.

import type { EdgeName, IndexName, TypeName, Uid, Value } from "../../../core/storage.ts";

/** The counts of a view. */
export interface KnownCounts {
  /** In the order of the names; undefined: not all of them are known. */
  of(names: readonly string[]): Promise<readonly number[] | undefined>;
  keep(counted: ReadonlyMap<string, number>): void;
}

/** All nodes of a type. */
export function nodesName(type: TypeName): string {
  return `nodes ${type}\n`;
}

/** All links of a node. @param side of the edge's layout, where the node is */
export function linksName(edge: EdgeName, side: 0 | 1, uid: Uid): string {
  return `links ${edge}\n${side} ${uid}`;
}

/** All nodes with a value. */
export function entriesName(index: IndexName, key: Value): string {
  return `entries ${index}\n${typeof key} ${String(key)}`;
}

/** The type, edge or index that a count with this name is about. */
export function subjectOf(name: string): string {
  return name.slice(name.indexOf(" ") + 1, name.indexOf("\n"));
}
