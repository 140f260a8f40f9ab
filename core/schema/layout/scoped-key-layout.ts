// The layout of a key that is unique within other fields: `Doc(Doc.slug within Doc.tenant)`.

import type { KeyLayout } from "../../contracts/layout.ts";
import type { NodeType, ScopedKey } from "../../contracts/model.ts";
import { compareText } from "../../ground/values/compare.ts";

/** @param type the object type that has the key */
export function scopedKeyLayout(type: NodeType, key: ScopedKey): KeyLayout {
  const { field, scope, within } = key;
  const values = storedNames(within, "value");
  const ends = storedNames(within, "link");
  return {
    name: scopedKeyName(type, key),
    // The key's own field is the first: errors name its value.
    fields: [field.stored, ...values],
    ...(ends.length > 0 && { ends }),
    types: [...new Set(scope.map((each) => each.stored))].sort(compareText),
  };
}

/** The order in which a schema names the scope does not matter. */
export function scopedKeyName(type: NodeType, { field, within, across }: ScopedKey): string {
  const names = within.map(({ stored }) => stored).sort(compareText);
  return `${(across ?? type).stored}(${field.stored} within ${names.join(", ")})`;
}

function storedNames(within: ScopedKey["within"], role: "value" | "link"): readonly string[] {
  return within
    .filter((each) => each.role === role)
    .map(({ stored }) => stored)
    .sort(compareText);
}
