// A layout by name. Built once for each layout; everything that asks "which kind", "which index", "which end" asks here.

import type { IndexLayout, KeyLayout, Layout } from "../../contracts/layout.ts";
import type { FieldName, IndexName, KeyName, TypeName, ValueKind } from "../../ground/values/value.ts";
import { EdgeIndex } from "./edge-index.ts";
import { LookupSlots } from "./lookup-slots.ts";

/** Clients may send any number of documents, each with another selection of fields. */
const maxSharedSets = 10_000;

/** Kinds, indexes, keys and ends of a layout by their names. */
export class LayoutIndex {
  readonly typeNames: readonly TypeName[];
  readonly edges: EdgeIndex;
  readonly slots: LookupSlots;
  readonly #kinds = new Map<FieldName, ValueKind>();
  readonly #lists = new Set<FieldName>();
  readonly #derived = new Map<FieldName, FieldName[]>();
  readonly #indexes: ReadonlyMap<IndexName, IndexLayout>;
  readonly #sets = new Map<string, ReadonlySet<string>>();
  readonly #keys: ReadonlyMap<KeyName, KeyLayout>;

  constructor(layout: Layout) {
    this.typeNames = layout.types.map((type) => type.name);
    for (const { name, kind, list, derived } of layout.fields) {
      this.#kinds.set(name, kind);
      if (list) this.#lists.add(name);
      for (const base of derived?.from ?? []) this.#derived.set(base, [...this.derivedFrom(base), name]);
    }
    this.#indexes = new Map(layout.indexes.map((index) => [index.name, index]));
    this.#keys = new Map(layout.keys.map((key) => [key.name, key]));
    this.edges = new EdgeIndex(layout);
    this.slots = new LookupSlots(layout, (field) => this.kindOf(field));
  }

  /** `string` for a field that the layout does not name. */
  kindOf(field: FieldName): ValueKind {
    return this.#kinds.get(field) ?? "string";
  }

  isList(field: FieldName): boolean {
    return this.#lists.has(field);
  }

  index(name: IndexName): IndexLayout | undefined {
    return this.#indexes.get(name);
  }

  key(name: KeyName): KeyLayout | undefined {
    return this.#keys.get(name);
  }

  /** The names as a set; the same object for the same names in the same order. */
  sharedSet(names: readonly string[]): ReadonlySet<string> {
    const key = names.join("\u0000");
    const known = this.#sets.get(key) ?? new Set(names);
    if (this.#sets.size < maxSharedSets) this.#sets.set(key, known);
    return known;
  }

  /** Fields that are computed from `field`. */
  derivedFrom(field: FieldName): readonly FieldName[] {
    return this.#derived.get(field) ?? [];
  }
}

const indexes = new WeakMap<Layout, LayoutIndex>();

/** The index of `layout`, built at the first call. */
export function layoutIndexOf(layout: Layout): LayoutIndex {
  const index = indexes.get(layout) ?? new LayoutIndex(layout);
  indexes.set(layout, index);
  return index;
}
