// What a storage must answer, computed by looking at every node: arrays, no index.

import {
  type Change,
  type FindRequest,
  type FollowRequest,
  type Layout,
  type Linked,
  type MatcherFacts,
  matcher,
  type NodeView,
  type Order,
  type Page,
  rowComparator,
  type Stored,
  type TypeName,
  type Uid,
} from "../../../core/storage.ts";

interface OracleNode {
  readonly type: TypeName;
  readonly fields: Map<string, Stored>;
}

export class Oracle {
  readonly nodes = new Map<Uid, OracleNode>();
  /** By edge name. */
  readonly #links = new Map<string, Links>();
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  get types(): readonly TypeName[] {
    return this.#layout.types.map((type) => type.name);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) this.#apply(change);
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case "create":
        this.nodes.set(change.uid, { type: change.type, fields: new Map(Object.entries(change.fields)) });
        return;
      case "set":
        for (const [name, value] of Object.entries(change.fields)) {
          if (value === null || (Array.isArray(value) && value.length === 0)) this.nodes.get(change.uid)?.fields.delete(name);
          else this.nodes.get(change.uid)?.fields.set(name, value);
        }
        return;
      case "remove":
        this.nodes.delete(change.uid);
        for (const links of this.#links.values()) links.remove(change.uid);
        return;
      default: {
        const { links, forward, symmetric } = this.#end(change.end);
        const { from, to } = change;
        const pairs = symmetric ? [[from, to] as const, [to, from] as const] : [forward ? ([from, to] as const) : ([to, from] as const)];
        for (const [first, second] of pairs) links[change.kind](first, second);
      }
    }
  }

  #end(name: string) {
    for (const edge of this.#layout.edges) {
      for (const [s, side] of edge.sides.entries()) {
        const found = side.ends.find((each) => each.name === name);
        if (found === undefined) continue;
        let links = this.#links.get(edge.name);
        if (links === undefined) {
          links = new Links();
          this.#links.set(edge.name, links);
        }
        return { links, forward: s === 0, symmetric: edge.sides.length === 1, end: found };
      }
    }
    throw new TypeError(`no end ${name}`);
  }

  partners(name: string, uid: Uid): Uid[] {
    const { links, forward, end } = this.#end(name);
    if (!end.types.includes(this.nodes.get(uid)?.type ?? "")) return [];
    const found = (forward ? links.of(uid) : links.to(uid)).filter((each) => end.partners.includes(this.nodes.get(each)?.type ?? ""));
    return found.sort((a, b) => a - b);
  }

  find({ types, where, order, page }: Omit<FindRequest, "fields">): Uid[] {
    const matches = matcher(where ?? { kind: "all" }, this.#facts());
    const uids = [...this.nodes].filter(([uid, node]) => types.includes(node.type) && matches(this.#view(uid))).map(([uid]) => uid);
    return this.#cut(uids, order, page);
  }

  follow({ from, end, types, where, order, page }: Omit<FollowRequest, "fields">): Uid[][] {
    const matches = matcher(where ?? { kind: "all" }, this.#facts());
    return from.map((uid) => {
      const partners = this.partners(end, uid).filter(
        (each) => (types === undefined || types.includes(this.nodes.get(each)?.type ?? "")) && matches(this.#view(each)),
      );
      return this.#cut(partners, order, page);
    });
  }

  #cut(uids: readonly Uid[], order: Order = [], page: Page = {}): Uid[] {
    const compare = rowComparator(order, (key) => this.#kindOf(key.field));
    const rows = uids.map((uid) => ({ uid, keys: order.map((key) => this.nodes.get(uid)?.fields.get(key.field)) })).sort(compare);
    const sorted = rows.map((row) => row.uid);
    if ("last" in page) return sorted.slice(-page.last);
    const offset = page.offset ?? 0;
    return sorted.slice(offset, page.first === undefined ? undefined : offset + page.first);
  }

  #view(uid: Uid): NodeView {
    const node = this.nodes.get(uid);
    return { uid, type: node?.type ?? "", value: (field) => node?.fields.get(field) };
  }

  #kindOf(name: string) {
    return this.#layout.fields.find((each) => each.name === name)?.kind ?? "string";
  }

  #facts(): MatcherFacts {
    return {
      kindOf: (name) => this.#kindOf(name),
      index: (name) => this.#layout.indexes.find((each) => each.name === name),
      linked: (node, predicate) => this.#linked(node, predicate),
    };
  }

  #linked(node: NodeView, { end, where, atLeast }: Linked): boolean {
    const matches = matcher(where, this.#facts());
    return this.partners(end, node.uid).filter((uid) => matches(this.#view(uid))).length >= atLeast;
  }
}

/** The links of one edge, from its first side to its second. */
class Links {
  readonly #seconds = new Map<Uid, Set<Uid>>();
  readonly #firsts = new Map<Uid, Set<Uid>>();

  link(first: Uid, second: Uid): void {
    setAt(this.#seconds, first).add(second);
    setAt(this.#firsts, second).add(first);
  }

  unlink(first: Uid, second: Uid): void {
    this.#seconds.get(first)?.delete(second);
    this.#firsts.get(second)?.delete(first);
  }

  remove(uid: Uid): void {
    for (const second of this.of(uid)) this.unlink(uid, second);
    for (const first of this.to(uid)) this.unlink(first, uid);
  }

  of(first: Uid): readonly Uid[] {
    return [...(this.#seconds.get(first) ?? [])];
  }

  to(second: Uid): readonly Uid[] {
    return [...(this.#firsts.get(second) ?? [])];
  }
}

function setAt(sets: Map<Uid, Set<Uid>>, uid: Uid): Set<Uid> {
  const set = sets.get(uid) ?? new Set();
  sets.set(uid, set);
  return set;
}
