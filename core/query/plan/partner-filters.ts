// The filters on partners inside a filter, at any depth: what has to be known of them before the filter is compiled.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { LinkCondition } from "../../contracts/plugin/link-filter.ts";
import type { Api, FilterShape } from "../../schema/api/api.ts";
import type { Masks } from "../level/masks.ts";
import { asksUnreadable, coversAllOnlyByNulls } from "./filter.ts";
import { filterShapeOf, unionFilterOf } from "./union-filter.ts";

type Target = NodeType | UnionType;

/** A filter and what it is asked of. */
export interface PartnerFilter {
  readonly target: Target;
  readonly filter: unknown;
}

/** Each filter on partners in `filter`, with those inside it. */
export function partnerFilters(api: Api, target: Target, filter: unknown): readonly PartnerFilter[] {
  if (!hasLinkFilters(api)) return [];
  const found: PartnerFilter[] = [];
  collect({ target, filter });
  return found;

  function collect(each: PartnerFilter): void {
    for (const { shape, value } of partsOf(api, each)) collectFrom(shape, value);
  }

  function collectFrom(shape: FilterShape, value: unknown): void {
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (member === null || member === undefined) continue;
      const link = shape.links.get(name);
      const asked = link?.condition(member);
      if (link && asked) {
        for (const inner of filtersOf(asked)) {
          const one = { target: link.field.target, filter: inner };
          found.push(one);
          collect(one);
        }
      } else if (name === "and" || name === "or" || name === "not") {
        for (const part of Array.isArray(member) ? member : [member]) collectFrom(shape, part);
      }
    }
  }
}

/** Whether a filter, or one on partners inside it, was given something and asks for nothing: a write must not follow it. */
export function widensByNulls(api: Api, target: Target, filter: unknown): boolean {
  const all = [{ target, filter }, ...partnerFilters(api, target, filter)];
  return all.some((each) => {
    const parts = partsOf(api, each);
    if (each.target.kind !== "union") return parts.some(({ shape, value }) => coversAllOnlyByNulls(shape, value));
    const given = isObject(each.filter) ? Object.values(each.filter) : [];
    return (given.length > 0 && given.every((member) => member === null)) || parts.some(({ shape, value }) => coversAllOnlyByNulls(shape, value));
  });
}

/** Whether a filter on partners asks about a field that must not be asked about: nothing satisfies the filter around it. */
export function asksForbidden(api: Api, { target, filter }: PartnerFilter, masks: Masks | undefined): boolean {
  if (masks === undefined || ![...masks.values()].some(({ unreadable }) => unreadable === "unmet")) return false;
  return partsOf(api, { target, filter }).some(({ shape, value }) => asksUnreadable(shape, value, masks));
}

interface Part {
  readonly shape: FilterShape;
  readonly value: unknown;
}

/** The filter of a union has one of each member. */
function partsOf(api: Api, { target, filter }: PartnerFilter): readonly Part[] {
  if (target.kind !== "union") return partOf(api, target, filter);
  const given = isObject(filter) ? filter : {};
  return [...(unionFilterOf(api, target)?.members ?? [])].flatMap(([name, member]) => partOf(api, member, given[name]));
}

function partOf(api: Api, type: NodeType, value: unknown): readonly Part[] {
  const shape = filterShapeOf(api, type);
  return shape ? [{ shape, value }] : [];
}

function filtersOf(condition: LinkCondition): readonly unknown[] {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.of.flatMap(filtersOf);
    case "not":
      return filtersOf(condition.of);
    case "partners":
      return [condition.filter];
  }
}

const filtering = new WeakMap<Api, boolean>();

/** Most schemas have none: then no filter is searched. */
function hasLinkFilters(api: Api): boolean {
  const known = filtering.get(api) ?? [...api.filters.values()].some(({ links }) => links.size > 0);
  filtering.set(api, known);
  return known;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
