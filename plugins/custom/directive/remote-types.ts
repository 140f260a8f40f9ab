// `@remote` and `@remoteResponse`: types whose values come from remote services.

import { type FieldDefinitionNode, type InputValueDefinitionNode, Kind, type TypeDefinitionNode } from "graphql";
import type { ModelContext } from "../../../core/plugin.ts";
import { resolvingDirectives } from "./definitions.ts";
import { hasDirective, namedType } from "./place-rules.ts";
import { fieldsOf } from "./request-rules.ts";

/** The definitions with `@remote`, by name. */
export function remoteTypes({ uses }: ModelContext): ReadonlyMap<string, TypeDefinitionNode> {
  return new Map(uses("remote").map(({ definition }) => [definition.name.value, definition]));
}

export function checkRemoteTypes(remote: ReadonlyMap<string, TypeDefinitionNode>, context: ModelContext): void {
  for (const definition of remote.values()) checkRemoteType(definition, remote, context);
  for (const { definition } of context.model.nodeTypes.values()) checkLocalType(definition, remote, context);
  for (const definition of context.document.definitions) {
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && !remote.has(definition.name.value)) checkLocalFields(definition, remote, context);
  }
  for (const { name, definition } of context.model.unions.values()) {
    const foreign = definition.types?.find((type) => remote.has(type.name.value));
    if (foreign)
      context.report(
        `Union ${name}; without @remote directive can't have the member ${foreign.name.value}; with have @remote directive.`,
        definition,
      );
  }
}

function checkRemoteType(definition: TypeDefinitionNode, remote: ReadonlyMap<string, TypeDefinitionNode>, { report }: ModelContext): void {
  const type = definition.name.value;
  if (definition.directives?.some(({ name }) => name.value === "auth"))
    report(`Type ${type}; cannot have both @auth and @remote directive`, definition);
  for (const field of fieldsOf(definition)) {
    if (!isResolved(field)) continue;
    report(
      `Type ${type}; field ${field.name.value}; can't have @custom/@lambda directive as a @remote type can't have fields with @custom/@lambda directive.`,
      field,
    );
  }
  for (const name of interfacesOf(definition)) {
    if (!remote.has(name))
      report(`Type ${type}; with @remote directive implements interface ${name}; which doesn't have @remote directive.`, definition);
  }
}

function checkLocalType(definition: TypeDefinitionNode, remote: ReadonlyMap<string, TypeDefinitionNode>, context: ModelContext): void {
  checkLocalFields(definition, remote, context);
  for (const name of interfacesOf(definition)) {
    if (!remote.has(name)) continue;
    const type = definition.name.value;
    context.report(`Type ${type}; without @remote directive can't implement an interface ${name}; with have @remote directive.`, definition);
  }
}

/** Reports the first field of a type or input whose type is remote. */
function checkLocalFields(definition: TypeDefinitionNode, remote: ReadonlyMap<string, TypeDefinitionNode>, { report }: ModelContext): void {
  const fields: readonly LocalField[] = "fields" in definition ? (definition.fields ?? []) : [];
  const foreign = fields.find((field) => remote.has(namedType(field.type)) && !isResolved(field));
  if (!foreign) return;
  const place = `Type ${definition.name.value}; field ${foreign.name.value};`;
  report(`${place} is of a type that has @remote directive. Those would need to be resolved by a @custom/@lambda directive.`, foreign);
}

type LocalField = FieldDefinitionNode | InputValueDefinitionNode;

function isResolved(field: LocalField): boolean {
  return resolvingDirectives.some((name) => hasDirective(field, name));
}

function interfacesOf(definition: TypeDefinitionNode): readonly string[] {
  return definition.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.interfaces ?? []).map(({ name }) => name.value) : [];
}

/** The keys of renamed fields, by `Type.field`. Reports wrong uses. */
export function remoteKeys(remote: ReadonlyMap<string, TypeDefinitionNode>, { uses, report }: ModelContext): Readonly<Record<string, string>> {
  for (const { definition, field, node } of uses("remoteResponse")) {
    if (field)
      report(`Type ${definition.name.value}: Field ${field.name}: @remoteResponse directive can only be defined on fields of @remote type.`, node);
  }
  const keys: Record<string, string> = {};
  for (const { definition, field, node } of uses("remoteResponse", "unstored")) {
    const place = `Type ${definition.name.value}: Field ${field.name.value}` as const;
    const value = node.arguments?.find(({ name }) => name.value === "name")?.value;
    if (!remote.has(definition.name.value)) report(`${place}: @remoteResponse directive can only be defined on fields of @remote type.`, node);
    else if (value?.kind !== Kind.STRING || value.value === "")
      report(`${place}: Argument name inside @remoteResponse directive must be defined.`, node);
    else keys[`${definition.name.value}.${field.name.value}`] = value.value;
  }
  return keys;
}
