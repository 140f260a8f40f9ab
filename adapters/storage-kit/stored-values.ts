// Values as fields hold them: one value, or a list.

import type { Stored, Value, ValueKind } from "../../core/storage.ts";

const noValues: readonly Value[] = Object.freeze([]);

/** Whether a field holds a list. */
export function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}

/** The values of a field in their order; empty for an absent field. */
export function valuesOf(stored: Stored | undefined): readonly Value[] {
  if (stored === undefined) return noValues;
  return isList(stored) ? stored : [stored];
}

/** `text` as UTF-8 can hold it: each lone surrogate becomes U+FFFD. A database would otherwise return another text than it was given. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : Buffer.from(text).toString();
}

/**
 * The values of a list field, each once, in the order given; undefined for none. Two spellings of one instant are two values.
 *
 * @param equalityText equal for equal values of a kind, different for different ones; undefined for a value that equals nothing
 */
export function distinctValues(
  kind: ValueKind,
  stored: Stored,
  equalityText: (kind: ValueKind, value: Value) => string | undefined,
): readonly Value[] | undefined {
  const values = valuesOf(stored);
  if (values.length < 2) return values.length === 0 ? undefined : values;
  const seen = new Set<string>();
  const distinct = values.filter((value) => {
    const text = kind === "dateTime" ? String(value) : (equalityText(kind, value) ?? JSON.stringify(value));
    return seen.size < seen.add(text).size;
  });
  return distinct.length === values.length ? values : distinct;
}
