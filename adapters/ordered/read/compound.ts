// Conditions that give each leading field of a compound index one value, or one of a few: the nodes that have them lie in as many lists, each in the order
// of the last field.

import { type Compare, isLasting, type Predicate, type TypeName, type Value } from "../../../core/storage.ts";
import { compoundList } from "../layout/compound-list.ts";
import type { CompoundIndexRuntime, FieldRuntime } from "../layout/layout-runtime.ts";
import type { OrderedView } from "../structures/ordered-view.ts";
import type { Reader } from "./reader.ts";
import type { Stream } from "./stream.ts";

/** Lists of a compound index, and what else a node of them must satisfy. */
export interface CompoundMatch {
  readonly index: CompoundIndexRuntime;
  /** One or more; no node lies in two. */
  readonly lists: readonly CompoundList[];
  /** Conditions on the last field. They hold for no node without a value. */
  readonly ranges: readonly Compare[];
  readonly rest: readonly Predicate[];
}

/** The nodes with one combination of leading values. */
export interface CompoundList {
  /** Nodes with a value of the last field. */
  readonly valued: OrderedView;
  /** Nodes without one. */
  readonly missing: Stream;
}

/** More lists are not read side by side: each would give a page. */
const fewLists = 16;

interface Matched {
  readonly types: readonly TypeName[];
  readonly where?: Predicate | undefined;
}

/** The lists that hold all nodes of `types` that match `where`, in the order of `last`; undefined: no index has them. */
export function compoundMatch(reader: Reader, { types, where }: Matched, last: FieldRuntime): CompoundMatch | undefined {
  if (last.compounds.length === 0 || last.converted || where === undefined) return undefined;
  const parts = factorsOf(where);
  for (const index of last.compounds) {
    const found = matchIn(reader, index, parts);
    if (found !== undefined && (isWhole(found) || types.every((type) => index.types.includes(type)))) return found;
  }
  return undefined;
}

/** Nodes of other types may have the leading values; none of them has a value of the last field. */
function isWhole({ index, ranges }: CompoundMatch): boolean {
  return index.isComplete || ranges.length > 0;
}

/** The same for the index that suits a conjunction without an order: more than one of its parts are answered at once. */
export function compoundOf(reader: Reader, parts: readonly Predicate[]): CompoundMatch | undefined {
  for (const index of reader.schema.compounds) {
    if (index.field.converted) continue;
    const found = matchIn(reader, index, parts);
    if (found !== undefined && isWhole(found) && found.rest.length + 1 < parts.length) return found;
  }
  return undefined;
}

/** All of them hold for a match. A lasting condition is compiled once and stays whole. */
function factorsOf(where: Predicate): readonly Predicate[] {
  if (where.kind === "all") return [];
  return where.kind === "and" && !isLasting(where) ? where.of : [where];
}

function matchIn(reader: Reader, index: CompoundIndexRuntime, parts: readonly Predicate[]): CompoundMatch | undefined {
  const used = new Set<Predicate>();
  let combinations: readonly (readonly Value[])[] = [[]];
  for (const field of index.within) {
    const found = field.converted ? undefined : narrowest(parts, field);
    if (found === undefined || found.operands.length * combinations.length > fewLists) return undefined;
    used.add(found);
    combinations = combinations.flatMap((values) => found.operands.map((operand) => [...values, operand]));
  }
  const names = new Set(combinations.map((values) => compoundList(index, values)));
  const lists = [...names].flatMap((list) => (list === undefined ? [] : [openList(reader, index, list)]));
  // An operand that no node can hold: the condition itself decides.
  if (lists.length < names.size) return undefined;
  const ranges = parts.filter((part): part is Compare => part.kind === "compare" && part.field === index.field.name && !isLasting(part));
  return {
    index,
    lists,
    ranges,
    rest: parts.filter((part) => !used.has(part) && !(part.kind === "compare" && ranges.includes(part))),
  };
}

function openList({ view }: Reader, { compound }: CompoundIndexRuntime, list: string): CompoundList {
  return { valued: compound.valued.open(list, view), missing: compound.missing.open(list, view) };
}

/** The condition that leaves the fewest values of a field. */
function narrowest(parts: readonly Predicate[], field: FieldRuntime): Compare | undefined {
  let best: Compare | undefined;
  for (const part of parts) if (isEquality(part, field) && (best === undefined || part.operands.length < best.operands.length)) best = part;
  return best;
}

function isEquality(part: Predicate, field: FieldRuntime): part is Compare {
  return part.kind === "compare" && part.field === field.name && part.operands.length > 0 && (part.op === "eq" || part.op === "in");
}

/** Whether every node of the index is of one of these types. */
export function coversIndex({ types }: CompoundIndexRuntime, wanted: readonly TypeName[]): boolean {
  return types.every((type) => wanted.includes(type));
}
