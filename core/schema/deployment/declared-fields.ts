// What a schema says of its stored fields beyond their layout, for storages that take in data of others.

import type { Model } from "../../contracts/model.ts";
import type { DeclaredField } from "../../contracts/storage/migration.ts";
import type { FieldName } from "../../ground/values/value.ts";

export function declaredFields({ nodeTypes }: Model): ReadonlyMap<FieldName, DeclaredField> {
  const declared = new Map<FieldName, DeclaredField>();
  for (const { fields } of nodeTypes.values()) {
    for (const field of fields.values()) {
      if (field.role !== "value") continue;
      declared.set(field.stored, { required: field.type.nonNull && !field.type.list, values: field.enum && new Set(field.enum.values) });
    }
  }
  return declared;
}
