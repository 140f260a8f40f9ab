// The filter of a field that leads to a union: which member types, and each member's own filter.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import { and, or, type Predicate } from "../../contracts/predicate.ts";
import type { Api, UnionFilterShape } from "../../schema/api/api.ts";
import { compileFilter, type FilterContext } from "./filter.ts";

export interface UnionCondition {
  /** Member types that may show at all. */
  readonly types: readonly NodeType[];
  readonly where: Predicate;
}

/** Without `memberTypes` all members may show; a member without a filter of its own shows unfiltered. */
export function compileUnionFilter(
  union: UnionType,
  value: unknown,
  request: { readonly api: Api; readonly context: FilterContext },
): UnionCondition {
  const given = isObject(value) ? value : {};
  const chosen = given.memberTypes;
  const types = Array.isArray(chosen) ? union.members.filter((member) => chosen.includes(member.name)) : union.members;
  const filters = unionFilterOf(request.api, union)?.members ?? new Map<string, NodeType>();
  const filterOf = new Map([...filters].map(([name, member]) => [member, given[name]]));
  const cases = types.map((type): Predicate => {
    const shape = request.api.filterOf.get(type);
    const where = shape ? compileFilter(shape, filterOf.get(type), request.context) : { kind: "all" as const };
    return where.kind === "all" ? ofTypes([type]) : and(ofTypes([type]), where);
  });
  const unfiltered = types.filter((_, i) => cases[i]?.kind === "type");
  if (unfiltered.length === types.length) return { types, where: { kind: "all" } };
  return { types, where: or(...cases) };
}

/** Nodes of the concrete types of `types`. */
export function ofTypes(types: readonly NodeType[]): Predicate {
  return { kind: "type", types: types.flatMap((type) => type.members.map((member) => member.stored)) };
}

/** Which member of a union's filter is of which type. */
export function unionFilterOf(api: Api, union: UnionType): UnionFilterShape | undefined {
  return [...api.unionFilters.values()].find((shape) => shape.union === union);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
