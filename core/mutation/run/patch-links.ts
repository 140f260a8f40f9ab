// The links that the patches of an update request for one slice of nodes: those that `set` adds, and those that `remove` takes away.

import type { Batch } from "../../contracts/storage/results.ts";
import type { NodeRef, Snapshot } from "../../contracts/storage/snapshot.ts";
import type { InputNode } from "../input/input-tree.ts";
import type { RequestedLink, Resolution } from "../keys/resolve.ts";
import type { LinkIntent } from "../links/plan-links.ts";
import { linkIntents, nodeOf } from "./create-nodes.ts";

export interface PatchedSlice {
  readonly resolved: Resolution;
  readonly created: ReadonlyMap<InputNode, NodeRef>;
  readonly slice: readonly NodeRef[];
}

/** The links of new nodes are written along with the first slice. */
export function addedLinks(patched: PatchedSlice, set: InputNode | undefined, { first }: { readonly first: boolean }): readonly LinkIntent[] {
  const { resolved, created } = patched;
  const own = resolved.links.filter(({ owner }) => owner === set);
  const others = first ? resolved.links.filter(({ owner }) => owner !== set) : [];
  return [...linkIntents("link", others, (input) => created.get(input)), ...fromSlice("link", own, patched)];
}

/** To be asked when `set` is written for all nodes: a field that `remove` empties loses what `set` gave it from the other side, too. */
export async function removedLinks(patched: PatchedSlice, remove: InputNode, transaction: Snapshot): Promise<readonly LinkIntent[]> {
  return [...(await clearedLinks(patched.slice, remove, transaction)), ...fromSlice("unlink", patched.resolved.unlinks, patched)];
}

function fromSlice(kind: LinkIntent["kind"], requested: readonly RequestedLink[], { slice, created }: PatchedSlice): readonly LinkIntent[] {
  return requested.flatMap(({ field, target }) => {
    const to = nodeOf(target, (input) => created.get(input));
    return to ? slice.map((from) => ({ kind, end: field.stored, from, to })) : [];
  });
}

async function clearedLinks(slice: readonly NodeRef[], remove: InputNode, transaction: Snapshot): Promise<readonly LinkIntent[]> {
  const intents: (readonly LinkIntent[])[] = [];
  for (const { field, cleared } of remove.links) {
    if (!cleared) continue;
    const links = await transaction.follow({ from: slice.map(({ uid }) => uid), end: field.stored, fields: [] });
    const gone = slice.flatMap((from, i) =>
      links.rows
        .slice(links.starts[i], links.starts[i + 1])
        .map((row): LinkIntent => ({ kind: "unlink", end: field.stored, from, to: rowRef(links.nodes, row) })),
    );
    intents.push(gone);
  }
  return intents.flat();
}

function rowRef(batch: Batch, row: number): NodeRef {
  return { uid: batch.uids[row] ?? 0, type: batch.types[row] ?? "" };
}
