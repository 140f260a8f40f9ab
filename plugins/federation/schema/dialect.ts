// Which version of federation a schema uses, and under which names it knows the directives.

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
} from "graphql";

/** The directives of federation, under their own names. */
export const directiveNames = ["key", "extends", "external", "requires", "provides", "shareable", "inaccessible", "override", "tag"] as const;
export type FederationDirective = (typeof directiveNames)[number];

/** How a schema speaks federation. */
export interface Dialect {
  /** 2: the schema links federation 2 with `@link`. 1: it only uses `@key` or `@extends`. */
  readonly version: 1 | 2;
  /** The `@link` of federation. */
  readonly link: ConstDirectiveNode | undefined;
  /** Names under which the schema uses a directive; `extend type` always counts as `@extends`. */
  namesOf(directive: FederationDirective): readonly string[];
  /** Names that the link imports and that this plugin does not know. */
  readonly unknown: readonly string[];
}

/** Undefined when the schema does not use federation. */
export function dialectOf({ definitions }: DocumentNode): Dialect | undefined {
  const link = definitions.flatMap(schemaDirectives).find(isFederationLink);
  if (link) return linked(link);
  return definitions.some(isMarked) ? plain : undefined;
}

/** The directives of `schema {...}` and `extend schema`. */
export function schemaDirectives(node: DefinitionNode): readonly ConstDirectiveNode[] {
  return node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION ? (node.directives ?? []) : [];
}

const federationUrl = /^https:\/\/specs\.apollo\.dev\/federation\/v2\.\d+$/;

function isFederationLink({ name, arguments: given = [] }: ConstDirectiveNode): boolean {
  return name.value === "link" && federationUrl.test(textOf(given.find((each) => each.name.value === "url")?.value));
}

const version1: readonly string[] = ["key", "extends", "external", "requires", "provides"];
const plain: Dialect = { version: 1, link: undefined, unknown: [], namesOf: (directive) => (version1.includes(directive) ? [directive] : []) };

function isMarked(node: DefinitionNode): boolean {
  if (isTypeExtensionNode(node) && !["Query", "Mutation"].includes(node.name.value)) return true;
  if (!isTypeDefinitionNode(node) && !isTypeExtensionNode(node)) return false;
  return node.directives?.some(({ name }) => name.value === "key" || name.value === "extends") ?? false;
}

function linked(link: ConstDirectiveNode): Dialect {
  const argument = (name: string) => link.arguments?.find((each) => each.name.value === name)?.value;
  const prefix = textOf(argument("as")) || "federation";
  const list = argument("import");
  const imports = list?.kind === Kind.LIST ? list.values.map(readImport) : [];
  const known: readonly string[] = directiveNames;
  const namesOf = (directive: FederationDirective): readonly string[] => {
    const imported = imports.filter(({ name }) => name === directive).map(({ as }) => as);
    const names = imported.length > 0 ? imported : [`${prefix}__${directive}`];
    return directive === "extends" ? [...new Set([...names, "extends"])] : names;
  };
  return { version: 2, link, namesOf, unknown: imports.flatMap(({ name }) => (name === undefined || known.includes(name) ? [] : [name])) };
}

/** `@key` or `{ name: "@key", as: "@primary" }`. Types such as `FieldSet` have no `name` here. */
function readImport(value: ConstValueNode): { readonly name: string | undefined; readonly as: string } {
  const fields = value.kind === Kind.OBJECT ? value.fields : [];
  const member = (name: string) => textOf(fields.find((each) => each.name.value === name)?.value);
  const name = textOf(value) || member("name");
  return { name: name.startsWith("@") ? name.slice(1) : undefined, as: (member("as") || name).replace(/^@/, "") };
}

function textOf(value: ConstValueNode | undefined): string {
  return value?.kind === Kind.STRING ? value.value : "";
}
