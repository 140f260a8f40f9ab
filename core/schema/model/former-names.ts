// Stored names of types and fields of earlier schemas: those of the deployed schema, and of what it has removed.

import type { FormerNames } from "../../contracts/plugin/model-context.ts";
import type { EndName, FieldName, TypeName } from "../../ground/values/value.ts";
import { fieldKey, type History, namedFields } from "./kept-names.ts";

export interface KnownNames extends FormerNames {
  /** A stored name that no schema text determines: the result of a rename. */
  keptField(type: string, field: string): FieldName | EndName | undefined;
  /** Whether this is the stored name of a type or field of the deployed or an earlier schema. */
  isTaken(stored: TypeName | FieldName | EndName): boolean;
}

/** Undefined if nothing is deployed. */
export function formerNames({ deployed, kept }: History): KnownNames | undefined {
  if (deployed === undefined) return undefined;
  const memories = [kept.types.kept, kept.types.left, kept.fields.kept, kept.fields.left];
  const remembered = memories.flatMap((names) => [...names.values()]);
  const shown = [...[...deployed.nodeTypes.values()], ...namedFields(deployed)].map(({ stored }) => stored);
  const taken = new Set([...remembered, ...shown]);
  return {
    model: deployed,
    storedType(type): TypeName | undefined {
      return deployed.nodeTypes.get(type)?.stored ?? kept.types.kept.get(type) ?? kept.types.left.get(type);
    },
    storedField(type, name): FieldName | EndName | undefined {
      const field = deployed.nodeTypes.get(type)?.fields.get(name);
      if (field?.role === "value" || field?.role === "link") return field.stored;
      const key = field === undefined ? `${type}.${name}` : fieldKey(field);
      return kept.fields.kept.get(key) ?? kept.fields.left.get(key);
    },
    isTaken: (stored) => taken.has(stored),
    keptField: (type, name) => kept.fields.kept.get(`${type}.${name}`),
  };
}
