// `add<T>`: creates the objects of the input and what is new below them; with `upsert`, changes those that exist.

import type { Change } from "../../contracts/change.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise, Uid } from "../../ground/values/value.ts";
import type { Payload } from "../../query/read/read-payload.ts";
import { hasRules, refuseUnidentified } from "../access/authorize.ts";
import { ChangeWriter, type Mutation } from "../context/mutation.ts";
import { type InputNode, isObject } from "../input/input-tree.ts";
import { storageGuardsKeys } from "../keys/guarded-keys.ts";
import type { Resolution } from "../keys/resolve.ts";
import { linkChanges } from "../links/write-links.ts";
import { isLarge, type PreparedInput, prepareInput, type ResolveOptions, refOf, resolvePrepared } from "../prepare/prepare-input.ts";
import { checkInputPermissions } from "../prepare/written-names.ts";
import { assignUids, checkCreated, checkUpdated, creations, linkIntents } from "./create-nodes.ts";
import { setChanges } from "./set-changes.ts";

type AddWork = (transaction: Transaction) => Promise<Payload>;

export interface PreparedAdd {
  /** The work of the transaction. */
  readonly work: AddWork;
  /** The same without looking up whether the keys of the objects are free: the storage refuses those that are not. */
  readonly optimistic: AddWork | undefined;
}

/** Prepares the input. */
export function prepareAdd(mutation: Mutation, args: Readonly<Record<string, unknown>>): MaybePromise<PreparedAdd> {
  const objects = Array.isArray(args.input) ? args.input : [args.input];
  const prepared = prepareInput(mutation, (reader) => {
    for (const raw of objects) if (isObject(raw)) reader.root(mutation.type, raw, "add");
  });
  return andThen(prepared, (input) => worksOf(mutation, input, { upsert: args.upsert === true }));
}

function worksOf(mutation: Mutation, input: PreparedInput, { upsert }: { readonly upsert: boolean }): PreparedAdd {
  return {
    work: (transaction) => addInput(mutation, input, transaction, { upsert }),
    optimistic:
      !upsert && storageGuardsKeys(mutation, input.tree)
        ? (transaction) => addInput(mutation, input, transaction, { upsert, assumesFreeKeys: true })
        : undefined,
  };
}

async function addInput(mutation: Mutation, input: PreparedInput, transaction: Transaction, options: ResolveOptions): Promise<Payload> {
  const resolved = await resolvePrepared(mutation, input, transaction, options);
  refuseUnidentified(mutation, resolved.updated.length > 0 ? "existing" : resolved.created.length > 0 ? "new" : "nothing");
  checkInputPermissions(mutation, { resolved, contents: input.contents });
  const stage = isLarge(input.tree) ? mutation.context.budget.whileWriting() : undefined;
  if (stage) await stage.turn();
  const created = await assignUids(transaction, resolved.created);
  const nodes = resolved.updated.length === 0 ? created : withUpdated(created, resolved.updated);
  const links = linkIntents("link", resolved.links, (each) => nodes.get(each));
  let changes = creations(created, input.contents);
  if (stage) await stage.turn();
  if (resolved.updated.length > 0) changes = [...changes, ...(await upserts(mutation, resolved.updated, input, transaction))];
  if (links.length > 0) changes = [...changes, ...(await linkChanges(mutation, transaction, links, isOneOf(created)))];
  if (stage) await stage.turn();
  const writer = new ChangeWriter(mutation, transaction);
  await writer.write(changes);
  if (hasRules(mutation)) await checkCreated(mutation, transaction, created);
  if (resolved.updated.length > 0) await checkUpdated(mutation, transaction, refsOf(resolved.updated));
  const roots = input.tree.roots.flatMap((root) => nodes.get(root) ?? []);
  await writer.end(() => roots);
  return { uids: roots.map(({ uid }) => uid), numUids: created.size };
}

function withUpdated(created: ReadonlyMap<InputNode, NodeRef>, updated: Resolution["updated"]): ReadonlyMap<InputNode, NodeRef> {
  const nodes = new Map(created);
  for (const { input, node } of updated) nodes.set(input, refOf(node));
  return nodes;
}

function isOneOf(created: ReadonlyMap<InputNode, NodeRef>): (uid: Uid) => boolean {
  const uids = new Set<Uid>();
  for (const { uid } of created.values()) uids.add(uid);
  return (uid) => uids.has(uid);
}

function refsOf(updated: Resolution["updated"]): readonly NodeRef[] {
  return updated.map(({ node }) => refOf(node));
}

/** The new values of objects that exist. */
async function upserts(
  mutation: Mutation,
  updated: Awaited<ReturnType<typeof resolvePrepared>>["updated"],
  { contents }: PreparedInput,
  transaction: Transaction,
): Promise<readonly Change[]> {
  const patches = updated.map(({ input, node }) => ({ node: refOf(node), patch: { type: input.type, set: contents(input), remove: undefined } }));
  return setChanges(mutation, patches, transaction);
}
