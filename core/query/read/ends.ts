// The ends of a layout's edges by name, and what stands opposite them.

import type { End, Layout } from "../../contracts/layout.ts";
import type { EndName } from "../../ground/values/value.ts";

export interface Edges {
  end(name: EndName): End | undefined;
  /** The ends of the other side; of the same side where both sides are one. */
  opposite(name: EndName): readonly End[];
}

const known = new WeakMap<Layout, Edges>();

export function edgesOf(layout: Layout): Edges {
  const edges = known.get(layout) ?? indexEnds(layout);
  known.set(layout, edges);
  return edges;
}

function indexEnds(layout: Layout): Edges {
  const ends = new Map<EndName, { readonly end: End; readonly opposite: readonly End[] }>();
  for (const { sides } of layout.edges) {
    const [first, second = first] = sides;
    for (const end of first.ends) ends.set(end.name, { end, opposite: second.ends });
    for (const end of second.ends) ends.set(end.name, { end, opposite: first.ends });
  }
  return { end: (name) => ends.get(name)?.end, opposite: (name) => ends.get(name)?.opposite ?? [] };
}
