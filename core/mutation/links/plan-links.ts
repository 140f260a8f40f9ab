// Turns requested links into changes that keep both sides consistent: the partner that holds a single end is unlinked before a new link takes it.
// Pure: who holds which end is a fact handed in. The table of cases is in test/mutation/plan-links.test.ts.

import type { Change, Link, Unlink } from "../../contracts/change.ts";
import type { NodeRef } from "../../contracts/storage/snapshot.ts";
import type { EndName, Uid } from "../../ground/values/value.ts";
import type { EdgeIndex } from "../../query/layout-index/edge-index.ts";

/** A link to be there, or to be gone, seen from a node that has `end`. */
export interface LinkIntent {
  readonly kind: "link" | "unlink";
  readonly end: EndName;
  readonly from: NodeRef;
  readonly to: NodeRef;
}

/** The partner of a single end before the mutation; undefined when it is free. */
export type Holder = (node: Uid, end: EndName) => NodeRef | undefined;

/**
 * Changes for `intents`, carried out in order; a later link takes an end from an earlier one. Unlinks come before links.
 * Links that are there already cause no change.
 */
export function planLinks(intents: readonly LinkIntent[], holder: Holder, edges: EdgeIndex): readonly Change[] {
  const state = new LinkState(holder, edges);
  for (const intent of intents) {
    if (intent.kind === "link") state.link(intent);
    else state.unlink(intent);
  }
  return state.changes();
}

class LinkState {
  readonly #holder: Holder;
  readonly #edges: EdgeIndex;
  /** Single edges as they are now, where that differs from before. */
  readonly #held = new Map<string, NodeRef | undefined>();
  readonly #links = new Map<string, Link>();
  readonly #unlinks = new Map<string, Unlink>();

  constructor(holder: Holder, edges: EdgeIndex) {
    this.#holder = holder;
    this.#edges = edges;
  }

  changes(): readonly Change[] {
    return [...this.#unlinks.values(), ...this.#links.values()];
  }

  link({ end, from, to }: LinkIntent): void {
    const taken = this.#edges.singleEnds(end, from.type, to.type);
    const there =
      taken.from.some((each) => this.#partner(from.uid, each)?.uid === to.uid) ||
      taken.to.some((each) => this.#partner(to.uid, each)?.uid === from.uid);
    if (there) return;
    for (const each of taken.from) this.#free(from, each);
    for (const each of taken.to) this.#free(to, each);
    for (const each of taken.from) this.#held.set(slot(from.uid, each), to);
    for (const each of taken.to) this.#held.set(slot(to.uid, each), from);
    const name = pair(this.#edges, end, from, to);
    this.#unlinks.delete(name);
    this.#links.set(name, { kind: "link", end, from: from.uid, fromType: from.type, to: to.uid, toType: to.type });
  }

  unlink({ end, from, to }: LinkIntent): void {
    const taken = this.#edges.singleEnds(end, from.type, to.type);
    if (taken.from.some((each) => this.#partner(from.uid, each)?.uid !== to.uid)) return;
    if (taken.to.some((each) => this.#partner(to.uid, each)?.uid !== from.uid)) return;
    for (const each of taken.from) this.#held.set(slot(from.uid, each), undefined);
    for (const each of taken.to) this.#held.set(slot(to.uid, each), undefined);
    const name = pair(this.#edges, end, from, to);
    this.#links.delete(name);
    this.#unlinks.set(name, { kind: "unlink", end, from: from.uid, fromType: from.type, to: to.uid, toType: to.type });
  }

  #free(node: NodeRef, end: EndName): void {
    const partner = this.#partner(node.uid, end);
    if (partner) this.unlink({ kind: "unlink", end, from: node, to: partner });
  }

  #partner(node: Uid, end: EndName): NodeRef | undefined {
    const name = slot(node, end);
    return this.#held.has(name) ? this.#held.get(name) : this.#holder(node, end);
  }
}

export function slot(node: Uid, end: EndName): string {
  return `${node} ${end}`;
}

/** One link has one name, whichever side it is seen from. */
function pair(edges: EdgeIndex, end: EndName, from: NodeRef, to: NodeRef): string {
  const { edge, reads } = edges.direction(end);
  const swap = reads === "both" ? from.uid > to.uid : reads === "backwards";
  return swap ? `${edge} ${to.uid} ${from.uid}` : `${edge} ${from.uid} ${to.uid}`;
}
