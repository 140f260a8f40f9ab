// How many nodes an operation will touch, as far as its plan shows: before it runs, nobody knows how many there are.

import type { OperationPlan, RootPlan } from "./plan.ts";
import type { Level, PlannedArguments, Variables } from "./selection.ts";

/** Nodes of a root field, and of a link, without `first`. */
const unpagedRoot = 1_000;
const unpagedLink = 10;

/** At least 1. */
export function estimateCost({ roots }: OperationPlan, variables: Variables): number {
  return Math.max(
    1,
    roots.reduce((sum, root) => sum + (root.included(variables) ? rootCost(root, variables) : 0), 0),
  );
}

function rootCost({ operation, selection }: RootPlan, variables: Variables): number {
  const shape = selection.select(variables);
  if (shape.kind === "measures" || shape.kind === "groups") return unpagedRoot;
  if (shape.kind !== "nodes") return 1;
  const { level } = shape;
  return levelCost(level, operation.kind === "get" ? 1 : pageOf(level.arguments, variables, unpagedRoot), variables);
}

function levelCost({ links, aggregates, groups }: Level, rows: number, variables: Variables): number {
  const below = links.map(({ many, level }) => levelCost(level, many ? rows * pageOf(level.arguments, variables, unpagedLink) : rows, variables));
  return rows + rows * (aggregates.length + groups.length) + below.reduce((sum, each) => sum + each, 0);
}

function pageOf(planned: PlannedArguments, variables: Variables, otherwise: number): number {
  const { first } = planned.values(variables);
  return typeof first === "number" && first >= 0 ? first : otherwise;
}
