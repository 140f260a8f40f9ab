// `@lowercase`: stores a text in lower case, and compares with it case-insensitively.

import type { DirectivePlugin, DirectiveUse, Field, InputObject, ModelContext, Stored, ValueField } from "quern/plugin";

export function lowercasePlugin(): DirectivePlugin {
  return {
    name: "lowercase",
    definitions: "directive @lowercase on FIELD_DEFINITION",
    model(context) {
      const fields = new Set<Field | undefined>(context.uses("lowercase").flatMap((use) => readField(use, context)));
      if (fields.size === 0) return undefined;
      return {
        values: (input) => ({ values: lowered(input, fields) }),
        operand: (field, value) => (fields.has(field) && typeof value === "string" ? value.toLowerCase() : value),
      };
    },
  };
}

function readField({ node, field, type }: DirectiveUse, { report }: ModelContext): readonly ValueField[] {
  if (field?.role === "value" && field.kind === "string" && field.enum === undefined) return [field];
  report(`Type ${type?.name}; Field ${field?.name}: @lowercase is for String fields.`, node);
  return [];
}

/** Null, which clears the field, stays null. */
function lowered({ type, values }: InputObject, fields: ReadonlySet<Field | undefined>): ReadonlyMap<string, Stored> {
  const changed = new Map<string, Stored>();
  for (const [name, value] of values) {
    if (!fields.has(type.fields.get(name))) continue;
    if (typeof value === "string") changed.set(name, value.toLowerCase());
    else if (Array.isArray(value)) changed.set(name, [...new Set(value.map((each) => String(each).toLowerCase()))]);
  }
  return changed;
}
