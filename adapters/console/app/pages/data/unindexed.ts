// The fields that a view asks of without an index, and a schema that gives them one.

import type { NodeType } from "../../model/api-model.ts";
import { type Filter, type Group, isGroup } from "../../model/filter-tree.ts";
import type { Order } from "../../model/nodes.ts";
import { operatorOf } from "../../model/operators.ts";
import { withIndex } from "../../model/schema-edits.ts";
import { go } from "../../parts/router.ts";
import { draftOf, keepDraft } from "../../parts/use-kept.ts";

/** Those that the schema can index. */
export function unindexedFields(
  schema: string,
  type: NodeType,
  view: { readonly filter: Group; readonly orders: readonly Order[] },
): readonly string[] {
  const asked = [...fieldsIn(type, view.filter), ...view.orders.flatMap(({ field }) => (type.orderable.has(field) ? [] : [field]))];
  return [...new Set(asked)].filter((field) => withIndex(schema, type.name, field) !== undefined);
}

function fieldsIn(type: NodeType, filter: Filter): readonly string[] {
  if (isGroup(filter)) return filter.of.flatMap((each) => fieldsIn(type, each));
  const isIndexed =
    filter.kind === "value" ? operatorOf(type, filter.field, filter.operator)?.input !== undefined : type.filter?.getFields()[filter.field];
  return isIndexed ? [] : [filter.field];
}

/** Puts the index into the text that the page Schema shows, which says what its deploy changes. */
export function writeIndex(schema: string, type: NodeType, field: string): void {
  const next = withIndex(draftOf("schema") ?? schema, type.name, field) ?? withIndex(schema, type.name, field);
  if (next === undefined) return;
  keepDraft("schema", next);
  go("schema");
}
