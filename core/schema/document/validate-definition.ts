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
import {
  argumentsFindings,
  directivesFindings,
  type Finding,
  type Findings,
  type Names,
  nameFindings,
  nearHint,
  typeFindings,
  typesOf,
} from "./validate-common.ts";

type AnyField = FieldDefinitionNode | InputValueDefinitionNode;

/** In the order that clients expect: fields, members, interfaces, shape, repeated names, name, directives. */
export function* definitionFindings(definition: TypeDefinitionNode, all: ReadonlyMap<string, TypeDefinitionNode>, names: Names): Findings {
  for (const field of fieldsOf(definition)) yield* fieldFindings(field, names);
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) yield* membersFindings(definition, names);
  yield* conformanceFindings(definition, all);
  yield* emptyFindings(definition);
  yield* fieldKindFindings(definition, names);
  yield* repeatedFindings(definition);
  yield* nameFindings(definition);
  yield* directivesFindings(definition.directives ?? [], kindOf(definition), names);
}

function* fieldFindings(field: AnyField, names: Names): Findings {
  yield* nameFindings(field);
  yield* typeFindings(field.type, names);
  yield* argumentsFindings(argumentsOf(field), names);
  yield* directivesFindings(field.directives ?? [], "FIELD_DEFINITION", names);
}

function* membersFindings(union: UnionTypeDefinitionNode, names: Names): Findings {
  for (const member of union.types ?? []) {
    const name = member.name.value;
    const kind = names.types.get(name);
    if (kind === undefined) yield { message: `Undefined type "${name}".`, at: union, part: member, ...nearHint(name, typesOf(names)) };
    else if (kind !== "OBJECT") yield { message: `UNION type "${name}" must be OBJECT.`, at: union, part: member };
  }
}

/** Copying interface fields ensures conformance to one interface; several interfaces may still contradict each other. */
function* conformanceFindings(definition: TypeDefinitionNode, all: ReadonlyMap<string, TypeDefinitionNode>): Findings {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return;
  for (const reference of definition.interfaces ?? []) {
    const found = all.get(reference.name.value);
    if (found?.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const own = new Map(fieldsOf(definition).map((field) => [field.name.value, field]));
    for (const required of found.fields ?? []) yield* fieldConformance({ type: definition, own: own.get(required.name.value) }, found, required);
  }
}

interface OwnField {
  readonly type: TypeDefinitionNode;
  readonly own: AnyField | undefined;
}

function* fieldConformance({ type, own }: OwnField, from: InterfaceTypeDefinitionNode, required: FieldDefinitionNode): Findings {
  const name = required.name.value;
  const start = `For ${type.name.value} to implement ${from.name.value}`;
  if (!own) return yield { message: `${start} it must have a field called ${name}.`, at: type };
  if (typeText(own.type) !== typeText(required.type)) {
    return yield { message: `${start} the field ${name} must have type ${typeText(required.type)}.`, at: own };
  }
  for (const argument of required.arguments ?? []) {
    const given = argumentsOf(own).find((each) => each.name.value === argument.name.value);
    const same = `${start} the field ${name} must have the same arguments but`;
    if (!given) yield { message: `${same} it is missing ${argument.name.value}.`, at: own };
    else if (typeText(given.type) !== typeText(argument.type)) yield { message: `${same} ${argument.name.value} has the wrong type.`, at: own };
  }
}

function* emptyFindings(definition: TypeDefinitionNode): Findings {
  const what = missingPart(definition);
  if (what !== undefined) yield { message: `${kindOf(definition)} must define one or more ${what}.`, at: definition };
}

/** What the definition has none of; undefined: it has some. */
function missingPart(definition: TypeDefinitionNode): string | undefined {
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) return definition.values?.length ? undefined : "unique enum values";
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) return definition.types?.length ? undefined : "unique member types";
  if (definition.kind === Kind.SCALAR_TYPE_DEFINITION || definition.fields?.length) return undefined;
  return definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? "input fields" : "fields";
}

const outputKinds: readonly TypeKind[] = ["SCALAR", "OBJECT", "INTERFACE", "UNION", "ENUM"];
const inputKinds: readonly TypeKind[] = ["SCALAR", "ENUM", "INPUT_OBJECT"];

function* fieldKindFindings(definition: TypeDefinitionNode, names: Names): Findings {
  const kind = kindOf(definition);
  const allowed = kind === "INPUT_OBJECT" ? inputKinds : outputKinds;
  for (const field of fieldsOf(definition)) {
    const found = names.types.get(namedType(field.type));
    if (found === undefined || allowed.includes(found)) continue;
    yield { message: `${kind} field must be one of ${allowed.join(", ")}.`, at: field };
  }
}

/** Names of fields, arguments, union members, enum values and interfaces must be unique. */
function* repeatedFindings(definition: TypeDefinitionNode): Findings {
  const type = definition.name.value;
  yield* repeated(fieldsOf(definition), (name) => `Field ${type}.${name} can only be defined once.`);
  for (const field of fieldsOf(definition)) {
    yield* repeated(argumentsOf(field), (name) => `Argument ${name} of field ${type}.${field.name.value} can only be defined once.`);
  }
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) {
    yield* repeated(definition.types ?? [], (name) => `Member ${name} of union ${type} can only be listed once.`);
  }
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
    yield* repeated(definition.values ?? [], (name) => `Value ${name} of enum ${type} can only be defined once.`);
  }
  if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
    yield* repeated(definition.interfaces ?? [], (name) => `Interface ${name} of type ${type} can only be listed once.`);
  }
}

/** Every later use of a name. */
function* repeated<N extends ASTNode & { readonly name: NameNode }>(nodes: readonly N[], message: (name: string) => string): Findings {
  const seen = new Set<string>();
  for (const node of nodes) {
    const finding: Finding = { message: message(node.name.value), at: node };
    if (seen.has(node.name.value)) yield finding;
    seen.add(node.name.value);
  }
}
