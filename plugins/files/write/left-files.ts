// Files that lose their object: by its deletion, by another file in their place, or because the field is emptied. They go in the same commit, and
// their bytes afterwards.

import type { Change, ChangesContext, ChangesTransaction, Remove, Uid } from "../../../core/plugin.ts";
import { createGone } from "../records/gone.ts";
import { keyField } from "../records/layout.ts";
import { sizeRemovals } from "../records/sizes.ts";
import type { FileSchema } from "../schema/read-files.ts";

/** The changes, and those that follow from them. Undefined: nothing follows. */
export async function withoutLeftFiles(
  changes: readonly Change[],
  context: ChangesContext,
  schema: FileSchema,
): Promise<readonly Change[] | undefined> {
  const { stored } = schema.type;
  const removed = new Set(changes.flatMap((change) => (change.kind === "remove" && change.type === stored ? [change.uid] : [])));
  const left = new Set([...unlinked(changes, schema), ...(await ofRemoved(changes, context.transaction, schema))]);
  const more = [...left].filter((uid) => !removed.has(uid));
  const all = [...removed, ...more];
  if (all.length === 0) return undefined;
  const { columns } = await context.transaction.load({ uids: ascending(all), types: [stored], fields: [keyField(schema.type)] });
  const keys = (columns[0] ?? []).flatMap((key) => (typeof key === "string" ? [key] : []));
  const uids = await context.uids(keys.length);
  const removals = more.map((uid): Remove => ({ kind: "remove", uid, type: stored }));
  const sizes = await sizeRemovals(context.transaction, keys, (count) => context.uids(count));
  return [...changes, ...removals, ...keys.map((key, i) => createGone(uids[i] ?? 0, key)), ...sizes];
}

function ascending(uids: readonly Uid[]): readonly Uid[] {
  return [...uids].sort((a, b) => a - b);
}

/** Files whose link goes. */
function unlinked(changes: readonly Change[], { fields }: FileSchema): readonly Uid[] {
  const ends = new Set(fields.map(({ field }) => field.stored));
  return changes.flatMap((change) => (change.kind === "unlink" && ends.has(change.end) ? [change.to] : []));
}

/** Files of objects that go. */
async function ofRemoved(changes: readonly Change[], transaction: ChangesTransaction, { type, fields }: FileSchema): Promise<readonly Uid[]> {
  const found: (readonly Uid[])[] = [];
  const removals = changes.filter((change) => change.kind === "remove");
  if (removals.length === 0) return [];
  for (const { field } of fields.filter(({ field: { owner } }) => owner.kind === "object")) {
    const from = removals.flatMap((change) => (change.type === field.owner.stored ? [change.uid] : []));
    if (from.length === 0) continue;
    const { nodes } = await transaction.follow({ from, end: field.stored, types: [type.stored], fields: [] });
    found.push(nodes.uids);
  }
  return found.flat();
}
