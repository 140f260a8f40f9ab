// The links that the patches of an update wish for one slice of nodes: those of `set`, then what `remove` takes away.

import type { Batch, NodeRef, Snapshot } from "../contracts/storage.ts";
import { linkIntents, nodeOf } from "./create-nodes.ts";
import type { InputNode } from "./input-tree.ts";
import type { LinkIntent } from "./plan-links.ts";
import type { Resolution, Wish } from "./resolve.ts";

export interface PatchedSlice {
  readonly resolved: Resolution;
  readonly created: ReadonlyMap<InputNode, NodeRef>;
  readonly set: InputNode | undefined;
  readonly remove: InputNode | undefined;
  readonly slice: readonly NodeRef[];
  /** The links of new nodes are written along with the first slice. */
  readonly first: boolean;
}

export async function patchLinks(patched: PatchedSlice, transaction: Snapshot): Promise<readonly LinkIntent[]> {
  const { resolved, created, set, first } = patched;
  const own = resolved.links.filter((wish) => wish.owner === set);
  const others = first ? resolved.links.filter((wish) => wish.owner !== set) : [];
  return [
    ...linkIntents("link", others, (input) => created.get(input)),
    ...fromSlice("link", own, patched),
    ...(await clearedLinks(own, patched, transaction)),
    ...fromSlice("unlink", resolved.unlinks, patched),
  ];
}

function fromSlice(kind: LinkIntent["kind"], wishes: readonly Wish[], { slice, created }: PatchedSlice): readonly LinkIntent[] {
  return wishes.flatMap(({ field, target }) => {
    const to = nodeOf(target, (input) => created.get(input));
    return to ? slice.map((from) => ({ kind, end: field.stored, from, to })) : [];
  });
}

/** Fields that `remove` empties: what `set` has just put there, and what was there. */
async function clearedLinks(own: readonly Wish[], patched: PatchedSlice, transaction: Snapshot): Promise<readonly LinkIntent[]> {
  const { remove, slice } = patched;
  const intents: (readonly LinkIntent[])[] = [];
  for (const { field, cleared } of remove?.links ?? []) {
    if (!cleared) continue;
    const just = own.filter((wish) => wish.field === field);
    const links = await transaction.follow({ from: slice.map(({ uid }) => uid), end: field.stored, fields: [] });
    const before = slice.flatMap((from, i) =>
      links.rows
        .slice(links.starts[i], links.starts[i + 1])
        .map((row): LinkIntent => ({ kind: "unlink", end: field.stored, from, to: rowRef(links.nodes, row) })),
    );
    intents.push(fromSlice("unlink", just, patched), before);
  }
  return intents.flat();
}

function rowRef(batch: Batch, row: number): NodeRef {
  return { uid: batch.uids[row] ?? 0, type: batch.types[row] ?? "" };
}
