// Compares the text that a subgraph gives to compositions with the recorded one, by meaning: definitions, members, directives, in any order.

import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  isTypeDefinitionNode,
  Kind,
  parse,
  print,
  type TypeDefinitionNode,
  visit,
} from "graphql";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { kernelDefinitions } from "../../core/schema/document/installed.ts";

/** What differs, each as a line. `implements` and members of unions, which the recorded text loses, are not compared. */
export function compareSdl(found: string, recorded: string): readonly string[] {
  const { own, extended } = sectionsOf(recorded);
  const actual = withoutNear(parse(found));
  const always = new Set([...typeNames(extended.definitions), ...typeNames(kernelDefinitions), ...pluginTypes()]);
  const [wanted, given] = [membersOf(own.definitions), membersOf(actual.definitions.filter((node) => !always.has(nameOf(node))))];
  const directives = directiveNames(actual).filter((name) => !directiveNames(extended).includes(name));
  return [
    ...[...wanted].filter((line) => !given.has(line)).map((line) => `not found: ${line}`),
    ...[...given].filter((line) => !wanted.has(line)).map((line) => `not expected: ${line}`),
    ...directives.map((name) => `not expected: directive @${name}`),
  ];
}

/** Beyond the recorded server, a query of a type with vectors has the argument `near`. Everything else is compared. */
function withoutNear(document: DocumentNode): DocumentNode {
  const inputs = new Set<string>();
  const plain = visit(document, {
    FieldDefinition: (node) => {
      const near = node.arguments?.find(({ name }) => name.value === "near");
      if (near?.type.kind !== Kind.NAMED_TYPE) return undefined;
      inputs.add(near.type.name.value);
      return { ...node, arguments: (node.arguments ?? []).filter((each) => each !== near) };
    },
  });
  return visit(plain, { InputObjectTypeDefinition: ({ name }) => (inputs.has(name.value) ? null : undefined) });
}

function sectionsOf(text: string): { readonly own: DocumentNode; readonly extended: DocumentNode } {
  // A union without members cannot be parsed.
  const [, ...parts] = text.replace(/^(union \w+) = $/gm, "$1").split(/^#{23}\n# (.*)\n#{23}\n/gm);
  const sections = parts.flatMap((part, i) => (i % 2 === 0 ? [{ title: part, body: parts[i + 1] ?? "" }] : []));
  const isExtended = ({ title }: { readonly title: string }) => title === "Extended Definitions";
  const joined = (of: typeof sections) => parse(of.map(({ body }) => body).join("\n"));
  return { own: joined(sections.filter((each) => !isExtended(each))), extended: joined(sections.filter(isExtended)) };
}

function pluginTypes(): readonly string[] {
  return standardPlugins().flatMap(({ definitions }) => (definitions.trim() === "" ? [] : typeNames(parse(definitions).definitions)));
}

function typeNames(definitions: readonly DefinitionNode[]): readonly string[] {
  return definitions.filter(isTypeDefinitionNode).map(nameOf);
}

function directiveNames({ definitions }: DocumentNode): readonly string[] {
  return definitions.filter(({ kind }) => kind === Kind.DIRECTIVE_DEFINITION).map(nameOf);
}

function nameOf(node: DefinitionNode): string {
  return "name" in node ? (node.name?.value ?? "") : "";
}

/** One line for each definition and each of its members. */
function membersOf(definitions: readonly DefinitionNode[]): ReadonlySet<string> {
  return new Set(
    definitions.filter(isTypeDefinitionNode).flatMap((node) => [headOf(node), ...linesOf(node).map((line) => `${node.name.value}.${line}`)]),
  );
}

function headOf(node: TypeDefinitionNode): string {
  return `${node.kind} ${node.name.value}${directivesOf(node)}`;
}

function linesOf(node: TypeDefinitionNode): readonly string[] {
  if (node.kind === Kind.ENUM_TYPE_DEFINITION) return (node.values ?? []).map(({ name }) => name.value);
  return "fields" in node ? (node.fields ?? []).map(lineOf) : [];
}

function lineOf(field: FieldDefinitionNode | InputValueDefinitionNode): string {
  const given = "arguments" in field ? (field.arguments ?? []).map(({ name, type }) => `${name.value}: ${print(type)}`) : [];
  return `${field.name.value}(${given.join(", ")}): ${print(field.type)}${directivesOf(field)}`;
}

function directivesOf({ directives = [] }: { readonly directives?: readonly ConstDirectiveNode[] | undefined }): string {
  return directives
    .map((directive) => ` ${print(directive)}`)
    .sort()
    .join("");
}
