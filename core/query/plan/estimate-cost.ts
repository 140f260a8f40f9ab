// How many nodes an operation will touch, as far as its plan shows: before it runs, nobody knows how many there are.

import type { NodeSelection, PlanCosts, PlannedArguments, Variables } from "../../contracts/plugin/level-step.ts";
import { Level } from "../level/level.ts";
import type { OperationPlan, RootPlan } from "./plan.ts";

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
  const costs = new RowCosts(variables);
  if (shape.kind === "step") return shape.step.cost(costs.ofRoot);
  if (shape.kind !== "nodes") return 1;
  const { level } = shape;
  const rows = operation.kind === "get" ? 1 : pageOf(level.arguments, variables, unpagedRoot);
  return rows * costs.objects(level);
}

/** What one row of a level costs, with everything below it. Several places of a document may share a level. */
class RowCosts implements PlanCosts {
  readonly #variables: Variables;
  readonly #known = new Map<NodeSelection, number>();
  readonly isRoot = false;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  get ofRoot(): PlanCosts {
    return { isRoot: true, objects: (selection) => this.objects(selection), page: (given) => pageOf(given, this.#variables, unpagedRoot) };
  }

  objects(selection: NodeSelection): number {
    const known = this.#known.get(selection) ?? this.#sum(selection);
    this.#known.set(selection, known);
    return known;
  }

  page(given: PlannedArguments): number {
    return pageOf(given, this.#variables, unpagedLink);
  }

  #sum(selection: NodeSelection): number {
    return selection instanceof Level ? selection.steps.reduce((sum, { step }) => sum + step.cost(this), 1) : 1;
  }
}

function pageOf(planned: PlannedArguments, variables: Variables, otherwise: number): number {
  const { first } = planned.values(variables);
  return typeof first === "number" && first !== 0 ? Math.abs(first) : otherwise;
}
