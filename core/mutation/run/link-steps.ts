// What plugins add to the input of an update about linked objects: links that go, and objects behind them that are deleted, updated, made and
// linked, all in the transaction of the update.

import type { LinkField, NodeType, UnionType } from "../../contracts/model.ts";
import type { LinkSteps } from "../../contracts/plugin/update-member.ts";
import { and } from "../../contracts/predicate.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import type { TypeName, Uid } from "../../ground/values/value.ts";
import { masksOf } from "../../query/access/mask.ts";
import { concreteTypes } from "../../query/level/concrete-types.ts";
import type { Mask } from "../../query/level/masks.ts";
import { widensByNulls } from "../../query/plan/partner-filters.ts";
import { allByNulls } from "../context/error-messages.ts";
import { type ChangeWriter, type Mutation, refuse, sliceSize } from "../context/mutation.ts";
import type { RawObject } from "../input/input-tree.ts";
import type { LinkIntent } from "../links/plan-links.ts";
import { linkChanges } from "../links/write-links.ts";
import { checkDeletePermissions, checkLinkPermissions } from "../prepare/written-names.ts";
import { type Gathered, gatherAmong, slicesOf } from "./gather.ts";
import type { GivenMember } from "./update-members.ts";

/** Where the steps of one mutation write. */
export interface Writing {
  readonly writer: ChangeWriter;
  readonly transaction: Transaction;
}

/** Writes a prepared update to nodes that are chosen already. */
export type Apply = (nodes: Gathered, writing: Writing) => Promise<void>;

/** Prepares an input without its filter; undefined: it asks for nothing. */
export type PrepareApply = (mutation: Mutation, input: RawObject) => Promise<Apply | undefined>;

/** The steps through one link, ready for the transaction. */
export interface PreparedStep {
  readonly field: LinkField;
  readonly remove: unknown;
  readonly delete: unknown;
  readonly updates: readonly { readonly filter: unknown; readonly apply: Apply }[];
  /** All links go before others are made. */
  readonly clears: boolean;
  readonly add: Apply | undefined;
}

export async function prepareSteps(mutation: Mutation, given: readonly GivenMember[], prepare: PrepareApply): Promise<readonly PreparedStep[]> {
  const prepared: PreparedStep[] = [];
  for (const { member, operand } of given) {
    for (const steps of asked(() => member.steps?.(operand) ?? [], mutation)) prepared.push(await prepareStep(mutation, steps, prepare));
  }
  return prepared;
}

function asked(work: () => readonly LinkSteps[], mutation: Mutation): readonly LinkSteps[] {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof QuernError) refuse("rewrite", mutation, [thrown]);
    throw thrown;
  }
}

async function prepareStep(mutation: Mutation, steps: LinkSteps, prepare: PrepareApply): Promise<PreparedStep> {
  const { field, update = [], add, replace } = steps;
  const filters = [steps.remove, steps.delete, ...update.map(({ filter }) => filter)];
  const { api } = mutation.context.deployment;
  if (filters.some((filter) => filter !== undefined && widensByNulls(api, field.target, filter))) throw allByNulls(mutation.root.field);
  const updates: { readonly filter: unknown; readonly apply: Apply }[] = [];
  if (field.target.kind !== "union") {
    const below: Mutation = { ...mutation, kind: "update", type: field.target };
    for (const { filter, input } of update) {
      const apply = await prepare(below, input);
      if (apply) updates.push({ filter, apply });
    }
  }
  const made = [...(add ?? []), ...(replace ?? [])];
  const set = made.length === 0 ? undefined : { set: { [field.name]: field.type.list ? made : made[0] } };
  return {
    field,
    remove: steps.remove,
    delete: steps.delete,
    updates,
    clears: replace !== undefined && (field.type.list || made.length === 0),
    add: set && (await prepare(mutation, set)),
  };
}

/** The links of the chosen nodes, as they were before all steps. One update may have as many as its request may touch nodes: they are held as numbers. */
export interface LinksBefore {
  /** The nodes at the other side, each once; with their types. */
  readonly linked: readonly Uid[];
  readonly types: readonly TypeName[];
  /** The same uids, ascending. */
  readonly within: readonly Uid[];
  /** For each link its row in the updated nodes, then its row in `linked`; empty where no step unlinks. */
  readonly rows: readonly number[];
}

export async function linksBefore(
  mutation: Mutation,
  steps: readonly PreparedStep[],
  { nodes, transaction }: StepNodes,
): Promise<readonly LinksBefore[]> {
  const before: LinksBefore[] = [];
  for (const step of steps) before.push(await linksOf(mutation, step, { nodes, transaction }));
  return before;
}

interface StepNodes {
  readonly nodes: Gathered;
  readonly transaction: Transaction;
}

async function linksOf(mutation: Mutation, { field, remove, clears }: PreparedStep, { nodes, transaction }: StepNodes): Promise<LinksBefore> {
  // A link that the caller may not see does not exist for a filter. What replaces all links replaces hidden ones too.
  const mask = clears ? undefined : (await masksOf(mutation.type.members, "query", mutation.context))?.get(field.stored);
  const places = new Map<Uid, number>();
  const types: TypeName[] = [];
  const rows: number[] = [];
  const unlinks = remove !== undefined || clears;
  let sources = 0;
  for (const slice of slicesOf(nodes)) {
    const from = slice.map(({ uid }) => uid);
    const shown = mask ? await showing(from, mask, { mutation, transaction }) : undefined;
    const links = await transaction.follow({ from: shown ? from.filter((uid) => shown.has(uid)) : from, end: field.stored, fields: [] });
    for (const [row, uid] of links.nodes.uids.entries()) {
      if (places.has(uid)) continue;
      places.set(uid, places.size);
      types.push(links.nodes.types[row] ?? "");
    }
    if (unlinks) {
      let followed = 0;
      for (const [i, uid] of from.entries()) {
        if (shown && !shown.has(uid)) continue;
        for (let at = links.starts[followed] ?? 0; at < (links.starts[followed + 1] ?? 0); at++) {
          rows.push(sources + i, places.get(links.nodes.uids[links.rows[at] ?? 0] ?? 0) ?? 0);
        }
        followed++;
      }
    }
    sources += slice.length;
  }
  const linked = [...places.keys()];
  return { linked, types, rows, within: [...linked].sort((a, b) => a - b) };
}

/** Those of the nodes that show the link to the caller. */
async function showing(
  uids: readonly Uid[],
  { visible }: Mask,
  { mutation, transaction }: { readonly mutation: Mutation; readonly transaction: Transaction },
): Promise<ReadonlySet<Uid>> {
  const types = mutation.type.members.map(({ stored }) => stored);
  const found = await transaction.find({ types, where: and({ kind: "uids", uids }, visible), fields: [] });
  return new Set(found.uids);
}

export interface StepsRun extends Writing {
  readonly nodes: Gathered;
  readonly before: readonly LinksBefore[];
}

export async function runSteps(mutation: Mutation, steps: readonly PreparedStep[], { before, ...run }: StepsRun): Promise<void> {
  for (const [i, step] of steps.entries()) {
    const links = before[i];
    if (links) await new StepRun(mutation, step, { ...run, links }).run();
  }
}

interface LinkedPair {
  readonly from: NodeRef;
  readonly to: NodeRef;
}

interface OneStep extends Writing {
  readonly nodes: Gathered;
  readonly links: LinksBefore;
}

/** In this order: remove, delete, update, add. */
class StepRun {
  readonly #mutation: Mutation;
  readonly #step: PreparedStep;
  readonly #at: OneStep;

  constructor(mutation: Mutation, step: PreparedStep, at: OneStep) {
    this.#mutation = mutation;
    this.#step = step;
    this.#at = at;
  }

  async run(): Promise<void> {
    const { remove, updates, clears, add } = this.#step;
    // Also where nothing is linked: a refusal must not tell that something is.
    if (remove !== undefined || clears) checkLinkPermissions(this.#mutation, this.#step.field);
    if (remove !== undefined) await this.#unlink(new Set((await this.#linked(remove, "query")).uids));
    if (clears) await this.#unlink(new Set(this.#at.links.linked));
    if (this.#step.delete !== undefined) await this.#delete(this.#step.delete);
    for (const { filter, apply } of updates) {
      const nodes = await this.#linked(filter, "update");
      if (nodes.uids.length > 0) await apply(nodes, this.#at);
    }
    const owners = add && (await this.#owners());
    if (owners && owners.uids.length > 0) await add(owners, this.#at);
  }

  /** The updated nodes that are still there: what a step deletes may take the node along from which it was reached. */
  async #owners(): Promise<Gathered> {
    const { nodes, transaction, writer } = this.#at;
    if (!writer.hasRemoved) return nodes;
    const types = this.#mutation.type.members.map(({ stored }) => stored);
    return transaction.find({ types, where: { kind: "uids", uids: [...nodes.uids].sort((a, b) => a - b) }, fields: [] });
  }

  /** Those of the linked nodes that the filter lets through and the caller may access so. */
  async #linked(filter: unknown, purpose: "query" | "update" | "delete"): Promise<Gathered> {
    const { links, transaction } = this.#at;
    if (links.linked.length === 0) return { uids: [], types: [] };
    const { target } = this.#step.field;
    return gatherAmong(this.#mutation, { target, filter, purpose, within: links.within }, transaction);
  }

  async #unlink(gone: ReadonlySet<Uid>): Promise<void> {
    const { transaction, writer } = this.#at;
    const { field } = this.#step;
    for (const pairs of this.#pairsTo(gone)) {
      const intents = pairs.map((pair): LinkIntent => ({ kind: "unlink", end: field.stored, ...pair }));
      await writer.write(await linkChanges(this.#mutation, transaction, intents, nothingIsNew));
    }
  }

  /** The links to these nodes, slice after slice. */
  *#pairsTo(gone: ReadonlySet<Uid>): Generator<readonly LinkedPair[]> {
    const { links, nodes } = this.#at;
    let pairs: LinkedPair[] = [];
    for (let i = 0; i < links.rows.length; i += 2) {
      const source = links.rows[i] ?? 0;
      const target = links.rows[i + 1] ?? 0;
      const to = links.linked[target] ?? 0;
      if (!gone.has(to)) continue;
      pairs.push({ from: { uid: nodes.uids[source] ?? 0, type: nodes.types[source] ?? "" }, to: { uid: to, type: links.types[target] ?? "" } });
      if (pairs.length < sliceSize) continue;
      yield pairs;
      pairs = [];
    }
    if (pairs.length > 0) yield pairs;
  }

  async #delete(filter: unknown): Promise<void> {
    const nodes = await this.#linked(filter, "delete");
    if (nodes.uids.length === 0) return;
    checkDeletePermissions(this.#mutation, deletedTypes(this.#step.field.target, nodes));
    for (const slice of slicesOf(nodes)) await this.#at.writer.write(slice.map(({ uid, type }) => ({ kind: "remove", uid, type })));
  }
}

const nothingIsNew = () => false;

function deletedTypes(target: NodeType | UnionType, { types }: Gathered): readonly NodeType[] {
  const found = new Set(types);
  return concreteTypes(target).filter(({ stored }) => found.has(stored));
}
