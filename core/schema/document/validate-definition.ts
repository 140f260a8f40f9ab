// Standard validation of one definition.

import {
  type ASTNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type NameNode,
  type TypeDefinitionNode,
  type UnionTypeDefinitionNode,
} from "graphql";
import { argumentsOf, fieldsOf, kindOf, namedType, type TypeKind, typeText } from "./definitions.ts";
import { argumentsProblem, directivesProblem, type Finding, first, type Names, nameProblem, nearHint, typeProblem } from "./validate-common.ts";

type AnyField = FieldDefinitionNode | InputValueDefinitionNode;

/** The first problem, in the order that clients expect: fields, members, interfaces, shape, repeated names, name, directives. */
export function definitionProblem(definition: TypeDefinitionNode, all: readonly TypeDefinitionNode[], names: Names): Finding {
  return (
    first(fieldsOf(definition), (field) => fieldProblem(field, names)) ??
    (definition.kind === Kind.UNION_TYPE_DEFINITION ? membersProblem(definition, names) : undefined) ??
    conformanceProblem(definition, all) ??
    emptyProblem(definition) ??
    fieldKindProblem(definition, names) ??
    repeatedProblem(definition) ??
    nameProblem(definition) ??
    directivesProblem(definition.directives ?? [], kindOf(definition), names)
  );
}

function fieldProblem(field: AnyField, names: Names): Finding {
  return (
    nameProblem(field) ??
    typeProblem(field.type, names) ??
    argumentsProblem(argumentsOf(field), names) ??
    directivesProblem(field.directives ?? [], "FIELD_DEFINITION", names)
  );
}

function membersProblem(union: UnionTypeDefinitionNode, names: Names): Finding {
  return first(union.types ?? [], (member) => {
    const name = member.name.value;
    const kind = names.types.get(name);
    if (kind === undefined) return { message: `Undefined type "${name}".`, at: union, ...nearHint(name, names.types.keys()) };
    return kind === "OBJECT" ? undefined : { message: `UNION type "${name}" must be OBJECT.`, at: union };
  });
}

/** Copying interface fields ensures conformance to one interface; several interfaces may still contradict each other. */
function conformanceProblem(definition: TypeDefinitionNode, all: readonly TypeDefinitionNode[]): Finding {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return undefined;
  return first(definition.interfaces ?? [], (reference) => {
    const found = all.find((each) => each.name.value === reference.name.value);
    if (found?.kind !== Kind.INTERFACE_TYPE_DEFINITION) return undefined;
    return first(found.fields ?? [], (required) => fieldConformance(definition, found, required));
  });
}

function fieldConformance(type: TypeDefinitionNode, from: InterfaceTypeDefinitionNode, required: FieldDefinitionNode): Finding {
  const name = required.name.value;
  const start = `For ${type.name.value} to implement ${from.name.value}`;
  const own = fieldsOf(type).find((field) => field.name.value === name);
  if (!own) return { message: `${start} it must have a field called ${name}.`, at: type };
  if (typeText(own.type) !== typeText(required.type)) {
    return { message: `${start} the field ${name} must have type ${typeText(required.type)}.`, at: own };
  }
  return first(required.arguments ?? [], (argument) => {
    const given = argumentsOf(own).find((each) => each.name.value === argument.name.value);
    const same = `${start} the field ${name} must have the same arguments but`;
    if (!given) return { message: `${same} it is missing ${argument.name.value}.`, at: own };
    if (typeText(given.type) === typeText(argument.type)) return undefined;
    return { message: `${same} ${argument.name.value} has the wrong type.`, at: own };
  });
}

function emptyProblem(definition: TypeDefinitionNode): Finding {
  const kind = kindOf(definition);
  const problem = (what: string): Finding => ({ message: `${kind} must define one or more ${what}.`, at: definition });
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) return definition.values?.length ? undefined : problem("unique enum values");
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) return definition.types?.length ? undefined : problem("unique member types");
  if (definition.kind === Kind.SCALAR_TYPE_DEFINITION || definition.fields?.length) return undefined;
  return problem(kind === "INPUT_OBJECT" ? "input fields" : "fields");
}

const outputKinds: readonly TypeKind[] = ["SCALAR", "OBJECT", "INTERFACE", "UNION", "ENUM"];
const inputKinds: readonly TypeKind[] = ["SCALAR", "ENUM", "INPUT_OBJECT"];

function fieldKindProblem(definition: TypeDefinitionNode, names: Names): Finding {
  const kind = kindOf(definition);
  const allowed = kind === "INPUT_OBJECT" ? inputKinds : outputKinds;
  return first(fieldsOf(definition), (field) => {
    const found = names.types.get(namedType(field.type));
    if (found === undefined || allowed.includes(found)) return undefined;
    return { message: `${kind} field must be one of ${allowed.join(", ")}.`, at: field };
  });
}

/** Names of fields, arguments, union members, enum values and interfaces must be unique. */
function repeatedProblem(definition: TypeDefinitionNode): Finding {
  const type = definition.name.value;
  return (
    repeated(fieldsOf(definition), (name) => `Field ${type}.${name} can only be defined once.`) ??
    first(fieldsOf(definition), (field) =>
      repeated(argumentsOf(field), (name) => `Argument ${name} of field ${type}.${field.name.value} can only be defined once.`),
    ) ??
    (definition.kind === Kind.UNION_TYPE_DEFINITION
      ? repeated(definition.types ?? [], (name) => `Member ${name} of union ${type} can only be listed once.`)
      : undefined) ??
    (definition.kind === Kind.ENUM_TYPE_DEFINITION
      ? repeated(definition.values ?? [], (name) => `Value ${name} of enum ${type} can only be defined once.`)
      : undefined) ??
    (definition.kind === Kind.OBJECT_TYPE_DEFINITION
      ? repeated(definition.interfaces ?? [], (name) => `Interface ${name} of type ${type} can only be listed once.`)
      : undefined)
  );
}

function repeated<N extends ASTNode & { readonly name: NameNode }>(nodes: readonly N[], message: (name: string) => string): Finding {
  const later = nodes.find((node, index) => nodes.findIndex((each) => each.name.value === node.name.value) < index);
  return later && { message: message(later.name.value), at: later };
}
