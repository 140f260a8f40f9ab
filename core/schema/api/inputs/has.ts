// `<T>HasFilter`: the fields whose presence can be tested.

import type { NodeType } from "../../../contracts/model.ts";
import type { EnumDefinition } from "../definition.ts";
import { hasFilterName } from "../names.ts";

export function hasFilter(node: NodeType): EnumDefinition | undefined {
  const values = [...node.fields.values()].filter((field) => field.exposure.has).map(({ name }) => ({ name }));
  if (values.length === 0) return undefined;
  return { kind: "enum", name: hasFilterName(node), values, generatedFor: node.name };
}
