// Fields that a schema declares on `Query` and `Mutation`: the plugin that adds a `RootField` of the same name resolves each of them.

import type { TypeDefinitionNode } from "graphql";
import { type PluginAdditions, rootName } from "../api/additions.ts";
import { fieldsOf, isRoot, namedType } from "../document/definitions.ts";
import { reportUnclaimed } from "../document/plain-root-fields.ts";
import type { Problems } from "../document/problems.ts";

/** Reports fields that no plugin resolves, and resolved types that differ from the declared type. */
export function checkRootFieldsAreClaimed(
  definitions: readonly TypeDefinitionNode[],
  additions: readonly PluginAdditions[],
  problems: Problems,
): void {
  for (const definition of definitions.filter(isRoot)) {
    const claims = claimsOf(definition, additions);
    const unclaimed = fieldsOf(definition).find((field) => !claims.has(field.name.value));
    if (unclaimed) reportUnclaimed(definition, unclaimed.name.value, problems);
    for (const field of fieldsOf(definition)) {
      const claim = claims.get(field.name.value);
      if (claim?.type === undefined || claim.type === namedType(field.type)) continue;
      problems.report(
        `Plugin "${claim.plugin}" answers ${definition.name.value}.${field.name.value} with nodes of type ${claim.type}, ` +
          `but the schema declares it as ${namedType(field.type)}.`,
        field,
        `Declare the field as ${claim.type} or a list of it.`,
      );
    }
  }
}

interface Claim {
  readonly plugin: string;
  /** The type of the nodes that it returns; undefined if it returns JSON. */
  readonly type: string | undefined;
}

function claimsOf({ name }: TypeDefinitionNode, additions: readonly PluginAdditions[]): ReadonlyMap<string, Claim> {
  const operation = name.value === "Query" ? "query" : "mutation";
  return new Map(
    additions.flatMap(({ plugin, roots = [] }) =>
      roots
        .filter((root) => root.operation === operation)
        .map((root): [string, Claim] => [rootName(root, plugin), { plugin, type: root.type?.name }]),
    ),
  );
}
