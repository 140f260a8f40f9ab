// The places where nodes are found by a value of one field: plain value indexes, token indexes and keys of one field.

import type { IndexLayout, Layout } from "../../contracts/layout.ts";
import type { FieldName, IndexName, Token, Value, ValueKind } from "../../ground/values/value.ts";

/** A place where nodes are found by a value of a field. */
export interface LookupSlot {
  readonly name: string;
  readonly field: FieldName;
  /** Undefined: the values themselves are looked up. */
  readonly tokens: ((value: Value) => Iterable<Token>) | undefined;
  /** The index whose entries say under which value a node was found before. Undefined for keys: change records do not hold it. */
  readonly past: IndexName | undefined;
}

/** Kinds whose values are equal only if they are the same JavaScript value, so that a map can hold them as keys. */
const plainKinds: ReadonlySet<ValueKind> = new Set<ValueKind>(["string", "int", "int64", "boolean"]);

export class LookupSlots {
  readonly #plain = new Map<FieldName, IndexName>();
  readonly #byName = new Map<string, LookupSlot>();
  readonly #byField = new Map<FieldName, LookupSlot>();
  readonly #kindOf: (field: FieldName) => ValueKind;

  constructor({ indexes, keys }: Pick<Layout, "indexes" | "keys">, kindOf: (field: FieldName) => ValueKind) {
    this.#kindOf = kindOf;
    for (const { by, field, name } of indexes) if (by === "value" && this.#isPlain(field)) this.#plain.set(field, name);
    for (const index of indexes) this.#addIndex(index);
    for (const { fields } of keys) this.#addKey(fields);
  }

  #isPlain(field: FieldName): boolean {
    return plainKinds.has(this.#kindOf(field));
  }

  #addIndex(index: IndexLayout): void {
    const { name, field } = index;
    // It has the order of its last field, and no list for a value alone.
    if (index.by === "compound") return;
    if (index.by === "value" && this.#plain.get(field) !== name) return;
    const slot = { name, field, tokens: index.by === "tokens" ? index.tokens : undefined, past: name };
    this.#byName.set(name, slot);
    if (index.by === "value") this.#byField.set(field, slot);
  }

  #addKey([field, ...more]: readonly FieldName[]): void {
    if (field === undefined || more.length > 0 || this.#byField.has(field) || !this.#isPlain(field)) return;
    const slot = { name: `=${field}`, field, tokens: undefined, past: undefined };
    this.#byName.set(slot.name, slot);
    this.#byField.set(field, slot);
  }

  named(name: string): LookupSlot | undefined {
    return this.#byName.get(name);
  }

  /** The slot that finds nodes by a value of `field` itself. */
  of(field: FieldName): LookupSlot | undefined {
    return this.#byField.get(field);
  }

  /** The value index of a field whose values can be keys of a map. Every change of such a field is in the entries of its index. */
  plainIndex(field: FieldName): IndexName | undefined {
    return this.#plain.get(field);
  }
}
