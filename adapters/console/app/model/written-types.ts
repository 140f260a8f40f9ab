// The types that a schema text declares, as it is written: also while it is not deployed.

import {
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type TypeNode,
} from "graphql";

export interface WrittenType {
  readonly name: string;
  readonly isInterface: boolean;
  /** The interfaces that it implements. */
  readonly interfaces: readonly string[];
  readonly fields: readonly WrittenField[];
  /** Whether it has rules of access. */
  readonly hasAuth: boolean;
}

export interface WrittenField {
  readonly name: string;
  /** `[String!]` */
  readonly typeText: string;
  /** `String` */
  readonly named: string;
  /** `@id @search(by: [term])` */
  readonly directives: string;
}

export type Definition = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

/** Undefined: the text cannot be parsed. */
export function writtenTypes(text: string): readonly WrittenType[] | undefined {
  const definitions = definitionsIn(text);
  return definitions?.map((definition) => ({
    name: definition.name.value,
    isInterface: definition.kind === Kind.INTERFACE_TYPE_DEFINITION,
    interfaces: (definition.interfaces ?? []).map(({ name }) => name.value),
    fields: (definition.fields ?? []).map(writtenField),
    hasAuth: definition.directives?.some(({ name }) => name.value === "auth") ?? false,
  }));
}

export function definitionsIn(text: string): readonly Definition[] | undefined {
  try {
    return parse(text).definitions.flatMap((each) =>
      each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.INTERFACE_TYPE_DEFINITION ? [each] : [],
    );
  } catch {
    return isBlank(text) ? [] : undefined;
  }
}

/** The names of enums, which a field can have as its type. */
export function writtenEnums(text: string): readonly string[] {
  try {
    return parse(text).definitions.flatMap((each) => (each.kind === Kind.ENUM_TYPE_DEFINITION ? [each.name.value] : []));
  } catch {
    return [];
  }
}

/** The members of each union. */
export function writtenUnions(text: string): ReadonlyMap<string, readonly string[]> {
  try {
    const unions = parse(text).definitions.filter((each) => each.kind === Kind.UNION_TYPE_DEFINITION);
    return new Map(unions.map(({ name, types = [] }) => [name.value, types.map((member) => member.name.value)]));
  } catch {
    return new Map();
  }
}

function writtenField({ name, type, directives }: FieldDefinitionNode): WrittenField {
  return { name: name.value, typeText: print(type), named: namedType(type), directives: (directives ?? []).map((each) => print(each)).join(" ") };
}

export function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}

/** Comments alone declare nothing. */
function isBlank(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(#.*)?$/.test(line));
}
