// Directives of plugins that bound how many nodes an update or a delete is about.

import { type DirectiveNode, type FieldNode, type GraphQLDirective, getArgumentValues } from "graphql";
import type { Api } from "../../schema/api/api.ts";
import { packageVariables } from "../../schema/api/package-version.ts";
import type { Variables } from "../level/selection.ts";
import type { CountBounds, RootPlan } from "./plan.ts";

/** @param nodes the places that select one root field */
export function planCounts({ schema, counting }: Pick<Api, "schema" | "counting">, nodes: readonly FieldNode[]): RootPlan["counts"] {
  if (counting.size === 0) return undefined;
  const uses = nodes.flatMap(({ directives = [] }) => directives.filter(({ name }) => counting.has(name.value)));
  const read = uses.flatMap((use) => {
    const definition = schema.getDirective(use.name.value);
    return definition ? [(variables: Variables) => boundsOf(definition, use, variables)] : [];
  });
  return read.length === 0 ? undefined : (variables) => read.map((bounds) => bounds(variables));
}

function boundsOf(definition: GraphQLDirective, use: DirectiveNode, variables: Variables): CountBounds {
  const { atLeast, atMost } = getArgumentValues(definition, use, packageVariables(variables));
  return { atLeast: numberOf(atLeast), atMost: numberOf(atMost) };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
