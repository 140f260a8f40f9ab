// Whether what plugins define can stand side by side: each directive once, each type with one meaning, none of the kernel's names.

import { type DefinitionNode, isTypeDefinitionNode, Kind, parse, print } from "graphql";
import type { DirectivePlugin } from "../contracts/plugin.ts";
import { QuernError } from "../ground/errors.ts";
import { kernelDefinitions } from "../schema/document/installed.ts";

interface Holder {
  readonly who: string;
  readonly text: string;
}

/** Problems, in config order. */
export function checkDefinitions(plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const holders = new Map<string, Holder>();
  for (const node of kernelDefinitions) {
    const name = nameOf(node);
    if (name !== undefined) holders.set(name, { who: "the kernel", text: print(node) });
  }
  return plugins.flatMap((plugin) => {
    const nodes = definitionsOf(plugin);
    return nodes instanceof QuernError ? [nodes] : nodes.flatMap((node) => clash(node, plugin, holders) ?? []);
  });
}

function definitionsOf({ name, definitions }: DirectivePlugin): readonly DefinitionNode[] | QuernError {
  try {
    return definitions.trim() === "" ? [] : parse(definitions, { noLocation: true }).definitions;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The definitions of plugin "${name}" are no SDL (${reason.replace(/\.$/, "")}); mend the plugin or take it out of plugins.`;
    return new QuernError("CONFIG_INVALID", message, { cause: error });
  }
}

/** A type may be defined again as it is: plugins that share an enum each bring it. */
function clash(node: DefinitionNode, plugin: DirectivePlugin, holders: Map<string, Holder>): QuernError | undefined {
  const name = nameOf(node);
  if (name === undefined) return undefined;
  const who = `plugin "${plugin.name}"`;
  const holder = holders.get(name);
  const text = print(node);
  if (holder === undefined) {
    holders.set(name, { who, text });
    return undefined;
  }
  if (isTypeDefinitionNode(node) && holder.text === text) return undefined;
  const what = node.kind === Kind.DIRECTIVE_DEFINITION ? `the directive ${name}` : `the type ${name}`;
  return new QuernError("PLUGIN_CLASH", `Plugin "${plugin.name}" defines ${what}, which ${holder.who} has already; take one of them out of plugins.`);
}

/** Directives and types have names of their own. */
function nameOf(node: DefinitionNode): string | undefined {
  if (node.kind === Kind.DIRECTIVE_DEFINITION) return `@${node.name.value}`;
  return isTypeDefinitionNode(node) ? node.name.value : undefined;
}
