// What a schema says to clients, as plain data that compares well: texts, places and directives that mean nothing fall away.

import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  print,
  valueFromASTUntyped,
} from "graphql";

export interface Described {
  readonly kind: string;
  readonly description: string | undefined;
  readonly interfaces: readonly string[];
  /** `name(arguments): type`, in order, each with its description and deprecation. */
  readonly members: readonly DescribedMember[];
}
interface DescribedMember {
  readonly text: string;
  readonly description: string | undefined;
  readonly deprecated: unknown;
}

export function describeDefinitions(definitions: readonly DefinitionNode[]): Readonly<Record<string, Described>> {
  return Object.fromEntries(definitions.flatMap(describeDefinition).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describeDefinition(node: DefinitionNode): [name: string, described: Described][] {
  if (!("name" in node) || !node.name) return [];
  const description = "description" in node ? node.description?.value : undefined;
  const interfaces = "interfaces" in node ? (node.interfaces ?? []).map((each) => each.name.value) : [];
  return [[node.name.value, { kind: node.kind, description, interfaces, members: membersOf(node) }]];
}

function membersOf(node: DefinitionNode): readonly DescribedMember[] {
  if ("fields" in node) return (node.fields ?? []).map(describeField);
  if ("types" in node) return (node.types ?? []).map((type) => ({ text: type.name.value, description: undefined, deprecated: undefined }));
  if (!("values" in node)) return [];
  return (node.values ?? []).map((value) => ({ text: value.name.value, description: value.description?.value, deprecated: undefined }));
}

function describeField(field: FieldDefinitionNode | InputValueDefinitionNode): DescribedMember {
  const given = "arguments" in field ? (field.arguments ?? []).map((argument) => `${argument.name.value}: ${print(argument.type)}`) : [];
  const text = `${field.name.value}${given.length > 0 ? `(${given.join(", ")})` : ""}: ${print(field.type)}`;
  return { text, description: field.description?.value, deprecated: deprecation(field.directives ?? []) };
}

function deprecation(directives: readonly ConstDirectiveNode[]): unknown {
  const directive = directives.find(({ name }) => name.value === "deprecated");
  const reason = directive?.arguments?.[0]?.value;
  return directive && (reason ? valueFromASTUntyped(reason) : "No longer supported");
}
