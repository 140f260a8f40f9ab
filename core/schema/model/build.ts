// Builds the model from definitions, before plugins record the meaning of their directives.

import { type FieldDefinitionNode, Kind, type TypeDefinitionNode } from "graphql";
import { defaultExposure, type FieldDraft, hidden, type ModelDraft, NodeTypeDraft, plainValue, type UnionDraft } from "./draft.ts";
import { kindOfBuiltIn, readFieldType } from "./field-type.ts";

export interface ModelSource {
  /** Validated definitions with inherited fields, without `Query` and `Mutation`. */
  readonly definitions: readonly TypeDefinitionNode[];
  /** Validated definitions whose values are not stored. */
  readonly unstored: readonly TypeDefinitionNode[];
  /** The interface that declares a field, by type and field name. */
  readonly origins: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export function buildModel({ definitions, unstored, origins }: ModelSource): ModelDraft {
  const model: ModelDraft = { nodeTypes: new Map(), unions: new Map(), enums: new Map() };
  for (const definition of definitions) declare(definition, model);
  const types = [...model.nodeTypes.values()];
  for (const type of types) connectInterfaces(type, model);
  for (const union of model.unions.values()) addMembers(union, model);
  const notStored = new Set(unstored.map(({ name }) => name.value));
  for (const type of types) addFields(type, { origins: origins.get(type.name) ?? new Map(), notStored }, model);
  for (const type of types) showLinks(type);
  return model;
}

function declare(definition: TypeDefinitionNode, model: ModelDraft): void {
  const name = definition.name.value;
  if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) model.nodeTypes.set(name, new NodeTypeDraft("object", definition));
  if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION) model.nodeTypes.set(name, new NodeTypeDraft("interface", definition));
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) model.unions.set(name, { kind: "union", name, definition, members: [] });
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
    model.enums.set(name, { name, definition, values: new Set(definition.values?.map((value) => value.name.value)) });
  }
}

function connectInterfaces(type: NodeTypeDraft, model: ModelDraft): void {
  if (type.kind === "interface") return;
  type.members.push(type);
  for (const reference of type.definition.interfaces ?? []) {
    const from = model.nodeTypes.get(reference.name.value);
    if (!from) continue;
    type.interfaces.push(from);
    from.members.push(type);
  }
}

function addMembers(union: UnionDraft, model: ModelDraft): void {
  for (const reference of union.definition.types ?? []) {
    const member = model.nodeTypes.get(reference.name.value);
    if (member) union.members.push(member);
  }
}

interface FieldSource {
  /** The interface that declares a field, by its name. */
  readonly origins: ReadonlyMap<string, string>;
  /** Names of types whose values are not stored. */
  readonly notStored: ReadonlySet<string>;
}

function addFields(type: NodeTypeDraft, { origins, notStored }: FieldSource, model: ModelDraft): void {
  for (const definition of type.definition.fields ?? []) {
    const origin = model.nodeTypes.get(origins.get(definition.name.value) ?? "") ?? type;
    const field = buildField(definition, { owner: type, origin, notStored }, model);
    if (!field) continue;
    type.fields.set(field.name, field);
    if (field.role === "id") type.idField ??= field;
  }
}

interface FieldPlace extends Pick<FieldSource, "notStored"> {
  readonly owner: NodeTypeDraft;
  readonly origin: NodeTypeDraft;
}

/** Undefined for an input type: validation refuses such a field. */
function buildField(definition: FieldDefinitionNode, { owner, origin, notStored }: FieldPlace, model: ModelDraft): FieldDraft | undefined {
  const type = readFieldType(definition.type);
  const name = definition.name.value;
  const base = { name, owner, origin, definition, type, exposure: hidden };
  const stored = defaultStoredName(origin, name);
  if (notStored.has(type.name)) return shown({ ...base, role: "computed" });
  if (type.name === "ID") return shown({ ...base, role: "id" });
  const kind = kindOfBuiltIn(type.name) ?? (model.enums.has(type.name) ? "string" : undefined);
  if (kind) {
    return shown({ ...base, role: "value", kind, stored, enum: model.enums.get(type.name), ...plainValue });
  }
  const target = model.nodeTypes.get(type.name) ?? model.unions.get(type.name);
  return target && shown({ ...base, role: "link", stored, target, inverse: undefined, reverseOf: undefined });
}

function shown(field: FieldDraft): FieldDraft {
  field.exposure = defaultExposure(field);
  return field;
}

/** A field inherited from an interface is stored under the interface's name. */
export function defaultStoredName(origin: NodeTypeDraft, field: string): string {
  return `${origin.stored}.${field}`;
}

/** Runs after all types have their fields: whether a link is writable depends on its target. */
function showLinks(type: NodeTypeDraft): void {
  for (const field of type.fields.values()) if (field.role === "link") shown(field);
}
