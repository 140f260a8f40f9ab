// Checks that definitions of plugins do not conflict: each directive and type is defined in one way, and no directive reuses a name of the kernel.

import { type DefinitionNode, isTypeDefinitionNode, Kind, print } from "graphql";
import type { DirectivePlugin } from "../contracts/plugin/directive-plugin.ts";
import { QuernError } from "../ground/errors.ts";
import { didYouMean } from "../ground/near-name.ts";
import { kernelDefinitions, parseDefinitions } from "../schema/document/installed.ts";

const kernel = "the kernel";

interface Owner {
  readonly name: string;
  readonly node: DefinitionNode;
}

/** Problems, in config order. */
export function checkDefinitions(plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const owners = new Map<string, Owner>();
  for (const node of kernelDefinitions) {
    const name = nameOf(node);
    if (name !== undefined) owners.set(name, { name: kernel, node });
  }
  return plugins.flatMap((plugin) => {
    const nodes = definitionsOf(plugin);
    return nodes instanceof QuernError
      ? [nodes]
      : [...nodes.flatMap((node) => clash(node, plugin, owners) ?? []), ...unknownDirectives(plugin, nodes)];
  });
}

/** Names of directives in the members of a plugin that it does not define. */
function unknownDirectives(plugin: DirectivePlugin, nodes: readonly DefinitionNode[]): readonly QuernError[] {
  const defined = nodes.flatMap((node) => (node.kind === Kind.DIRECTIVE_DEFINITION ? [node.name.value] : []));
  return (["unstored", "inherited", "kept"] as const).flatMap((member) =>
    (plugin[member] ?? []).filter((name) => !defined.includes(name)).map((name) => unknownDirective(plugin, member, name, didYouMean(name, defined))),
  );
}

function unknownDirective({ name: plugin }: DirectivePlugin, member: string, name: string, meant: string): QuernError {
  return new QuernError(
    "CONFIG_INVALID",
    `Plugin "${plugin}" names the directive "${name}" in ${member}, which its definitions do not have${meant || "."}`,
  );
}

function definitionsOf({ name, definitions }: DirectivePlugin): readonly DefinitionNode[] | QuernError {
  try {
    return parseDefinitions(definitions);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The definitions of plugin "${name}" are not valid SDL (${reason.replace(/\.$/, "")}); fix the plugin or remove it from plugins.`;
    return new QuernError("CONFIG_INVALID", message, { cause: error });
  }
}

/** Plugins that share a directive or a type both define it, with equal definitions. */
function clash(node: DefinitionNode, plugin: DirectivePlugin, owners: Map<string, Owner>): QuernError | undefined {
  const name = nameOf(node);
  if (name === undefined) return undefined;
  const owner = owners.get(name);
  if (owner === undefined) {
    owners.set(name, { name: `plugin "${plugin.name}"`, node });
    return undefined;
  }
  if ((isTypeDefinitionNode(node) || owner.name !== kernel) && print(owner.node) === print(node)) return undefined;
  const what = node.kind === Kind.DIRECTIVE_DEFINITION ? `the directive ${name}` : `the type ${name}`;
  return new QuernError("PLUGIN_CLASH", `Plugin "${plugin.name}" defines ${what}, which ${owner.name} has already; remove one of them from plugins.`);
}

/** Directives and types have separate namespaces. */
function nameOf(node: DefinitionNode): string | undefined {
  if (node.kind === Kind.DIRECTIVE_DEFINITION) return `@${node.name.value}`;
  return isTypeDefinitionNode(node) ? node.name.value : undefined;
}
