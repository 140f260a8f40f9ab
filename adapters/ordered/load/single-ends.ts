// Refuses lists of a load that show more than one node at an end that holds one.

import type { Uid } from "../../../core/storage.ts";
import { endTaken } from "../../storage-kit/index.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { EndRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import type { ListVisitor } from "./new-lists.ts";

/** @returns undefined when no list of these ends can be refused */
export function singleEnds(ends: readonly EndRuntime[], { nodes, typeNames }: LayoutRuntime, view: EntryView): ListVisitor | undefined {
  const single = ends.filter(({ many }) => !many);
  if (single.length === 0) return undefined;
  const typeOf = (uid: Uid) => typeNames.get(nodes.types.of(uid, view)) ?? "";
  let node: Uid | undefined;
  let shown = new Map<EndRuntime, Uid>();
  return (key, uids) => {
    if (key !== node) {
      node = key;
      if (uids.length === 1) return;
      shown = new Map();
    }
    const type = typeOf(key);
    for (const end of single) {
      if (!end.types.has(type)) continue;
      for (const uid of uids) {
        const partner = typeOf(uid);
        if (!end.partners.has(partner)) continue;
        const holder = shown.get(end);
        if (holder !== undefined) throw endTaken(end.name, { uid: key, holder, type: typeOf(holder) });
        shown.set(end, uid);
      }
    }
  };
}
