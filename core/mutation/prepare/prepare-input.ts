// Prepares coerced arguments for the transaction: reads them, matches them by key, runs the `values` hooks.

import type { NodeType } from "../../contracts/model.ts";
import type { NodeRef, Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run } from "../../ground/work.ts";
import { hasRules, isUndisclosed, type Permits, permitted } from "../access/authorize.ts";
import { type Mutation, refuse } from "../context/mutation.ts";
import { type InputNode, InputReader, type InputTree } from "../input/input-tree.ts";
import { type Contents, runValuesHooks } from "../input/input-values.ts";
import { hiddenKeys } from "../keys/hidden-keys.ts";
import { type Existing, type ExistingNodes, keyScope, lookUp } from "../keys/look-up.ts";
import { lookUpScoped } from "../keys/look-up-scoped.ts";
import { type Entities, matchKeys } from "../keys/request-keys.ts";
import { type Resolution, type ResolveFacts, resolveInput } from "../keys/resolve.ts";
import { completeKeys } from "../keys/scoped-keys.ts";
import { checkGivenPermissions } from "./given-names.ts";

export interface PreparedInput {
  readonly tree: InputTree;
  readonly entities: Entities;
  readonly contents: Contents;
}

/** Stages 1 to 3 as far as they need no look at the data. Throws all faults that this finds. */
export function prepareInput(mutation: Mutation, read: (reader: InputReader) => void): MaybePromise<PreparedInput> {
  const { budget, request } = mutation.context;
  const reader = new InputReader(mutation.facts, budget);
  read(reader);
  const tree = reader.tree();
  const turn = () => (isLarge(tree) ? budget.turn() : undefined);
  return andThen(turn(), () => {
    if (tree.scoped.length > 0) return prepareScoped(mutation, tree, turn);
    const entities = matchKeys(tree, mutation.facts);
    budget.spend(0);
    refuse("rewrite", mutation, [...tree.problems, ...entities.problems]);
    const contents = andThen(turn(), () => run(runValuesHooks(tree, mutation.facts, { request, budget }), budget));
    return andThen(contents, (each) => ({ tree, entities, contents: each }));
  });
}

/** The same of an input whose keys are within other fields: what these hold is known after the `values` hooks. */
function prepareScoped(mutation: Mutation, tree: InputTree, turn: () => MaybePromise<void>): MaybePromise<PreparedInput> {
  const { facts, context } = mutation;
  const { budget, request } = context;
  refuse("rewrite", mutation, tree.problems);
  const known = run(runValuesHooks(tree, facts, { request, budget }), budget);
  return andThen(known, (contents) =>
    andThen(turn(), () => {
      const problems = completeKeys(tree, { contents, facts });
      const entities = matchKeys(tree, facts);
      budget.spend(0);
      refuse("rewrite", mutation, [...problems, ...entities.problems]);
      return { tree, entities, contents };
    }),
  );
}

/** Objects of an input from which on each stage has a turn of the event loop of its own. */
const manyObjects = 1_000;

export function isLarge({ nodes }: InputTree): boolean {
  return nodes.length > manyObjects;
}

export interface ResolveOptions {
  /** Existing objects are changed instead of refused. */
  readonly upsert?: boolean;
  /** The keys of new objects are not looked up. */
  readonly assumesFreeKeys?: boolean;
  /** The nodes that an update has chosen: objects below may be named within them. */
  readonly patched?: readonly NodeRef[];
}

export interface Resolved extends Resolution {
  readonly found: ExistingNodes;
  /** Types whose nodes errors must not disclose. */
  readonly undisclosed: ReadonlySet<NodeType>;
}

/** The rest of stage 3: what the input means on the data as they are. Throws all faults that this finds. */
export async function resolvePrepared(
  mutation: Mutation,
  input: PreparedInput,
  transaction: Snapshot,
  { upsert = false, assumesFreeKeys = false, patched = [] }: ResolveOptions = {},
): Promise<Resolved> {
  checkGivenPermissions(mutation, { ...input, upsert });
  const lookedUp = assumesFreeKeys ? input.tree.nodes.filter(({ role }) => role !== "add") : input.tree.nodes;
  const plainly = await lookUp(transaction, lookedUp, mutation.facts);
  const found = input.tree.scoped.length === 0 ? plainly : await lookUpScoped(mutation, { nodes: lookedUp, found: plainly, patched }, transaction);
  const hidden = await hiddenKeys(mutation, input.tree.nodes, found, transaction);
  const ruled = hasRules(mutation) ? await askRules(mutation, input.tree, found, transaction) : noRules;
  const undisclosed = hidden.types.size === 0 ? ruled.undisclosed : new Set([...ruled.undisclosed, ...hidden.types]);
  const { budget } = mutation.context;
  budget.spend(0);
  if (isLarge(input.tree)) await budget.whileWriting().turn();
  // Member by member: spreads take a twentieth of the time of a small mutation.
  const { tree, entities, contents } = input;
  const { updatable, referable } = ruled;
  const resolution = resolveInput({ tree, entities, contents, updatable, referable, undisclosed, hides: hidden.hides, found, upsert, budget });
  const { created, updated, links, unlinks, problems, faults } = resolution;
  refuse("rewrite", mutation, problems);
  refuse("execute", mutation, faults);
  return { created, updated, links, unlinks, problems, faults, found, undisclosed };
}

type Rules = Pick<ResolveFacts, "updatable" | "referable" | "undisclosed">;

const everyNode = () => true;
const noRules: Rules = { updatable: everyNode, referable: everyNode, undisclosed: new Set() };

async function askRules(mutation: Mutation, tree: InputTree, found: ExistingNodes, transaction: Snapshot): Promise<Rules> {
  // An unidentified caller is refused after the input is resolved.
  if (mutation.context.refused) return { ...noRules, undisclosed: await typesWithRules(mutation, tree) };
  const roots = namedNodes(tree.roots, found);
  return {
    updatable: both(await permitted(mutation, transaction, "update", roots), await permitted(mutation, transaction, "choose", roots)),
    referable: await permitted(mutation, transaction, "reference", namedNodes(tree.nodes, found)),
    undisclosed: await typesWithRules(mutation, tree),
  };
}

/** An upsert changes what the caller may both see and update. */
function both(first: Permits, second: Permits): Permits {
  return (uid) => first(uid) && second(uid);
}

function namedNodes(nodes: readonly InputNode[], found: ExistingNodes): readonly NodeRef[] {
  return nodes.flatMap((node) => {
    const byId = node.reference && found.byId(node.reference.uid);
    return (byId ? [byId] : node.keys.flatMap((key) => found.byKey(node.type, key))).map(refOf);
  });
}

export function refOf({ uid, type }: Existing): NodeRef {
  return { uid, type: type.stored };
}

/** The types of the input's keys, and the types that may hold them, whose nodes errors must not disclose. */
async function typesWithRules(mutation: Mutation, tree: InputTree): Promise<ReadonlySet<NodeType>> {
  const ruled = new Set<NodeType>();
  for (const type of keyedTypes(tree)) if (await isUndisclosed(mutation, type)) ruled.add(type);
  return ruled;
}

function keyedTypes({ nodes }: InputTree): ReadonlySet<NodeType> {
  const types = new Set<NodeType>();
  for (const { type, keys } of nodes) {
    for (const key of keys) {
      types.add(type);
      if (key.key.across) for (const holder of keyScope(type, key)) types.add(holder);
    }
  }
  return types;
}
