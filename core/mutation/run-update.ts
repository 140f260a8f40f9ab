// `update<T>`: gathers the objects that the filter chooses, then changes them slice by slice in one transaction.

import type { NodeType } from "../contracts/model.ts";
import type { Transaction } from "../contracts/storage.ts";
import type { QuernError } from "../ground/errors.ts";
import type { Uid } from "../ground/values/value.ts";
import type { Payload } from "../query/read/read-payload.ts";
import { hasRules } from "./authorize.ts";
import { assignUids, checkCreated, checkUpdated, creations } from "./create-nodes.ts";
import { oneNodeOnly, undisclosed } from "./error-messages.ts";
import { gatherNodes, nodeRefs, slicesOf } from "./gather.ts";
import { type InputNode, isObject, type RawObject } from "./input-tree.ts";
import { ChangeWriter, type Mutation, refuse } from "./mutation.ts";
import { addedLinks, removedLinks } from "./patch-links.ts";
import { type PreparedInput, prepareInput, type Resolved, resolvePrepared } from "./prepare-input.ts";
import { taken } from "./resolve.ts";
import { setChanges } from "./set-changes.ts";
import { type GivenMember, givenMembers, withMembers } from "./update-members.ts";
import { linkChanges } from "./write-links.ts";
import { checkInputPermissions } from "./written-names.ts";

/** The patches of an update; undefined where one is absent, null or empty. */
export interface Patches {
  readonly set: RawObject | undefined;
  readonly remove: RawObject | undefined;
  /** What plugins add to the input. */
  readonly members: readonly GivenMember[];
}

export function readPatches(input: RawObject, mutation: Mutation): Patches {
  return { set: patchOf(input.set), remove: patchOf(input.remove), members: givenMembers(input, mutation) };
}

function patchOf(raw: unknown): RawObject | undefined {
  return isObject(raw) && Object.values(raw).some((value) => value !== undefined) ? raw : undefined;
}

interface Update extends PreparedInput {
  readonly mutation: Mutation;
  readonly filter: unknown;
  readonly set: InputNode | undefined;
  readonly remove: InputNode | undefined;
  readonly members: readonly GivenMember[];
}

/** Prepares the patches. @returns the work of the transaction */
export async function prepareUpdate(mutation: Mutation, filter: unknown, patches: Patches): Promise<(transaction: Transaction) => Promise<Payload>> {
  let set: InputNode | undefined;
  let remove: InputNode | undefined;
  const input = await prepareInput(mutation, (reader) => {
    if (patches.set) set = reader.root(mutation.type, patches.set, "set");
    if (patches.remove) remove = reader.root(mutation.type, patches.remove, "remove");
  });
  return (transaction) => updateNodes({ ...input, mutation, filter, set, remove, members: patches.members }, transaction);
}

async function updateNodes(update: Update, transaction: Transaction): Promise<Payload> {
  const { mutation, filter, contents, set, remove, members } = update;
  const resolved = await resolvePrepared(mutation, update, transaction);
  checkInputPermissions(mutation, { resolved, contents, set, remove });
  const nodes = await gatherNodes(mutation, filter, "update", transaction);
  if (nodes.uids.length === 0) return { uids: [], numUids: 0 };
  checkKeys(update, resolved, nodes.uids);
  const created = await assignUids(transaction, resolved.created);
  const madeHere = new Set([...created.values()].map(({ uid }) => uid));
  const patch = { type: mutation.type, set: set && contents(set), remove: remove && contents(remove) };
  const writer = new ChangeWriter(mutation, transaction);
  let first = true;
  for (const slice of slicesOf(nodes)) {
    const intents = addedLinks({ resolved, created, slice }, set, { first });
    const sets = await setChanges(
      slice.map((node) => ({ node, patch })),
      transaction,
    );
    await writer.write([
      ...(first ? creations(created, contents) : []),
      ...(await withMembers(sets, members, { mutation, slice, transaction })),
      ...(await linkChanges(mutation, transaction, intents, first ? (uid) => madeHere.has(uid) : allWritten)),
    ]);
    first = false;
  }
  if (remove && remove.links.length > 0) {
    for (const slice of slicesOf(nodes)) {
      const changes = await linkChanges(mutation, transaction, await removedLinks({ resolved, created, slice }, remove, transaction), allWritten);
      if (changes.length > 0) await writer.write(changes);
    }
  }
  await checkCreated(mutation, transaction, created);
  if (hasRules(mutation)) for (const slice of slicesOf(nodes)) await checkUpdated(mutation, transaction, slice);
  await writer.end(() => nodeRefs(nodes));
  return { uids: nodes.uids, numUids: nodes.uids.length };
}

/** After the first slice the new nodes are like any other. */
const allWritten = () => false;

/** A key can go to one node only, and to none when another has it. */
function checkKeys({ mutation, set }: Update, { found, undisclosed: ruled }: Resolved, nodes: readonly Uid[]): void {
  if (!set || set.keys.length === 0) return;
  const disclosed = (error: QuernError, types: readonly NodeType[] = []) =>
    [set.type, ...types].some((type) => ruled.has(type)) ? undisclosed(error) : error;
  for (const key of set.keys) {
    const others = found.byKey(set.type, key).filter((holder) => nodes.length > 1 || holder.uid !== nodes[0]);
    const types = others.map((holder) => holder.type);
    if (others.length > 0) refuse("rewrite", mutation, [disclosed(taken(set.type, key, others), types)]);
  }
  if (nodes.length > 1) refuse("guard", mutation, [disclosed(oneNodeOnly())]);
}
