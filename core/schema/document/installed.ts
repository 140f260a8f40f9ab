// The directives that a schema may use, as defined by the kernel and the installed plugins, and the types of their arguments.

import {
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  isTypeDefinitionNode,
  Kind,
  parse,
  print,
  type TypeDefinitionNode,
} from "graphql";
import { LRUCache } from "lru-cache";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { QuernError } from "../../ground/errors.ts";
import { namedFault } from "../../ground/plugin-fault.ts";
import { builtInDefinitions } from "./built-ins.ts";
import { kindOf, type TypeKind } from "./definitions.ts";

/** Definitions of the GraphQL specification. */
const languageDefinitions = `
  scalar ID
  scalar Boolean
  scalar Int
  scalar Float
  scalar String
  directive @deprecated(reason: String = "No longer supported") on FIELD_DEFINITION | ENUM_VALUE
  directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
`;

/** Definitions of the specification and of the kernel. */
export const kernelDefinitions = parse(languageDefinitions + builtInDefinitions, { noLocation: true }).definitions;

/** The definitions of the kernel and of all installed plugins. */
export interface Installed {
  readonly plugins: readonly DirectivePlugin[];
  readonly directives: ReadonlyMap<string, InstalledDirective>;
  /** Kinds of all types that a schema must not redefine, by name. */
  readonly types: ReadonlyMap<string, TypeKind>;
  /** The values of those that are enums, by name. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** Whether a directive marks the definition as one whose values are not stored. */
export function isUnstored(definition: TypeDefinitionNode, plugins: readonly DirectivePlugin[]): boolean {
  if (!definition.directives?.length) return false;
  return definition.directives.some(({ name }) => plugins.some(({ unstored }) => unstored?.includes(name.value)));
}

export interface InstalledDirective {
  readonly definition: DirectiveDefinitionNode;
  /** The first plugin that defines it. Undefined for directives of the kernel. */
  readonly plugin: DirectivePlugin | undefined;
}

/**
 * What `plugins` define for `schema`; without a schema everything that they may define.
 *
 * @throws QuernError `PLUGIN_CLASH` when two plugins define one directive in different ways
 */
export function readInstalled(plugins: readonly DirectivePlugin[], schema?: DocumentNode): Installed {
  const directives = new Map<string, InstalledDirective>();
  const types = new Map<string, TypeKind>();
  const enums = new Map<string, readonly string[]>();
  for (const plugin of [undefined, ...plugins]) {
    for (const node of plugin === undefined ? kernelDefinitions : definitionsOf(plugin, schema)) {
      if (isTypeDefinitionNode(node)) types.set(node.name.value, kindOf(node));
      if (node.kind === Kind.ENUM_TYPE_DEFINITION)
        enums.set(
          node.name.value,
          (node.values ?? []).map(({ name }) => name.value),
        );
      if (node.kind !== Kind.DIRECTIVE_DEFINITION) continue;
      const holder = directives.get(node.name.value);
      if (holder) assertSame(node, plugin, holder);
      else directives.set(node.name.value, { definition: node, plugin });
    }
  }
  return { plugins, directives, types, enums };
}

/** The SDL of a plugin's definitions for `schema`. */
export function definitionsText(plugin: DirectivePlugin, schema: DocumentNode | undefined): string {
  try {
    return schema && plugin.definitionsFor ? plugin.definitionsFor(schema) : plugin.definitions;
  } catch (thrown) {
    throw thrown instanceof QuernError ? thrown : namedFault({ plugin: plugin.name, hook: "definitionsFor" }, thrown);
  }
}

/** The types that plugins give to `schema`. */
export function givenTypes(plugins: readonly DirectivePlugin[], schema: DocumentNode): readonly TypeDefinitionNode[] {
  return plugins.flatMap((plugin) => (plugin.typesFor ? parseDefinitions(typesText(plugin, schema)).filter(isTypeDefinitionNode) : []));
}

function typesText(plugin: DirectivePlugin, schema: DocumentNode): string {
  try {
    return plugin.typesFor?.(schema) ?? "";
  } catch (thrown) {
    throw thrown instanceof QuernError ? thrown : namedFault({ plugin: plugin.name, hook: "typesFor" }, thrown);
  }
}

/** A plugin's definitions for `schema`; without a schema all that it may have. */
export function definitionsOf(plugin: DirectivePlugin, schema: DocumentNode | undefined): readonly DefinitionNode[] {
  return parseDefinitions(definitionsText(plugin, schema));
}

/** By text: the check of a configuration and each deploy parse those of every plugin. */
const parsed = new LRUCache<string, readonly DefinitionNode[]>({ max: 128 });

/** @throws GraphQLError when it is not valid SDL */
export function parseDefinitions(text: string): readonly DefinitionNode[] {
  if (text.trim() === "") return [];
  const definitions = parsed.get(text) ?? parse(text, { noLocation: true }).definitions;
  parsed.set(text, definitions);
  return definitions;
}

function assertSame(node: DirectiveDefinitionNode, plugin: DirectivePlugin | undefined, holder: InstalledDirective): void {
  if (holder.plugin && print(node) === print(holder.definition)) return;
  const who = holder.plugin ? `plugin "${holder.plugin.name}"` : "the kernel";
  throw new QuernError(
    "PLUGIN_CLASH",
    `Plugin "${plugin?.name}" defines the directive @${node.name.value}, which ${who} has already; remove one of them from plugins.`,
  );
}
