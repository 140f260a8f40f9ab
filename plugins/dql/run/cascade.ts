// `@cascade`: drops nodes that lack what is asked of them, from the deepest level up, and then cuts the lists to their pages.

import type { Work } from "../../../core/plugin.ts";
import { type Level, type Part, targetsOf } from "./level.ts";

/** What nodes of a level must have: everything that is asked, or the named predicates. Undefined: nothing. */
export type Cascade = "all" | readonly string[] | undefined;

/** What holds at the level of an edge: its own directive, or that of the level above. */
export function cascadeBelow(above: Cascade, own: Cascade): Cascade {
  return own ?? above;
}

/** Which rows of the level are kept. The lists of its edges shrink to the nodes that are kept there. */
export function* keptRows(level: Level, cascade: Cascade): Work<readonly boolean[]> {
  for (const part of level.parts) {
    if (part.kind !== "edge") continue;
    yield;
    const own = cascadeBelow(cascade, part.field.cascade);
    if (own === undefined && !hasCascadeBelow(part.level)) continue;
    const kept = yield* keptRows(part.level, own);
    const cutter = own === undefined ? undefined : part.cutter;
    const starts = [0];
    const rows: number[] = [];
    for (let row = 0; row < level.uids.length; row++) {
      const left = targetsOf(part, row).filter((target) => kept[target]);
      for (const target of cutter ? cutter(left, (each) => part.level.uids[each] ?? 0) : left) rows.push(target);
      starts.push(rows.length);
    }
    part.starts = starts;
    part.rows = rows;
  }
  const needed = level.parts.filter((part) => isNeeded(part, cascade));
  if (needed.length === 0) return new Array(level.uids.length).fill(true);
  return level.uids.map((_, row) => needed.every((part) => isPresent(part, row)));
}

function hasCascadeBelow(level: Level): boolean {
  return level.parts.some((part) => part.kind === "edge" && (part.field.cascade !== undefined || hasCascadeBelow(part.level)));
}

function isNeeded(part: Part, cascade: Cascade): boolean {
  if (cascade === undefined || (part.kind !== "value" && part.kind !== "edge")) return false;
  return cascade === "all" || cascade.includes(part.name);
}

function isPresent(part: Part, row: number): boolean {
  if (part.kind === "value") return part.column[row] !== undefined;
  return part.kind !== "edge" || (part.starts[row + 1] ?? 0) > (part.starts[row] ?? 0);
}
