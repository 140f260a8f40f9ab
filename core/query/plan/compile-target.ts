// The filter of a field compiled for what the field leads to: a type, or the members of a union; and with it what it asks of partners.

import type { LinkField, NodeType, UnionType } from "../../contracts/model.ts";
import type { PartnerCount } from "../../contracts/plugin/link-filter.ts";
import { all, and, none, not, type Predicate } from "../../contracts/predicate.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { concreteTypes } from "../level/concrete-types.ts";
import type { Masks } from "../level/masks.ts";
import { compileFilter, type FilterContext } from "./filter.ts";
import { compileUnionFilter, filterShapeOf, ofTypes } from "./union-filter.ts";

export interface Filtered {
  /** Concrete types of which nodes may pass. */
  readonly types: readonly NodeType[];
  readonly where: Predicate;
}

/** What the caller may see of the nodes at the other side of links. */
export interface PartnerVisibility {
  /** Of the target's concrete types those of which the caller may see nodes. */
  readonly types: readonly NodeType[];
  readonly where: Predicate;
  readonly masks: Masks | undefined;
}

/** By what links lead to. */
export type VisiblePartners = ReadonlyMap<NodeType | UnionType, PartnerVisibility>;

export interface TargetContext extends Pick<Deployment, "api">, Omit<FilterContext, "partners"> {
  /** By what a link leads to. Everything is seen of a target that is not here. */
  readonly visible?: VisiblePartners | undefined;
}

/** @param types the concrete types of `target` */
export function compileTarget(target: NodeType | UnionType, types: readonly NodeType[], filter: unknown, deployment: TargetContext): Filtered {
  const { api } = deployment;
  const context = { ...deployment, partners: (field: LinkField, count: PartnerCount) => partnersCondition(field, count, deployment) };
  if (filter === undefined || filter === null) return { types, where: { kind: "all" } };
  if (target.kind === "union") {
    const chosen = compileUnionFilter(target, filter, { api, context });
    return { types: types.filter((type) => chosen.types.some((member) => member.members.includes(type))), where: chosen.where };
  }
  const shape = filterShapeOf(api, target);
  return { types, where: shape ? compileFilter(shape, filter, context) : { kind: "all" } };
}

/** Partners that the caller may not see do not count. */
function partnersCondition(field: LinkField, { filter, satisfying, atLeast }: PartnerCount, context: TargetContext): Predicate {
  const types = concreteTypes(field.target);
  const visibility = context.visible?.get(field.target);
  const seen = visibility?.types ?? types;
  const filtered = compileTarget(field.target, types, filter, { ...context, masks: visibility?.masks });
  const asked = and(onlyOf(filtered.types, types), filtered.where);
  const where = and(onlyOf(seen, types), visibility?.where ?? all, satisfying ? asked : not(asked));
  return where.kind === "none" ? none : { kind: "linked", end: field.stored, where, atLeast };
}

function onlyOf(types: readonly NodeType[], whole: readonly NodeType[]): Predicate {
  if (types.length === 0) return none;
  return types.length === whole.length ? all : ofTypes(types);
}
