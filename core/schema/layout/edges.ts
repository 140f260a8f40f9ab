// Derives the edges of a model: which link fields are the two sides of one relation.

import type { EdgeLayout, End, Side } from "../../contracts/layout.ts";
import type { LinkField, Model, NodeType } from "../../contracts/model.ts";
import { compareText } from "../../ground/values/compare.ts";
import type { EndName } from "../../ground/values/value.ts";

/**
 * One edge for each connected group of opposite ends, sorted by name. The side with the first name comes first.
 * An end that is its own opposite, directly or through others, gives an edge with one side.
 */
export function buildEdges(model: Model): readonly EdgeLayout[] {
  const ends = collectEnds(model);
  const opposites = collectOpposites(model);
  const seen = new Set<EndName>();
  const edges: EdgeLayout[] = [];
  for (const name of [...ends.keys()].sort(compareText)) {
    if (seen.has(name)) continue;
    const { here, there } = partition(name, opposites);
    for (const each of [...here, ...there]) seen.add(each);
    edges.push(buildEdge(here, there, ends));
  }
  return edges.sort((a, b) => compareText(a.name, b.name));
}

function buildEdge(here: ReadonlySet<EndName>, there: ReadonlySet<EndName>, ends: ReadonlyMap<EndName, End>): EdgeLayout {
  const name = [...new Set([...here, ...there])].sort(compareText).join("|");
  const symmetric = [...here].some((each) => there.has(each));
  if (symmetric) return { name, sides: [sideOf(new Set([...here, ...there]), ends)] };
  const first = sideOf(here, ends);
  return { name, sides: [first, there.size > 0 ? sideOf(there, ends) : unnamedSide(first)] };
}

function sideOf(names: ReadonlySet<EndName>, ends: ReadonlyMap<EndName, End>): Side {
  return { ends: [...names].sort(compareText).flatMap((name) => ends.get(name) ?? []) };
}

/** The opposite side of links that no field shows; it contains all links. */
function unnamedSide({ ends }: Side): Side {
  const types = sorted(ends.flatMap((end) => end.partners));
  const partners = sorted(ends.flatMap((end) => end.types));
  return { ends: [{ name: `~${ends[0]?.name}`, types, partners, many: true }] };
}

/** Ends by name. Fields with the same stored name form one end of all their types. */
function collectEnds(model: Model): ReadonlyMap<EndName, End> {
  const ends = new Map<EndName, End>();
  for (const field of linkFields(model)) {
    const known = ends.get(field.stored);
    ends.set(field.stored, {
      name: field.stored,
      types: sorted([...(known?.types ?? []), ...storedNames([field.owner])]),
      partners: sorted([...(known?.partners ?? []), ...storedNames(field.target.kind === "union" ? field.target.members : [field.target])]),
      many: field.type.list || (known?.many ?? false),
    });
  }
  return ends;
}

type Opposites = ReadonlyMap<EndName, ReadonlySet<EndName>>;

function collectOpposites(model: Model): Opposites {
  const opposites = new Map<EndName, Set<EndName>>();
  const add = (from: EndName, to: EndName) => opposites.set(from, (opposites.get(from) ?? new Set()).add(to));
  for (const field of linkFields(model)) {
    for (const other of [field.inverse, field.reverseOf]) {
      if (!other) continue;
      add(field.stored, other.stored);
      add(other.stored, field.stored);
    }
  }
  return opposites;
}

/** Walks from end to opposite end: an even number of steps leads back to the same side. */
function partition(start: EndName, opposites: Opposites): { readonly here: ReadonlySet<EndName>; readonly there: ReadonlySet<EndName> } {
  const sides = [new Set([start]), new Set<EndName>()] as const;
  const queue: { readonly name: EndName; readonly side: 0 | 1 }[] = [{ name: start, side: 0 }];
  for (const { name, side } of queue) {
    const across = side === 0 ? 1 : 0;
    for (const other of opposites.get(name) ?? []) {
      if (sides[across].has(other)) continue;
      sides[across].add(other);
      queue.push({ name: other, side: across });
    }
  }
  return { here: sides[0], there: sides[1] };
}

function linkFields(model: Model): readonly LinkField[] {
  return [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]).filter((field) => field.role === "link");
}

function storedNames(types: readonly NodeType[]): readonly string[] {
  return types.flatMap((type) => type.members).map((type) => type.stored);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort(compareText);
}
