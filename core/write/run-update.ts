// `update<T>`: gathers the objects that the filter chooses, then changes them slice by slice in one transaction.

import type { Change } from "../contracts/change.ts";
import type { Batch, NodeRef, Transaction } from "../contracts/storage.ts";
import type { Uid } from "../contracts/values.ts";
import type { Payload } from "../read/read-payload.ts";
import { assignUids, checkCreated, creations, linkIntents, nodeOf } from "./create-nodes.ts";
import { gatherNodes, slicesOf } from "./gather.ts";
import { type InputNode, isObject, type RawObject } from "./input-tree.ts";
import { type CommittedOutcome, checkChanges, type Mutation, refuse, writeChanges } from "./mutation.ts";
import type { LinkIntent } from "./plan-links.ts";
import { type PreparedInput, prepareInput, type Resolved, resolvePrepared } from "./prepare-input.ts";
import { taken, type Wish } from "./resolve.ts";
import { setChanges } from "./set-changes.ts";
import { transact } from "./transact.ts";
import { oneNodeOnly, wrap } from "./wording.ts";
import { linkChanges } from "./write-links.ts";

/** The patches of an update; undefined where one is absent, null or empty. */
export interface Patches {
  readonly set: RawObject | undefined;
  readonly remove: RawObject | undefined;
}

export function readPatches(input: RawObject): Patches {
  return { set: patchOf(input.set), remove: patchOf(input.remove) };
}

function patchOf(raw: unknown): RawObject | undefined {
  return isObject(raw) && Object.values(raw).some((value) => value !== undefined) ? raw : undefined;
}

interface Update {
  readonly mutation: Mutation;
  readonly input: PreparedInput;
  readonly set: InputNode | undefined;
  readonly remove: InputNode | undefined;
}

export async function runUpdate(mutation: Mutation, filter: unknown, patches: Patches): Promise<CommittedOutcome> {
  let set: InputNode | undefined;
  let remove: InputNode | undefined;
  const input = await prepareInput(mutation, (reader) => {
    if (patches.set) set = reader.root(mutation.type, patches.set, "set");
    if (patches.remove) remove = reader.root(mutation.type, patches.remove, "remove");
  });
  return transact(mutation, (transaction) => updateNodes({ mutation, input, set, remove }, filter, transaction));
}

async function updateNodes(update: Update, filter: unknown, transaction: Transaction): Promise<Payload> {
  const { mutation, input } = update;
  const resolved = await resolvePrepared(mutation, input, transaction, false);
  const nodes = await gatherNodes(mutation, filter, "update", transaction);
  if (nodes.length === 0) return { uids: [], numUids: 0 };
  checkKeys(update, resolved, nodes);
  const created = await assignUids(transaction, resolved.created);
  const written: Change[] = [];
  for (const [i, slice] of slicesOf(nodes).entries()) {
    const changes = [
      ...(i === 0 ? creations(created, input.contents) : []),
      ...(await patchChanges(update, slice, transaction)),
      ...(await linksOfSlice(update, resolved, slice, { created, first: i === 0 }, transaction)),
    ];
    written.push(...(await writeChanges(mutation, transaction, changes)));
  }
  await checkCreated(mutation, transaction, created);
  await checkChanges(mutation, transaction, written);
  return { uids: nodes.map((node) => node.uid), numUids: nodes.length };
}

/** A key can go to one node only, and not to one more than it has. */
function checkKeys({ mutation, set }: Update, { found }: Resolved, nodes: readonly NodeRef[]): void {
  if (!set || set.keys.length === 0) return;
  for (const key of set.keys) {
    const others = found.byKey(set.type, key).filter((holder) => nodes.length > 1 || holder.uid !== nodes[0]?.uid);
    const type = (nodes.length === 1 && set.type.kind === "object" ? mutation.facts.typeOf(nodes[0]?.type ?? "") : undefined) ?? set.type;
    if (others.length > 0) refuse("rewrite", mutation, [taken(type, key, others)]);
  }
  if (nodes.length > 1) throw wrap("guard", mutation.root.field, oneNodeOnly(), mutation.root.location);
}

async function patchChanges(
  { mutation, input, set, remove }: Update,
  slice: readonly NodeRef[],
  transaction: Transaction,
): Promise<readonly Change[]> {
  const patch = { type: mutation.type, set: set && input.contents(set), remove: remove && input.contents(remove) };
  return setChanges(
    slice.map((node) => ({ node, patch })),
    transaction,
  );
}

interface SliceOfCreated {
  readonly created: ReadonlyMap<InputNode, NodeRef>;
  /** The new nodes' own links are written along with the first slice. */
  readonly first: boolean;
}

async function linksOfSlice(
  update: Update,
  resolved: Resolved,
  slice: readonly NodeRef[],
  { created, first }: SliceOfCreated,
  transaction: Transaction,
): Promise<readonly Change[]> {
  const { set, remove } = update;
  const node = (input: InputNode) => created.get(input);
  const ofPatch = (wish: Wish) => wish.owner === set || wish.owner === remove;
  const inner = resolved.links.filter((wish) => !ofPatch(wish));
  const own = resolved.links.filter(ofPatch);
  const intents = [
    ...(first ? linkIntents("link", inner, node) : []),
    ...forEachNode("link", own, slice, node),
    ...(await clearedLinks(update, own, slice, node, transaction)),
    ...forEachNode("unlink", resolved.unlinks.filter(ofPatch), slice, node),
  ];
  const fresh = first ? new Set([...created.values()].map(({ uid }) => uid)) : new Set<Uid>();
  return linkChanges(update.mutation, transaction, intents, (uid) => fresh.has(uid));
}

function forEachNode(
  kind: LinkIntent["kind"],
  wishes: readonly Wish[],
  slice: readonly NodeRef[],
  node: (input: InputNode) => NodeRef | undefined,
): readonly LinkIntent[] {
  return wishes.flatMap(({ field, target }) => {
    const to = nodeOf(target, node);
    return to ? slice.map((from) => ({ kind, end: field.stored, from, to })) : [];
  });
}

/** Fields that `remove` empties: what is there, and what `set` has just put there. */
async function clearedLinks(
  { remove }: Update,
  own: readonly Wish[],
  slice: readonly NodeRef[],
  node: (input: InputNode) => NodeRef | undefined,
  transaction: Transaction,
): Promise<readonly LinkIntent[]> {
  const cleared = remove?.links.filter((link) => link.cleared).map((link) => link.field) ?? [];
  const intents: LinkIntent[] = [];
  for (const field of cleared) {
    const just = own.filter((wish) => wish.field === field);
    intents.push(...forEachNode("unlink", just, slice, node));
    const links = await transaction.follow({ from: slice.map(({ uid }) => uid), end: field.stored, fields: [] });
    for (const [i, from] of slice.entries()) {
      for (const row of links.rows.slice(links.starts[i], links.starts[i + 1])) {
        intents.push({ kind: "unlink", end: field.stored, from, to: rowRef(links.nodes, row) });
      }
    }
  }
  return intents;
}

function rowRef(batch: Batch, row: number): NodeRef {
  return { uid: batch.uids[row] ?? 0, type: batch.types[row] ?? "" };
}
