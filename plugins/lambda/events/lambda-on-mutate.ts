// Reads `@lambdaOnMutate`: which mutations of which types raise an event.

import { Kind, print } from "graphql";
import type { DirectiveUse, ModelContext, NodeType } from "../../../core/plugin.ts";

export type Operation = "add" | "update" | "delete";

export const operations: readonly Operation[] = ["add", "update", "delete"];

/** The operations that raise an event, by type. A type does not inherit those of its interface. */
export type RaisingTypes = ReadonlyMap<NodeType, ReadonlySet<Operation>>;

const directive = "lambdaOnMutate";

export function readLambdaOnMutate({ uses, report }: ModelContext): RaisingTypes {
  const raising = new Map<NodeType, ReadonlySet<Operation>>();
  for (const use of uses(directive)) {
    if (use.inherited) continue;
    const { definition, node, type } = use;
    const name = definition.name.value;
    if (definition.directives?.some((each) => each.name.value === "remote")) {
      report(`Type ${name}; @${directive} directive not allowed along with @remote directive.`, node.name);
      continue;
    }
    const chosen = operations.filter((operation) => isChosen(use, operation, report));
    if (type && chosen.length > 0) raising.set(type, new Set(chosen));
  }
  return raising;
}

function isChosen({ node, definition }: DirectiveUse, operation: Operation, report: ModelContext["report"]): boolean {
  const argument = node.arguments?.find((each) => each.name.value === operation);
  if (argument === undefined) return false;
  const { value } = argument;
  if (value.kind === Kind.BOOLEAN) return value.value;
  const found = print(value);
  report(`Type ${definition.name.value}; ${operation} argument in @${directive} directive can only be true/false, found: \`${found}\`.`, argument);
  return false;
}
