// Which partners satisfy the conditions of semi-joins over several links, such as "messages of a room that has this member": the rooms. Nodes are found by
// them when commits come, which know no partners of partners.

import { type LayoutIndex, type Linked, type Snapshot, type Work, wait } from "../../../../core/plugin.ts";
import type { Reached } from "./dependency.ts";
import { UidSet } from "./uid-set.ts";

/** More partners make no key: see `maxEntries` of keys. */
const maxPartners = 200;
/** More semi-joins of one condition are not asked for. */
const maxAsked = 8;

/** @returns without those that too many partners satisfy; undefined: none is left */
export function* reachedPartners(asked: readonly Linked[], snapshot: Snapshot, layout: LayoutIndex): Work<Reached | undefined> {
  const reached = new Map<Linked, UidSet>();
  for (const linked of asked.slice(0, maxAsked)) {
    const types = layout.edges.end(linked.end)?.partners ?? [];
    const { uids } = yield* wait(snapshot.find({ types, where: linked.where, fields: [], page: { first: maxPartners + 1 } }));
    if (uids.length <= maxPartners) reached.set(linked, new UidSet(uids));
  }
  return reached.size === 0 ? undefined : reached;
}
