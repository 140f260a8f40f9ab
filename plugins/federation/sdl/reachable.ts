// Leaves out definitions that nothing refers to.

import { Kind, type TypeDefinitionNode } from "graphql";
import { namedType } from "../schema/schema-context.ts";
import { isRoot } from "./served-definitions.ts";

/**
 * The definitions that root types and those of `start` refer to, directly or over others.
 *
 * @param start whether to keep a definition in any case, by its name
 */
export function reachable(definitions: readonly TypeDefinitionNode[], start: (name: string) => boolean): readonly TypeDefinitionNode[] {
  const byName = new Map(definitions.map((node) => [node.name.value, node]));
  const found = new Set<string>();
  const waiting = definitions.filter((node) => isRoot(node) || start(node.name.value)).map((node) => node.name.value);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const node = byName.get(name);
    if (!node || found.has(name)) continue;
    found.add(name);
    waiting.push(...referredTypes(node));
  }
  return definitions.filter(({ name }) => found.has(name.value));
}

function referredTypes(node: TypeDefinitionNode): readonly string[] {
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const fields = (node.fields ?? []).flatMap((field) => [field.type, ...(field.arguments ?? []).map(({ type }) => type)]);
      return [...fields.map(namedType), ...(node.interfaces ?? []).map(namedType)];
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return (node.fields ?? []).map(({ type }) => namedType(type));
    case Kind.UNION_TYPE_DEFINITION:
      return (node.types ?? []).map(namedType);
    default:
      return [];
  }
}
