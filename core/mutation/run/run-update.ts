// `update<T>`: gathers the objects that the filter chooses, then changes them slice by slice in one transaction.

import type { NodeType } from "../../contracts/model.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import type { QuernError } from "../../ground/errors.ts";
import type { Uid } from "../../ground/values/value.ts";
import type { Payload } from "../../query/read/read-payload.ts";
import { hasRules } from "../access/authorize.ts";
import { at, oneNodeOnly, severalScopes, undisclosed } from "../context/error-messages.ts";
import { ChangeWriter, type Mutation, refuse } from "../context/mutation.ts";
import { type InputNode, isObject, type RawObject } from "../input/input-tree.ts";
import { keyPath, taken } from "../keys/resolve.ts";
import { isWithinPatch } from "../keys/scoped-keys.ts";
import { linkChanges } from "../links/write-links.ts";
import { type PreparedInput, prepareInput, type Resolved, resolvePrepared } from "../prepare/prepare-input.ts";
import { checkInputPermissions } from "../prepare/written-names.ts";
import { assertCount } from "./assert-count.ts";
import { assignUids, checkCreated, checkUpdated, creations } from "./create-nodes.ts";
import { type Gathered, gatherNodes, nodeRefs, slicesOf } from "./gather.ts";
import { type Apply, linksBefore, type PreparedStep, prepareSteps, runSteps, type Writing } from "./link-steps.ts";
import { addedLinks, removedLinks } from "./patch-links.ts";
import { setChanges } from "./set-changes.ts";
import { type GivenMember, givenMembers, withMembers } from "./update-members.ts";

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

/** An update that is ready for its transaction, but for the nodes that it is about. */
interface Update extends PreparedInput {
  readonly mutation: Mutation;
  readonly set: InputNode | undefined;
  readonly remove: InputNode | undefined;
  readonly members: readonly GivenMember[];
  readonly steps: readonly PreparedStep[];
}

/** Prepares the patches. @returns the work of the transaction */
export async function prepareUpdate(mutation: Mutation, filter: unknown, patches: Patches): Promise<(transaction: Transaction) => Promise<Payload>> {
  const update = await prepared(mutation, patches);
  return (transaction) => updateFiltered(update, filter, transaction);
}

async function prepared(mutation: Mutation, patches: Patches): Promise<Update> {
  let set: InputNode | undefined;
  let remove: InputNode | undefined;
  const input = await prepareInput(mutation, (reader) => {
    if (patches.set) set = reader.root(mutation.type, patches.set, "set");
    if (patches.remove) remove = reader.root(mutation.type, patches.remove, "remove");
  });
  const { members } = patches;
  return { ...input, mutation, set, remove, members, steps: await prepareSteps(mutation, members, prepareApply) };
}

/** An update of nodes that another one has chosen, as a part of it. */
async function prepareApply(mutation: Mutation, input: RawObject): Promise<Apply | undefined> {
  const patches = readPatches(input, mutation);
  if (isEmpty(patches)) return undefined;
  const update = await prepared(mutation, patches);
  return async (nodes, writing) => write(update, { ...writing, nodes, resolved: await resolvedWithin(update, nodes, writing.transaction) });
}

export function isEmpty({ set, remove, members }: Patches): boolean {
  return !set && !remove && members.length === 0;
}

async function updateFiltered(update: Update, filter: unknown, transaction: Transaction): Promise<Payload> {
  const { mutation } = update;
  const choice = gatherNodes(mutation, filter, "update", transaction);
  const resolving = isWithinPatch(update.tree) ? choice.then((nodes) => resolvedWithin(update, nodes, transaction)) : resolved(update, transaction);
  const [found, nodes] = await bothDone(resolving, choice);
  assertCount(mutation, nodes.uids.length);
  if (nodes.uids.length === 0) return { uids: [], numUids: 0 };
  const writer = new ChangeWriter(mutation, transaction);
  await write(update, { writer, transaction, nodes, resolved: found });
  await writer.end(() => nodeRefs(nodes));
  return { uids: nodes.uids, numUids: nodes.uids.length };
}

/** Reads that need nothing of each other are asked for at once. Of two errors the first counts. */
async function bothDone<A, B>(first: Promise<A>, second: Promise<B>): Promise<readonly [A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** Objects may be named within the node that the update changes. */
async function resolvedWithin(update: Update, nodes: Gathered, transaction: Transaction): Promise<Resolved> {
  if (!isWithinPatch(update.tree)) return resolved(update, transaction);
  if (nodes.uids.length > 1) refuse("guard", update.mutation, [severalScopes()]);
  return resolved(update, transaction, nodeRefs(nodes));
}

async function resolved(update: Update, transaction: Transaction, patched: readonly NodeRef[] = []): Promise<Resolved> {
  const { mutation, contents, set, remove } = update;
  const found = await resolvePrepared(mutation, update, transaction, { patched });
  checkInputPermissions(mutation, { resolved: found, contents, set, remove });
  return found;
}

interface UpdateWriting extends Writing {
  readonly nodes: Gathered;
  readonly resolved: Resolved;
}

async function write(update: Update, { nodes, resolved, writer, transaction }: UpdateWriting): Promise<void> {
  const { mutation, contents, set, remove, members, steps } = update;
  checkKeys(update, resolved, nodes.uids);
  const before = await linksBefore(mutation, steps, { nodes, transaction });
  const created = await assignUids(transaction, resolved.created);
  const madeHere = new Set([...created.values()].map(({ uid }) => uid));
  const patch = { type: mutation.type, set: set && contents(set), remove: remove && contents(remove) };
  let first = true;
  for (const slice of slicesOf(nodes)) {
    const intents = addedLinks({ resolved, created, slice }, set, { first });
    const sets = await setChanges(
      mutation,
      slice.map((node) => ({ node, patch })),
      transaction,
    );
    await writer.write([
      ...(first ? creations(created, contents) : []),
      ...(await withMembers(sets, members, { mutation, slice, writer })),
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
  await runSteps(mutation, steps, { writer, transaction, nodes, before });
  if (!hasRules(mutation)) return;
  await checkCreated(mutation, transaction, created);
  for (const slice of slicesOf(nodes)) await checkUpdated(mutation, transaction, slice);
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
    if (others.length > 0) refuse("rewrite", mutation, [disclosed(at(keyPath(set, key), taken(set.type, key, others)), types)]);
  }
  if (nodes.length > 1) refuse("guard", mutation, [disclosed(oneNodeOnly())]);
}
