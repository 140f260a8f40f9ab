// Reads `@id`: which fields may be keys, and among which types a key is unique.

import { print } from "graphql";
import type { DirectiveUse, Field, ModelContext, ValueField } from "../../core/plugin.ts";

const keyTypes = ["String", "Int", "Int64"];

/** Records every key and returns the fields of all types that have one, inherited ones included. */
export function readKeys({ uses, report, record }: ModelContext): readonly ValueField[] {
  const keys: ValueField[] = [];
  for (const use of uses("id")) {
    const { field } = use;
    if (!field) continue;
    const start = `Type ${field.owner.name}; Field ${field.name}:`;
    if (!isKeyable(field)) {
      report(`${start} with @id directive must be of type String, Int or Int64, not ${print(field.definition.type)}`, use.node);
      continue;
    }
    if (acrossInterface(use) && field.origin.kind === "object") {
      report(`${start} @id field with interface argument can only be defined in interface,not in Type`, use.node);
    }
    if (!use.inherited) record.key(field, acrossInterface(use) ? "interface" : "type");
    keys.push(field);
  }
  return [...new Set(keys)];
}

function isKeyable(field: Field): field is ValueField {
  return field.role === "value" && !field.type.list && keyTypes.includes(field.type.name);
}

function acrossInterface({ node }: DirectiveUse): boolean {
  const value = node.arguments?.find((argument) => argument.name.value === "interface")?.value;
  return value !== undefined && "value" in value && String(value.value) === "true";
}
