// Whether what happened to a node can change what a watch has seen. "No" is certain; "yes" may be in vain.

import { type OrderedRow, rowComparator } from "../query/evaluate/top.ts";
import type { Dependency, LinkDependency, NodeDependency, Window, Within } from "./dependency.ts";
import { currentState, evaluate, type Past, priorState, type ThreeValued } from "./three-valued.ts";
import type { TouchedNode } from "./touched-node.ts";

export interface Look extends Past {
  /** The commit that the query last saw. */
  readonly since: string;
}

export function affects(watch: Dependency, node: TouchedNode, look: Look): boolean {
  return watch.kind === "links" ? affectsLinks(watch, node, look) : affectsNodes(watch, node, look);
}

function affectsNodes(watch: NodeDependency, node: TouchedNode, look: Look): boolean {
  if (node.type !== undefined && !watch.types.has(node.type)) return false;
  const { members } = watch;
  if (members?.has(node.uid)) return affectsMember(watch, node, look);
  const comesOrGoes = isGone(node) || node.isNewSince(look.since);
  // The links of such a node come and go with it, and are told at their other side.
  if (watch.linked && comesOrGoes) return false;
  const shows = members === undefined && node.changes(watch.shown);
  if (!comesOrGoes && !shows && !node.changes(watch.decides)) return false;
  const now = truthNow(watch, node, look);
  // Who was no member and is none now is nothing to the answer, unless rows were skipped that nobody wrote down.
  const mayHaveBeen = members === undefined || (watch.window?.skips ?? false);
  const before = mayHaveBeen ? truthBefore(watch, node, look) : false;
  if (now === false && before === false) return false;
  if (now === true && before === true && members === undefined) return shows;
  if (watch.within && isElsewhere(watch.within, node)) return false;
  return watch.window === undefined || reaches(watch.window, node, { look, now, before });
}

function affectsMember(watch: NodeDependency, node: TouchedNode, look: Look): boolean {
  if (isGone(node) || node.changes(watch.shown)) return true;
  return node.changes(watch.decides) && truthNow(watch, node, look) !== true;
}

function isGone(node: TouchedNode): boolean {
  return node.removed || node.now === undefined;
}

function truthNow({ where }: NodeDependency, node: TouchedNode, { layout }: Look): ThreeValued {
  return isGone(node) ? false : evaluate(where, currentState(node), layout);
}

function truthBefore({ where }: NodeDependency, node: TouchedNode, look: Look): ThreeValued {
  return node.isNewSince(look.since) ? false : evaluate(where, priorState(node, look), look.layout);
}

/** It has no partner, or another one. That it had one is told by the link. */
function isElsewhere({ end, to }: Within, { now }: TouchedNode): boolean {
  if (!now?.has(end)) return false;
  const partner = now.value(end);
  return !(typeof partner === "number" && to.has(partner));
}

interface Standing {
  readonly look: Look;
  readonly now: ThreeValued;
  readonly before: ThreeValued;
}

/** Whether the node stands, or stood, where it moves the window's rows: not beyond the window's open side. */
function reaches(window: Window, node: TouchedNode, { look, now, before }: Standing): boolean {
  const { edge, order, fromEnd, skips } = window;
  if (edge === undefined) return true;
  const moved = order.some((key) => node.properties.has(key.field));
  if (skips && before !== false && (moved || isGone(node))) return true;
  const keys = order.map((key) => node.now?.value(key.field));
  if (order.some((key) => !node.now?.has(key.field))) return true;
  if (now === false && before === false) return false;
  const compare = rowComparator(order, (key) => look.layout.kindOf(key.field));
  const place = compare({ uid: node.uid, keys } satisfies OrderedRow, edge);
  return fromEnd ? place >= 0 : place <= 0;
}

function affectsLinks({ end, from, partners, cut }: LinkDependency, node: TouchedNode, look: Look): boolean {
  if (!from.has(node.uid) || !node.properties.has(end)) return false;
  const { members } = partners;
  const shows = (uid: number): boolean => {
    const partner = look.node(uid);
    if (partner === undefined || partner.type === undefined) return true;
    return partners.types.has(partner.type) && truthNow(partners, partner, look) !== false;
  };
  const showed = (uid: number): boolean => {
    if (members) return members.has(uid);
    const partner = look.node(uid);
    if (partner === undefined || partner.type === undefined) return true;
    return partners.types.has(partner.type) && truthBefore(partners, partner, look) !== false;
  };
  return node.linked(end).some(shows) || node.unlinked(end).some((uid) => cut || showed(uid));
}
