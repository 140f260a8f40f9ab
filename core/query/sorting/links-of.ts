// Rows of each source, as links have them.

import type { Links } from "../../contracts/storage/results.ts";

/** @param pages of each source its rows, by their place among the nodes */
export function linksOf(pages: readonly (readonly { readonly place: number }[])[]): Pick<Links, "starts" | "rows"> {
  const starts = [0];
  const rows: number[] = [];
  for (const page of pages) {
    for (const { place } of page) rows.push(place);
    starts.push(rows.length);
  }
  return { starts, rows };
}

/** The places of a source's partners among the nodes. */
export function partnersOf({ starts, rows }: Pick<Links, "starts" | "rows">, source: number): readonly number[] {
  return rows.slice(starts[source], starts[source + 1]);
}
