// What the deployed layout keeps no unique entries of, and the next one does.

import { describedLayout } from "../database/open-gate.ts";
import type { Catalog } from "../layout/catalog.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "../layout/layout-runtime.ts";
import type { UniqueEntries } from "../layout/unique-entries.ts";

/** Those to build, of the types that need them. Others of the same collection serve meanwhile. */
export function newEntries(next: Pick<LayoutRuntime, "uniqueEntries">, deployed: Catalog): UniqueEntries[] {
  const served = new Map(buildLayoutRuntime(describedLayout(deployed), deployed).uniqueEntries.map(({ collection, types }) => [collection, types]));
  return next.uniqueEntries.flatMap((entries) => {
    const types = new Set([...entries.types].filter((type) => !served.get(entries.collection)?.has(type)));
    return types.size === 0 ? [] : [{ ...entries, types }];
  });
}
