// What a batch of commits changed: node by node, or, for large or coarse records, type by type.

import type { ChangeRecord, CoarseRecord, CommitToken, DetailedRecord, EndName, Gap, LayoutIndex, TypeName, Uid } from "../../../../core/plugin.ts";
import { TouchedNode } from "./touched-node.ts";

/** Above this number of nodes it is cheaper to run every query on their types than to test each node. */
const maxNodes = 2_000;

export class CommitDelta {
  readonly nodes = new Map<Uid, TouchedNode>();
  /** Types of which any node may have changed in any way. */
  readonly types = new Set<TypeName>();
  /** Anything may have changed. */
  everything = false;
  /** The newest commit. */
  token: CommitToken = "";
  readonly #layout: LayoutIndex;

  constructor(layout: LayoutIndex) {
    this.#layout = layout;
  }

  get isEmpty(): boolean {
    return !this.everything && this.types.size === 0 && this.nodes.size === 0;
  }

  add(event: ChangeRecord | Gap): void {
    if (event.token > this.token) this.token = event.token;
    if (event.kind === "gap") this.everything = true;
    else if (event.kind === "coarse") this.#addCoarse(event);
    else this.#addDetailed(event);
  }

  #addCoarse({ types, ends }: CoarseRecord): void {
    for (const type of types) this.types.add(type);
    for (const end of ends) this.#addEnd(end);
  }

  #addEnd(name: EndName): void {
    const { edges } = this.#layout;
    const end = edges.end(name);
    for (const each of end ? [end, ...edges.opposite(name)] : []) for (const type of each.types) this.types.add(type);
  }

  #addDetailed(record: DetailedRecord): void {
    if (this.nodes.size + record.nodes.length + record.edges.length > maxNodes) {
      this.#addCoarsely(record);
      return;
    }
    const { token } = record;
    for (const { uid, type, what, fields } of record.nodes) {
      const node = this.#node(uid, token);
      node.type = type;
      if (what === "removed") node.removed = true;
      if (what === "created") node.createdAt = token;
      for (const field of fields) {
        node.properties.add(field);
        for (const derived of this.#layout.derivedFrom(field)) node.properties.add(derived);
      }
    }
    for (const { edge, from, to, on } of record.edges) {
      const [first, second] = this.#layout.edges.sidesOf(edge);
      const source = this.#node(from, token);
      const target = this.#node(to, token);
      for (const { name } of first) addLink(source, on ? source.linkedTo : source.unlinkedFrom, { end: name, partner: to });
      for (const { name } of second) addLink(target, on ? target.linkedTo : target.unlinkedFrom, { end: name, partner: from });
    }
    for (const { index, key, uid, on } of record.entries) {
      const { entries } = this.#node(uid, token);
      const changes = entries.get(index) ?? { removed: [], added: [] };
      entries.set(index, changes);
      (on ? changes.added : changes.removed).push(key);
    }
    this.#forgetUnchanged(record);
  }

  /** A field whose index entries did not change has its old value. A list may still have changed its order. */
  #forgetUnchanged({ nodes }: DetailedRecord): void {
    for (const { uid, what, fields } of nodes) {
      if (what !== "changed") continue;
      const node = this.nodes.get(uid);
      for (const field of fields) {
        const index = this.#layout.slots.plainIndex(field);
        if (index !== undefined && !this.#layout.isList(field) && !node?.entries.has(index)) node?.properties.delete(field);
      }
    }
  }

  #addCoarsely({ nodes, edges }: DetailedRecord): void {
    for (const { type } of nodes) this.types.add(type);
    for (const { edge } of edges) for (const end of this.#layout.edges.sidesOf(edge).flat()) this.#addEnd(end.name);
  }

  #node(uid: Uid, token: CommitToken): TouchedNode {
    const node = this.nodes.get(uid) ?? new TouchedNode(uid, token);
    node.token = token;
    this.nodes.set(uid, node);
    return node;
  }
}

function addLink(node: TouchedNode, links: Map<EndName, Uid[]>, { end, partner }: { readonly end: EndName; readonly partner: Uid }): void {
  node.properties.add(end);
  const partners = links.get(end);
  if (partners) partners.push(partner);
  else links.set(end, [partner]);
}
