// What a layout says, looked up by name: kinds, indexes, the two sides of edges, what is derived from what.

import type { End, IndexLayout, Layout } from "../contracts/layout.ts";
import type { EdgeName, EndName, FieldName, IndexName, Token, TypeName, Value, ValueKind } from "../ground/values/value.ts";

/** Where nodes are found by a value of theirs. */
export interface Slot {
  readonly name: string;
  readonly field: FieldName;
  /** Undefined: the values themselves. */
  readonly tokens: ((value: Value) => readonly Token[]) | undefined;
  /** The index whose entries tell under what a node was found before. Undefined for keys: nothing tells. */
  readonly past: IndexName | undefined;
}

export interface EndFacts {
  readonly end: End;
  /** The ends of the other side. */
  readonly opposite: readonly End[];
}

/** Kinds whose values are equal only if they are the same value of JavaScript. */
const plainKinds: ReadonlySet<ValueKind> = new Set<ValueKind>(["string", "int", "int64", "boolean"]);

/** Selections of fields are as many as documents; clients may send any number of those. */
const maxSets = 10_000;

export class LayoutFacts {
  readonly typeNames: readonly TypeName[];
  readonly #kinds = new Map<FieldName, ValueKind>();
  readonly #indexes = new Map<IndexName, IndexLayout>();
  readonly #plain = new Map<FieldName, IndexName>();
  readonly #slots = new Map<string, Slot>();
  readonly #slotOf = new Map<FieldName, Slot>();
  readonly #lists = new Set<FieldName>();
  readonly #sets = new Map<string, ReadonlySet<string>>();
  readonly #derived = new Map<FieldName, FieldName[]>();
  readonly #ends = new Map<EndName, EndFacts>();
  readonly #edges = new Map<EdgeName, readonly [readonly End[], readonly End[]]>();

  constructor(layout: Layout) {
    this.typeNames = layout.types.map((type) => type.name);
    for (const field of layout.fields) {
      this.#kinds.set(field.name, field.kind);
      if (field.list) this.#lists.add(field.name);
      for (const base of field.derived?.from ?? []) this.#derived.set(base, [...(this.#derived.get(base) ?? []), field.name]);
    }
    for (const index of layout.indexes) {
      this.#indexes.set(index.name, index);
      if (index.by === "value" && plainKinds.has(this.kindOf(index.field))) this.#plain.set(index.field, index.name);
    }
    this.#addSlots(layout);
    for (const { name, sides } of layout.edges) {
      const [first, second = first] = sides;
      this.#edges.set(name, [first.ends, second.ends]);
      for (const end of first.ends) this.#ends.set(end.name, { end, opposite: second.ends });
      for (const end of second.ends) this.#ends.set(end.name, { end, opposite: first.ends });
    }
  }

  #addSlots({ indexes, keys }: Layout): void {
    for (const index of indexes) {
      const { name, field } = index;
      if (index.by === "value" && this.#plain.get(field) !== name) continue;
      const slot = { name, field, tokens: index.by === "tokens" ? index.tokens : undefined, past: name };
      this.#slots.set(name, slot);
      if (index.by === "value") this.#slotOf.set(field, slot);
    }
    for (const { fields } of keys) {
      const [field, ...more] = fields;
      if (field === undefined || more.length > 0 || this.#slotOf.has(field) || !plainKinds.has(this.kindOf(field))) continue;
      const slot = { name: `=${field}`, field, tokens: undefined, past: undefined };
      this.#slots.set(slot.name, slot);
      this.#slotOf.set(field, slot);
    }
  }

  slot(name: string): Slot | undefined {
    return this.#slots.get(name);
  }

  /** Where nodes are found by a value of `field` itself. */
  slotOf(field: FieldName): Slot | undefined {
    return this.#slotOf.get(field);
  }

  /** The names as a set; one object for all who ask for the same names in the same order. */
  setOf(names: readonly string[]): ReadonlySet<string> {
    const key = names.join("\u0000");
    const known = this.#sets.get(key) ?? new Set(names);
    if (this.#sets.size < maxSets) this.#sets.set(key, known);
    return known;
  }

  kindOf(field: FieldName): ValueKind {
    return this.#kinds.get(field) ?? "string";
  }

  isList(field: FieldName): boolean {
    return this.#lists.has(field);
  }

  index(name: IndexName): IndexLayout | undefined {
    return this.#indexes.get(name);
  }

  /** An index by value of a field whose values can be keys of a map. Every change of such a field shows in the entries of its index. */
  plainIndex(field: FieldName): IndexName | undefined {
    return this.#plain.get(field);
  }

  /** Fields that are computed from `field`. */
  derivedFrom(field: FieldName): readonly FieldName[] {
    return this.#derived.get(field) ?? [];
  }

  end(name: EndName): EndFacts | undefined {
    return this.#ends.get(name);
  }

  /** The ends of an edge's first and second side; of its one side twice. */
  sidesOf(edge: EdgeName): readonly [readonly End[], readonly End[]] {
    return this.#edges.get(edge) ?? [[], []];
  }

  /** A single end by which nodes behind `end` know the node it leads to them from, if they all have the same. */
  wayBack(end: EndName): End | undefined {
    const facts = this.#ends.get(end);
    const [back, ...more] = facts?.opposite ?? [];
    if (!facts || !back || more.length > 0 || back.many) return undefined;
    return facts.end.partners.every((type) => back.types.includes(type)) ? back : undefined;
  }
}
