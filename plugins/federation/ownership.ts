// Which fields belong to other services, and what that means for the generated API.

import { type DirectiveNode, Kind } from "graphql";
import type { Field, IdField, NodeType, ValueField } from "../../core/plugin.ts";
import { listedFields } from "./rules-of-version-1.ts";
import { keyNames, topNames } from "./rules-of-version-2.ts";
import { type FederationContext, fieldsArgument, isMarked, usesOf } from "./schema/schema-context.ts";

/** What belongs to other services. */
export interface Ownership {
  /** Types that other services own: their generated queries are not part of the supergraph. */
  readonly foreign: ReadonlySet<NodeType>;
  /** IDs that clients give, and that can be filtered by. */
  readonly givenIds: readonly ValueField[];
}

/** Records in the model what external fields are, and returns what is left to add. */
export function recordOwnership(federation: FederationContext): Ownership {
  const provided = providedFields(federation);
  const external = new Set(usesOf(federation, "external").flatMap(({ field }) => field ?? []));
  const foreign = foreignTypes(federation);
  const givenIds: ValueField[] = [];
  for (const type of federation.context.model.nodeTypes.values()) {
    const keys = keyNames(type.definition, federation);
    for (const field of [...type.fields.values()]) {
      const isKey = keys.has(field.name);
      const isReference = field.role === "id" && isKey && foreign.has(type) && !isExtended(type, federation);
      if (!external.has(field) && !isReference) continue;
      const isShown = isKey || (provided.get(type.name)?.has(field.name) ?? false);
      const given = field.role === "id" ? recordGivenId(type, field, { isShown, isKey: isOnlyKey(type, field, federation) }, federation) : undefined;
      if (given) givenIds.push(given);
      if (field.role !== "id") recordExternal(field, { isShown }, federation);
    }
  }
  return { foreign, givenIds };
}

/** The fields of each type that some `@provides` names. */
function providedFields(federation: FederationContext): ReadonlyMap<string, ReadonlySet<string>> {
  const { version } = federation.dialect;
  const provided = new Map<string, Set<string>>();
  for (const { field, node } of usesOf(federation, "provides")) {
    if (!field) continue;
    const names = version === 1 ? listedFields(node) : topNames(node);
    provided.set(field.type.name, new Set([...(provided.get(field.type.name) ?? []), ...names]));
  }
  return provided;
}

/** Extensions, and types of which every key only refers to nodes of another service. */
function foreignTypes(federation: FederationContext): ReadonlySet<NodeType> {
  const keyed = new Map<NodeType, boolean>();
  for (const use of usesOf(federation, "key")) {
    if (use.type) keyed.set(use.type, (keyed.get(use.type) ?? false) || isResolvable(use.node));
  }
  const references = [...keyed].flatMap(([type, resolvable]) => (resolvable ? [] : [type]));
  const extensions = [...federation.context.model.nodeTypes.values()].filter((type) => isExtended(type, federation));
  return new Set([...extensions, ...references]);
}

function isExtended({ definition }: NodeType, federation: FederationContext): boolean {
  return isMarked(definition, "extends", federation);
}

/** Whether this service resolves entities by the key. */
export function isResolvable({ arguments: given = [] }: DirectiveNode): boolean {
  const value = given.find(({ name }) => name.value === "resolvable")?.value;
  return value?.kind !== Kind.BOOLEAN || value.value;
}

interface Shown {
  readonly isShown: boolean;
  /** The ID alone is a key. */
  readonly isKey: boolean;
}

/** The ID of a node of another service is a text here. Undefined when the API does not show it. */
function recordGivenId(type: NodeType, field: IdField, { isShown, isKey }: Shown, { context }: FederationContext): ValueField | undefined {
  context.record.givenId(field);
  const given = context.model.nodeTypes.get(type.name)?.fields.get(field.name);
  if (given?.role !== "value" || !isShown) return undefined;
  context.record.exposure(given, { input: true, order: true, aggregate: "range" });
  if (isKey) context.record.key(given, "type");
  return given;
}

/** A field that another service owns is written and searched here only if this service provides it. */
function recordExternal(field: Field, { isShown }: Pick<Shown, "isShown">, { context }: FederationContext): void {
  const { record } = context;
  if (!isShown) record.exposure(field, { input: false, has: false, order: false, aggregate: "none" });
  if (!isShown || field.role !== "value" || field.type.list || field.kind === "geo") return;
  const isNumber = ["int", "int64", "float"].includes(field.kind);
  record.exposure(field, { order: true, aggregate: isNumber ? "sum" : "range" });
}

function isOnlyKey({ definition }: NodeType, { name }: Field, { dialect }: FederationContext): boolean {
  const names = dialect.namesOf("key");
  return (definition.directives ?? []).some((key) => names.includes(key.name.value) && fieldsArgument(key).text.trim() === name);
}
