// The keys by which this service resolves entities.

import type { FieldName, IdField, KeyLayout, LinkField, NodeType, ValueField } from "../../core/plugin.ts";
import { type FieldSetItem, parseFieldSet } from "./field-set.ts";
import { isResolvable } from "./ownership.ts";
import { topNames } from "./rules-of-version-2.ts";
import { type FederationContext, fieldsArgument, usesOf } from "./schema/schema-context.ts";

/** An object type that this service resolves. */
export interface Entity {
  readonly type: NodeType;
  /** In written order, at least one. */
  readonly keys: readonly EntityKey[];
  /** The fields that some `@requires` names: computed fields get their values from representations. */
  readonly required: readonly ValueField[];
}

export interface EntityKey {
  /** `fields` as written. */
  readonly text: string;
  readonly leaves: readonly KeyLeaf[];
}

/** A field with a value, at the end of a path of links. */
export interface KeyLeaf {
  readonly path: readonly LinkField[];
  readonly field: IdField | ValueField;
}

/** Entities in the order of their types. Call it when no problem is reported. */
export function readEntities(federation: FederationContext): readonly Entity[] {
  const { model } = federation.context;
  const uses = usesOf(federation, "key").filter(({ node }) => isResolvable(node));
  return [...model.nodeTypes.values()].flatMap((type) => {
    if (type.kind === "interface") return [];
    const keys = uses.filter((use) => use.definition.name.value === type.name).flatMap(({ node }) => readKey(type, fieldsArgument(node).text));
    return keys.length > 0 ? [{ type, keys, required: requiredFields(type, federation) }] : [];
  });
}

function requiredFields(type: NodeType, federation: FederationContext): readonly ValueField[] {
  const uses = usesOf(federation, "requires").filter(({ definition, field }) => field && definition.name.value === type.name);
  const names = new Set(uses.flatMap(({ node }) => topNames(node)));
  return [...type.fields.values()].filter((field) => field.role === "value").filter(({ name }) => names.has(name));
}

function readKey(type: NodeType, text: string): readonly EntityKey[] {
  const items = parseFieldSet(text);
  const leaves = typeof items === "string" ? [] : leavesOf(type, items, []);
  return leaves.length > 0 ? [{ text, leaves }] : [];
}

function leavesOf(type: NodeType, items: readonly FieldSetItem[], path: readonly LinkField[]): readonly KeyLeaf[] {
  return items.flatMap(({ name, below }) => {
    const field = type.fields.get(name);
    if (field?.role === "link" && field.target.kind === "object") return leavesOf(field.target, below, [...path, field]);
    return field?.role === "id" || field?.role === "value" ? [{ path, field }] : [];
  });
}

/** Makes keys of several stored fields unique. Keys with one unique field are so already; a key over links cannot be ensured. */
export function compoundKeys(entities: readonly Entity[]): readonly KeyLayout[] {
  return entities.flatMap(({ type, keys }) =>
    keys.flatMap(({ leaves }) => {
      const fields = leaves.flatMap(({ field, path }): readonly FieldName[] => (field.role === "value" && path.length === 0 ? [field.stored] : []));
      const own = leaves.flatMap(({ field, path }) => (path.length === 0 ? [field] : []));
      const isUnique =
        own.some((field) => field.role === "id" || type.keys.some((key) => key.field === field)) ||
        type.scopedKeys.some(({ field, within }) => [field, ...within].every((part) => own.some((each) => each === part)));
      if (fields.length < leaves.length || isUnique) return [];
      return [{ name: `${type.stored}(${fields.join(",")})`, fields, types: [type.stored] }];
    }),
  );
}
