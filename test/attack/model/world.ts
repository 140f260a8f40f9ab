// The naive store: a plain array of nodes and, for each end, a plain set of pairs. No index, no cache, no transaction.

import { type Field, inversesFor, type LinkField, membersOf, type NodeType, type Schema, type ValueField } from "./schema.ts";
import { compareValues, listOf, type Stored, type Value } from "./values.ts";

export interface Node {
  /** Ascends in the order of creation. */
  readonly number: number;
  /** Storage name of its type. */
  readonly type: string;
  /** By storage name. */
  readonly values: Map<string, Stored>;
}

/** How an end was when it was seen last. */
interface SeenEnd {
  readonly types: readonly string[];
  readonly partners: readonly string[];
  readonly many: boolean;
}

export class World {
  nodes: Node[] = [];
  #next = 1;
  /** `from>to` by the storage name of the end. Both ends of an inverse hold the link, each from its side. */
  readonly #pairs = new Map<string, Set<string>>();
  readonly #seen = new Map<string, SeenEnd>();

  /** A copy to try something on. */
  copy(): World {
    const copy = new World();
    copy.nodes = this.nodes.map((node) => ({ ...node, values: new Map(node.values) }));
    copy.#next = this.#next;
    for (const [end, pairs] of this.#pairs) copy.#pairs.set(end, new Set(pairs));
    for (const [end, seen] of this.#seen) copy.#seen.set(end, seen);
    return copy;
  }

  create(type: NodeType): Node {
    const node: Node = { number: this.#next++, type: type.stored, values: new Map() };
    this.nodes.push(node);
    return node;
  }

  remove(node: Node): void {
    this.nodes = this.nodes.filter((each) => each !== node);
    for (const pairs of this.#pairs.values())
      for (const pair of [...pairs]) if (pair.startsWith(`${node.number}>`) || pair.endsWith(`>${node.number}`)) pairs.delete(pair);
  }

  /** Forgets what one field holds, or everything. */
  erase(field: Field | undefined): void {
    if (field === undefined) {
      this.nodes = [];
      this.#pairs.clear();
    } else if (field.role === "value") {
      for (const node of this.nodes) node.values.delete(field.stored);
    } else {
      const pairs = this.#pairsOf(field.stored);
      for (const pair of pairs) for (const back of field.inverses) this.#pairsOf(back.stored).delete(turned(pair));
      pairs.clear();
    }
  }

  /** Nodes of a type, an interface or the union, oldest first. */
  of(schema: Schema, name: string): Node[] {
    const stored = membersOf(schema, name).map((type) => type.stored);
    return this.nodes.filter((node) => stored.includes(node.type));
  }

  #pairsOf(end: string): Set<string> {
    const pairs = this.#pairs.get(end) ?? new Set();
    this.#pairs.set(end, pairs);
    return pairs;
  }

  /** Whom a field of `node` shows, oldest first. */
  shown(schema: Schema, node: Node, field: LinkField): Node[] {
    const pairs = this.#pairsOf(field.reverseOf ?? field.stored);
    const isLinked = (other: Node) =>
      field.reverseOf === undefined ? pairs.has(`${node.number}>${other.number}`) : pairs.has(`${other.number}>${node.number}`);
    return this.of(schema, field.target).filter(isLinked);
  }

  unlink(field: LinkField, from: Node, to: Node): void {
    this.#pairsOf(field.stored).delete(`${from.number}>${to.number}`);
    for (const back of inversesFor(field, from.type)) this.#pairsOf(back.stored).delete(`${to.number}>${from.number}`);
  }

  /** A single end lets go of whom it had, on whichever side it is. */
  link(field: LinkField, from: Node, to: Node): void {
    if (this.#pairsOf(field.stored).has(`${from.number}>${to.number}`)) return;
    // One that an earlier schema left, and nothing shows, goes too.
    const own = this.#pairsOf(field.stored);
    if (!field.list) for (const old of this.nodes.filter((node) => own.has(`${from.number}>${node.number}`))) this.unlink(field, from, old);
    const backs = inversesFor(field, from.type);
    for (const back of backs) {
      if (back.list) continue;
      const pairs = this.#pairsOf(back.stored);
      for (const old of this.nodes.filter((node) => pairs.has(`${to.number}>${node.number}`))) this.unlink(field, old, to);
    }
    this.#pairsOf(field.stored).add(`${from.number}>${to.number}`);
    for (const back of backs) this.#pairsOf(back.stored).add(`${to.number}>${from.number}`);
  }

  /** Another schema over the same data: true and in force, or false and nothing has changed. */
  deploy(schema: Schema): boolean {
    const fields = schema.types.flatMap((type) => type.fields.map((field) => ({ type, field })));
    const ends = new Map<string, { field: LinkField; seen: SeenEnd }>();
    for (const { type, field } of fields) {
      if (field.role === "value" || field.reverseOf !== undefined) continue;
      const types = [...(ends.get(field.stored)?.seen.types ?? []), ...membersOf(schema, type.name).map((each) => each.stored)];
      const partners = membersOf(schema, field.target).map((each) => each.stored);
      ends.set(field.stored, { field, seen: { types, partners, many: field.list } });
    }
    for (const [end, { field }] of ends) if (this.#seen.get(end)?.many && !field.list && this.#showedSomething(end)) return false;
    const after = new Map([...this.#pairs].map(([end, pairs]) => [end, new Set(pairs)]));
    for (const [end, { field }] of ends) {
      const own = [...(this.#pairs.get(end) ?? [])];
      const seenBack = field.inverses.flatMap(({ stored }) => {
        const of = ends.get(stored)?.field.inverses.find((inverse) => inverse.stored === end)?.of;
        const shown = new Set(this.nodes.filter(({ type }) => of === undefined || type === of).map((node) => String(node.number)));
        return [...(this.#pairs.get(stored) ?? [])].map(turned).filter((pair) => shown.has(pair.split(">")[1] ?? ""));
      });
      after.set(end, new Set([...own, ...seenBack]));
    }
    for (const [end, { seen }] of ends)
      if (!seen.many && this.nodes.some((node) => this.#partners(after.get(end), node, seen).length > 1)) return false;
    for (const { type, field } of fields) if (field.role === "value" && field.unique !== "no" && this.#isRepeated(schema, type, field)) return false;
    for (const [end, pairs] of after) this.#pairs.set(end, pairs);
    for (const [end, { seen }] of ends) this.#seen.set(end, seen);
    return true;
  }

  #partners(pairs: ReadonlySet<string> | undefined, from: Node, seen: SeenEnd): Node[] {
    if (!seen.types.includes(from.type)) return [];
    return this.nodes.filter((node) => seen.partners.includes(node.type) && pairs?.has(`${from.number}>${node.number}`));
  }

  #showedSomething(end: string): boolean {
    const seen = this.#seen.get(end);
    return seen !== undefined && this.nodes.some((node) => this.#partners(this.#pairs.get(end), node, seen).length > 0);
  }

  #isRepeated(schema: Schema, type: NodeType, field: ValueField): boolean {
    if (type.kind === "interface" && field.unique === "in its type") return false;
    const texts = this.of(schema, type.name).flatMap((node) => listOf(node.values.get(field.stored)).map(String));
    return new Set(texts).size < texts.length;
  }

  /** Who holds `value` of a key among the nodes of these object types. */
  holders(schema: Schema, types: readonly string[], field: ValueField, value: Value): Node[] {
    return types
      .flatMap((type) => this.of(schema, type))
      .filter((node) => listOf(node.values.get(field.stored)).some((each) => compareValues(field.scalar, each, value) === 0));
  }
}

function turned(pair: string): string {
  const [from, to] = pair.split(">");
  return `${to}>${from}`;
}
