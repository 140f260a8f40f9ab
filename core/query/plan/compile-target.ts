// The filter of a field compiled for what the field leads to: a type, or the members of a union.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { compileFilter, type FilterContext } from "./filter.ts";
import { compileUnionFilter, filterShapeOf } from "./union-filter.ts";

export interface Filtered {
  /** Concrete types of which nodes may pass. */
  readonly types: readonly NodeType[];
  readonly where: Predicate;
}

/** @param types the concrete types of `target` */
export function compileTarget(
  target: NodeType | UnionType,
  types: readonly NodeType[],
  filter: unknown,
  deployment: Pick<Deployment, "api"> & FilterContext,
): Filtered {
  const { api } = deployment;
  if (filter === undefined || filter === null) return { types, where: { kind: "all" } };
  if (target.kind === "union") {
    const chosen = compileUnionFilter(target, filter, { api, context: deployment });
    return { types: types.filter((type) => chosen.types.some((member) => member.members.includes(type))), where: chosen.where };
  }
  const shape = filterShapeOf(api, target);
  return { types, where: shape ? compileFilter(shape, filter, deployment) : { kind: "all" } };
}
