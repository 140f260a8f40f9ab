// Whether a touched node can change what a dependency read. "No" is certain; "yes" may be wrong and then costs one run.

import { type Place, rowComparator } from "../../../../core/plugin.ts";
import type { TouchedNode } from "../commits/touched-node.ts";
import type { Dependency, LinkDependency, NodeDependency, Window, Within } from "../dependencies/dependency.ts";
import { currentState, type DeltaView, evaluate, priorState, type ThreeValued } from "./three-valued.ts";

export interface InvalidationContext extends DeltaView {
  /** The commit that the query's newest answer reflects. */
  readonly since: string;
}

export function affects(dependency: Dependency, node: TouchedNode, context: InvalidationContext): boolean {
  return dependency.kind === "links" ? affectsLinks(dependency, node, context) : affectsNodes(dependency, node, context);
}

function affectsNodes(dependency: NodeDependency, node: TouchedNode, context: InvalidationContext): boolean {
  if (node.type !== undefined && !dependency.types.has(node.type)) return false;
  // The query ended its first run after the delta was loaded.
  if (!node.removed && !node.isLoaded) return true;
  const { resultUids } = dependency;
  if (resultUids?.has(node.uid)) return affectsResultNode(dependency, node, context);
  const createdOrRemoved = isGone(node) || node.createdAfter(context.since);
  // The links of a created or removed node change with it, and count as changes of its partners.
  if (dependency.linked && createdOrRemoved) return false;
  const shows = resultUids === undefined && node.changes(dependency.selectedFields);
  if (!createdOrRemoved && !shows && !node.changes(dependency.filterFields)) return false;
  const now = holdsNow(dependency, node, context);
  // A node outside the result, before and now, does not matter, unless the page skipped rows that are not recorded.
  const mayHaveMatched = resultUids === undefined || (dependency.window?.hasOffset ?? false);
  const before = mayHaveMatched ? heldBefore(dependency, node, context) : false;
  if (now === false && before === false) return false;
  if (now === true && before === true && resultUids === undefined) return shows;
  if (dependency.within && hasOtherPartner(dependency.within, node)) return false;
  return dependency.window === undefined || canMoveWindow(dependency.window, node, { context, now, before });
}

function affectsResultNode(dependency: NodeDependency, node: TouchedNode, context: InvalidationContext): boolean {
  if (isGone(node) || node.changes(dependency.selectedFields)) return true;
  return node.changes(dependency.filterFields) && holdsNow(dependency, node, context) !== true;
}

function isGone(node: TouchedNode): boolean {
  return node.removed || node.now === undefined;
}

function holdsNow({ where }: NodeDependency, node: TouchedNode, { layout }: InvalidationContext): ThreeValued {
  return isGone(node) ? false : evaluate(where, currentState(node), layout);
}

function heldBefore({ where }: NodeDependency, node: TouchedNode, context: InvalidationContext): ThreeValued {
  return node.createdAfter(context.since) ? false : evaluate(where, priorState(node, context), context.layout);
}

/** It has no partner or another one now. That it had one before is a change of the link. */
function hasOtherPartner({ end, to }: Within, { now }: TouchedNode): boolean {
  if (!now?.has(end)) return false;
  const partner = now.value(end);
  return !(typeof partner === "number" && to.has(partner));
}

interface WindowCheck {
  readonly context: InvalidationContext;
  readonly now: ThreeValued;
  readonly before: ThreeValued;
}

/** Whether the node is or was at a position that moves the rows of the window: not beyond its edge. */
function canMoveWindow(window: Window, node: TouchedNode, { context, now, before }: WindowCheck): boolean {
  const { edge, order, fromEnd, hasOffset } = window;
  if (edge === undefined) return true;
  const orderChanged = order.some((key) => node.properties.has(key.field));
  if (hasOffset && before !== false && (orderChanged || isGone(node))) return true;
  const keys = order.map((key) => node.now?.value(key.field));
  if (order.some((key) => !node.now?.has(key.field))) return true;
  if (now === false && before === false) return false;
  const compare = rowComparator(order, (key) => context.layout.kindOf(key.field));
  const position = compare({ uid: node.uid, keys } satisfies Place, edge);
  return fromEnd ? position >= 0 : position <= 0;
}

function affectsLinks({ end, from, partners, paged }: LinkDependency, node: TouchedNode, context: InvalidationContext): boolean {
  if (!from.has(node.uid) || !node.properties.has(end)) return false;
  const { resultUids } = partners;
  const shows = (uid: number): boolean => {
    const partner = context.node(uid);
    if (partner === undefined || partner.type === undefined) return true;
    // Nothing but its links depends on the partner, so that its state was not loaded.
    if (!partner.removed && !partner.isLoaded) return partners.types.has(partner.type);
    return partners.types.has(partner.type) && holdsNow(partners, partner, context) !== false;
  };
  const showed = (uid: number): boolean => {
    if (resultUids) return resultUids.has(uid);
    const partner = context.node(uid);
    if (partner === undefined || partner.type === undefined) return true;
    return partners.types.has(partner.type) && heldBefore(partners, partner, context) !== false;
  };
  return node.linked(end).some(shows) || node.unlinked(end).some((uid) => paged || showed(uid));
}
