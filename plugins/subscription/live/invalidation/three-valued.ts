// Evaluates a condition on a touched node, now or before the commits, in three-valued logic: true, false, or undefined for unknown.
// The result only saves runs: unknown counts as possible.

import {
  type Compare,
  comparison,
  type EndName,
  type FieldName,
  type LayoutIndex,
  type Linked,
  type Predicate,
  type TypeName,
  tokensTest,
  type Uid,
  type Value,
} from "../../../../core/plugin.ts";
import type { LoadedNode } from "../commits/loaded-node.ts";
import type { TouchedNode } from "../commits/touched-node.ts";
import { hasUid } from "../dependencies/uid-set.ts";

export type ThreeValued = boolean | undefined;

/** One node at one time, as conditions read it. */
export interface Subject {
  readonly node: { readonly uid: Uid; readonly type: TypeName | undefined };
  /** Undefined: unknown. */
  values(field: FieldName): readonly Value[] | undefined;
  partners(linked: Linked): readonly Subject[] | undefined;
}

export function evaluate(where: Predicate, subject: Subject, layout: LayoutIndex): ThreeValued {
  switch (where.kind) {
    case "all":
      return true;
    case "none":
      return false;
    case "and":
      return every(where.of, subject, layout);
    case "or":
      return some(where.of, subject, layout);
    case "not":
      return negate(evaluate(where.of, subject, layout));
    case "type":
      return subject.node.type === undefined ? undefined : where.types.includes(subject.node.type);
    case "uids":
      return hasUid(where.uids, subject.node.uid);
    case "after":
      return subject.node.uid > where.uid;
    case "has":
      return known(subject.values(where.field), (values) => values.length > 0);
    case "compare":
      return compare(where, subject, layout);
    case "check":
      return known(subject.values(where.field), (values) => values.length > 0 && where.test.holds(values));
    case "lookup": {
      const index = layout.index(where.index);
      if (index?.by !== "tokens" || where.tokens.length === 0) return false;
      return known(subject.values(index.field), tokensTest(index, where));
    }
    case "linked":
      return evaluateLinked(where, subject, layout);
  }
}

/** The node after the commits. */
export function currentState(node: TouchedNode): Subject {
  const { now } = node;
  return {
    node,
    values: (field) => now?.values(field),
    partners: ({ end }) => node.partners.get(end)?.map(partnerOf),
  };
}

/** The node before the commits: the values that they did not change, and those that their records say they removed. */
export function priorState(node: TouchedNode, context: DeltaView): Subject {
  const { now } = node;
  const { layout } = context;
  return {
    node,
    values: (field) => {
      if (!node.properties.has(field)) return now?.values(field);
      const index = layout.slots.plainIndex(field);
      const changes = index === undefined || layout.isList(field) ? undefined : node.entries.get(index);
      if (!changes || changes.removed.length > 1 || changes.added.length > 1) return undefined;
      return changes.removed;
    },
    partners: ({ end }) => partnersBefore(node, end, context),
  };
}

/** The commits that a node is tested against. */
export interface DeltaView {
  readonly layout: LayoutIndex;
  /** Another node that they changed; undefined: they did not. */
  node(uid: Uid): TouchedNode | undefined;
}

/** The current partners without the linked ones and with the unlinked ones; undefined: unknown, because a link was both added and removed, or partners are not loaded. */
function partnersBefore(node: TouchedNode, end: EndName, context: DeltaView): readonly Subject[] | undefined {
  const [linked, unlinked] = [node.linked(end), node.unlinked(end)];
  const partners = node.removed ? [] : node.partners.get(end);
  if (!partners || linked.some((uid) => unlinked.includes(uid))) return undefined;
  const before = (uid: Uid): Subject | undefined => {
    const touched = context.node(uid);
    return touched && (touched.createdAt === undefined ? priorState(touched, context) : unknown(touched));
  };
  const kept = partners.filter(({ uid }) => !linked.includes(uid)).map((partner) => before(partner.uid) ?? partnerOf(partner));
  return [...kept, ...unlinked.map((uid) => before(uid) ?? unknown({ uid, type: undefined }))];
}

function unknown(node: Subject["node"]): Subject {
  return { node, values: () => undefined, partners: () => undefined };
}

function partnerOf(node: LoadedNode): Subject {
  return { node, values: (field) => node.values(field), partners: () => undefined };
}

function every(of: readonly Predicate[], subject: Subject, layout: LayoutIndex): ThreeValued {
  let all: ThreeValued = true;
  for (const each of of) {
    const outcome = evaluate(each, subject, layout);
    if (outcome === false) return false;
    if (outcome === undefined) all = undefined;
  }
  return all;
}

function some(of: readonly Predicate[], subject: Subject, layout: LayoutIndex): ThreeValued {
  let any: ThreeValued = false;
  for (const each of of) {
    const outcome = evaluate(each, subject, layout);
    if (outcome === true) return true;
    if (outcome === undefined) any = undefined;
  }
  return any;
}

function negate(outcome: ThreeValued): ThreeValued {
  return outcome === undefined ? undefined : !outcome;
}

function known(values: readonly Value[] | undefined, holds: (values: readonly Value[]) => boolean): ThreeValued {
  return values && holds(values);
}

function compare(where: Compare, subject: Subject, layout: LayoutIndex): ThreeValued {
  const values = subject.values(where.field);
  return values?.some(comparison(where, layout.kindOf(where.field)));
}

function evaluateLinked({ where, atLeast, end }: Linked, subject: Subject, layout: LayoutIndex): ThreeValued {
  const partners = subject.partners({ kind: "linked", where, atLeast, end });
  if (!partners) return undefined;
  const partnerTypes = layout.edges.end(end)?.partners ?? [];
  const outcomes = partners.map((each) =>
    each.node.type !== undefined && !partnerTypes.includes(each.node.type) ? false : evaluate(where, each, layout),
  );
  if (outcomes.filter((each) => each === true).length >= atLeast) return true;
  return outcomes.filter((each) => each !== false).length < atLeast ? false : undefined;
}
