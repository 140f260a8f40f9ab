// How many nodes an operation will touch, as far as its plan shows: before it runs, nobody knows how many there are.

import type { OperationPlan, RootPlan } from "./plan.ts";
import type { Level, PlannedArguments, Variables } from "./selection.ts";

/** Nodes of a root field, and of a link, without `first`, or with 0. */
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
  const rows = operation.kind === "get" ? 1 : pageOf(level.arguments, variables, unpagedRoot);
  return rows * new RowCosts(variables).of(level);
}

/** What one row of a level costs, with everything below it. Several places of a document may share a level. */
class RowCosts {
  readonly #variables: Variables;
  readonly #known = new Map<Level, number>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  of(level: Level): number {
    const known = this.#known.get(level) ?? this.#sum(level);
    this.#known.set(level, known);
    return known;
  }

  #sum({ links, aggregates, groups }: Level): number {
    const below = links.map(({ many, level }) => (many ? pageOf(level.arguments, this.#variables, unpagedLink) : 1) * this.of(level));
    return below.reduce((sum, each) => sum + each, 1 + aggregates.length + groups.length);
  }
}

function pageOf(planned: PlannedArguments, variables: Variables, otherwise: number): number {
  const { first } = planned.values(variables);
  return typeof first === "number" && first !== 0 ? Math.abs(first) : otherwise;
}
