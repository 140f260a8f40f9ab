// The kernel's own rules for definitions, after inherited fields are copied.

import { type FieldDefinitionNode, type InputValueDefinitionNode, Kind, type TypeDefinitionNode, type TypeNode } from "graphql";
import type { Field, Model } from "../../contracts/model.ts";
import { argumentsOf, fieldsOf, isComposite, namedType } from "./definitions.ts";
import { resolvedElsewhere } from "./known-plugins.ts";
import type { Problems } from "./problems.ts";
import { isReservedWord } from "./reserved-names.ts";

type AnyField = FieldDefinitionNode | InputValueDefinitionNode;

/** @see reference/schema.md 1.2, 1.4, 1.6 */
export function checkDefinitions(definitions: readonly TypeDefinitionNode[], isUnstored: IsUnstored, problems: Problems): void {
  for (const definition of definitions) {
    checkIdCount(definition, problems);
    const takesArguments = isComposite(definition) && !isUnstored(definition);
    for (const field of fieldsOf(definition)) checkField(definition, field, { problems, takesArguments });
  }
}

type IsUnstored = (definition: TypeDefinitionNode) => boolean;

interface FieldCheck {
  readonly problems: Problems;
  /** The kernel gives arguments to fields of the definition. */
  readonly takesArguments: boolean;
}

/**
 * Requires a stored field in each type. Runs after the plugins' `model` hooks, because a field that a plugin computes is not stored. A field that
 * nobody computes, of a type that is not stored, is a mistake of its own: the type has meant to store it.
 *
 * @param isComputed whether a plugin computes the field
 */
export function checkHasStoredField(model: Model, isComputed: (field: Field) => boolean, problems: Problems): void {
  const isStored = (field: Field | undefined) => field !== undefined && field.role !== "id" && !isComputed(field);
  for (const type of model.nodeTypes.values()) {
    if (type.kind === "interface" || fieldsOf(type.definition).some(({ name }) => isStored(type.fields.get(name.value)))) continue;
    problems.report(
      `Type ${type.name}; is invalid, a type must have atleast one field that is not of ID! type and doesn't have ${resolvedElsewhere} directive.`,
      type.definition,
    );
  }
}

function checkIdCount(definition: TypeDefinitionNode, problems: Problems): void {
  const ids = fieldsOf(definition).filter((field) => namedType(field.type) === "ID");
  if (ids.length < 2) return;
  const names = ids.map((field) => field.name.value);
  const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const type = definition.name.value;
  problems.report(
    `Fields ${list} are listed as IDs for type ${type}, but a type can have only one ID field. Pick a single field as the ID for type ${type}.`,
    ids,
  );
}

function checkField(definition: TypeDefinitionNode, field: AnyField, { problems, takesArguments }: FieldCheck): void {
  const report = (text: string) => problems.report(`Type ${definition.name.value}; Field ${field.name.value}: ${text}`, field);
  if (isNestedList(field.type)) report("Nested lists are invalid.");
  if (takesArguments) checkArguments(field, report);
  checkFieldName(field.name.value, report);
  for (const scalar of ["ID", "Boolean"]) {
    if (isList(field.type) && namedType(field.type) === scalar) report(`${scalar} lists are invalid.`);
  }
}

const generatedArguments = ["first", "offset", "filter", "order"];

function checkArguments(field: AnyField, report: (text: string) => void): void {
  const taken = argumentsOf(field).find((argument) => generatedArguments.includes(argument.name.value));
  if (taken) report(`can't have ${taken.name.value} as an argument because it is a reserved argument.`);
}

function checkFieldName(name: string, report: (text: string) => void): void {
  if (isReservedWord(name)) report(`${name} is a reserved keyword and you cannot declare a field with this name.`);
  if (name.endsWith("Aggregate")) report("Aggregate is a reserved keyword and you cannot declare a field with Aggregate as suffix.");
}

function isList(type: TypeNode): boolean {
  return type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isList(type.type));
}

function isNestedList(type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return isNestedList(type.type);
  return type.kind === Kind.LIST_TYPE && isList(type.type);
}
