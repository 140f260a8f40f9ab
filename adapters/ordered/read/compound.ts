// Conditions that give each leading field of a compound index one value: the nodes that have them all lie in one list, in the order of its last field.

import { type Compare, isLasting, type Predicate, type TypeName, type Value } from "../../../core/storage.ts";
import { compoundList } from "../layout/compound-list.ts";
import type { CompoundIndexRuntime, FieldRuntime } from "../layout/layout-runtime.ts";
import type { OrderedView } from "../structures/ordered-view.ts";
import type { Reader } from "./reader.ts";
import type { Stream } from "./stream.ts";

/** One list of a compound index, and what else a node of it must satisfy. */
export interface CompoundMatch {
  readonly index: CompoundIndexRuntime;
  /** Nodes with a value of the last field. */
  readonly valued: OrderedView;
  /** Nodes without one. */
  readonly missing: Stream;
  /** Conditions on the last field. They hold for no node without a value. */
  readonly ranges: readonly Compare[];
  readonly rest: readonly Predicate[];
}

interface Matched {
  readonly types: readonly TypeName[];
  readonly where?: Predicate | undefined;
}

/** The list that holds all nodes of `types` that match `where`, in the order of `last`; undefined: no index has one. */
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
  const values: Value[] = [];
  for (const field of index.within) {
    if (field.converted) return undefined;
    const found = parts.find((part) => isEquality(part, field));
    if (found?.kind !== "compare") return undefined;
    used.add(found);
    values.push(...found.operands);
  }
  const list = compoundList(index, values);
  // An operand that no node can hold: the condition itself decides.
  if (list === undefined) return undefined;
  const ranges = parts.filter((part): part is Compare => part.kind === "compare" && part.field === index.field.name && !isLasting(part));
  return {
    index,
    valued: index.compound.valued.open(list, reader.view),
    missing: index.compound.missing.open(list, reader.view),
    ranges,
    rest: parts.filter((part) => !used.has(part) && !(part.kind === "compare" && ranges.includes(part))),
  };
}

function isEquality(part: Predicate, field: FieldRuntime): boolean {
  return part.kind === "compare" && part.field === field.name && part.operands.length === 1 && (part.op === "eq" || part.op === "in");
}

/** Whether every node of the index is of one of these types. */
export function coversIndex({ types }: CompoundIndexRuntime, wanted: readonly TypeName[]): boolean {
  return types.every((type) => wanted.includes(type));
}
