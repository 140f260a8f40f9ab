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
  /** By edge name: pairs as seen from the first side. */
  readonly #links = new Map<string, Set<string>>();
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
        for (const pairs of this.#links.values())
          for (const pair of [...pairs]) if (pair.split(">").map(Number).includes(change.uid)) pairs.delete(pair);
        return;
      default: {
        const { pairs, forward, symmetric } = this.#end(change.end);
        const both = symmetric
          ? [pairOf(change.from, change.to), pairOf(change.to, change.from)]
          : [forward ? pairOf(change.from, change.to) : pairOf(change.to, change.from)];
        for (const pair of both) {
          if (change.kind === "link") pairs.add(pair);
          else pairs.delete(pair);
        }
      }
    }
  }

  #end(name: string) {
    for (const edge of this.#layout.edges) {
      for (const [s, side] of edge.sides.entries()) {
        const found = side.ends.find((each) => each.name === name);
        if (found === undefined) continue;
        let pairs = this.#links.get(edge.name);
        if (pairs === undefined) {
          pairs = new Set();
          this.#links.set(edge.name, pairs);
        }
        return { pairs, forward: s === 0, symmetric: edge.sides.length === 1, end: found };
      }
    }
    throw new TypeError(`no end ${name}`);
  }

  partners(name: string, uid: Uid): Uid[] {
    const { pairs, forward, end } = this.#end(name);
    if (!end.types.includes(this.nodes.get(uid)?.type ?? "")) return [];
    const found: Uid[] = [];
    for (const pair of pairs) {
      const [first = 0, second = 0] = pair.split(">").map(Number);
      const [from, to] = forward ? [first, second] : [second, first];
      if (from === uid && end.partners.includes(this.nodes.get(to)?.type ?? "")) found.push(to);
    }
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

function pairOf(first: Uid, second: Uid): string {
  return `${first}>${second}`;
}
