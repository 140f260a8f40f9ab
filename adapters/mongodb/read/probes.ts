// Conditions on links as stages that try one document after the other, so that a page reads as many documents as it needs: a look-up for each condition, which
// ends at the first partner that fits.

import type { Document } from "mongodb";
import { and, type Linked, not, or, type Predicate, type TypeName } from "../../../core/storage.ts";
import { type EndRuntime, type LayoutRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { compileMatch } from "./match.ts";
import { type Row, sidesOf } from "./rows.ts";
import type { Joined, SemiJoinResult } from "./semi-join-result.ts";
import { type Probe, unfinishedProperty } from "./sorted.ts";

/** The probes of one request. */
export class Probes {
  readonly #byType: ReadonlyMap<TypeName, Probe>;
  /** There are more documents than were tried. */
  areUnfinished = false;

  constructor(byType: ReadonlyMap<TypeName, Probe>) {
    this.#byType = byType;
  }

  of(type: TypeName): Probe | undefined {
    return this.#byType.get(type);
  }

  /** The rows without the marks of those that were not tried. */
  rowsOf(rows: readonly Row[]): Row[] {
    const found = rows.filter(({ doc }) => doc[unfinishedProperty] !== true);
    if (found.length < rows.length) this.areUnfinished = true;
    return found;
  }
}

export interface ProbeFacts {
  readonly schema: LayoutRuntime;
  /** What was found for the keys inside. */
  readonly joined: Joined;
  /** Stages that drop documents of a type before the condition does. */
  readonly first?: ((type: TypeName) => readonly Document[]) | undefined;
}

/** Undefined: MongoDB cannot decide the condition. @param most documents to try */
export function probesOf(where: Predicate, types: readonly TypeName[], facts: ProbeFacts, most: number | undefined): Probes | undefined {
  const byType = new Map<TypeName, Probe>();
  for (const type of types) {
    const stages = stagesOf(where, type, facts);
    if (stages === undefined) return undefined;
    byType.set(type, { stages: [...(facts.first?.(type) ?? []), ...stages], most });
  }
  return new Probes(byType);
}

/** The same condition without its parts about links: what is left holds for more nodes. */
export function withoutLinks(where: Predicate): Predicate {
  switch (where.kind) {
    case "and":
      return and(...where.of.map(withoutLinks));
    case "or":
      return or(...where.of.map(withoutLinks));
    case "not":
      return hasLinks(where.of) ? { kind: "all" } : not(where.of);
    case "linked":
      return { kind: "all" };
    default:
      return where;
  }
}

export function hasLinks(where: Predicate): boolean {
  return linksIn(where).length > 0;
}

/** Not those inside others. */
export function linksIn(where: Predicate): readonly Linked[] {
  switch (where.kind) {
    case "and":
    case "or":
      return where.of.flatMap(linksIn);
    case "not":
      return linksIn(where.of);
    case "linked":
      return [where];
    default:
      return [];
  }
}

/** Drops the documents of `type` for which `where` does not hold. */
function stagesOf(where: Predicate, type: TypeName, facts: ProbeFacts): Document[] | undefined {
  const joined = new Map(facts.joined);
  const lookUps: Document[] = [];
  const properties: string[] = [];
  for (const [i, linked] of linksIn(where).entries()) {
    const probe = probeOf(linked, type, facts);
    if (probe === undefined) return undefined;
    if (!Array.isArray(probe)) {
      joined.set(linked, probe);
      continue;
    }
    const names = probe.map((_, j) => `_linked${i}:${j}`);
    lookUps.push(...probe.map((lookUp, j) => ({ $lookup: { ...lookUp, as: names[j] } })));
    properties.push(...names);
    joined.set(linked, { by: "probe", properties: names, atLeast: linked.atLeast });
  }
  const { filter, exact } = compileMatch(where, type, { schema: facts.schema, joined });
  if (!exact) return undefined;
  const match = filter === true ? [] : [{ $match: filter === false ? { _id: { $in: [] } } : filter }];
  return [...lookUps, ...match, ...(properties.length === 0 ? [] : [{ $unset: properties }])];
}

/** The look-ups that find enough partners; or a result where none is needed. */
function probeOf(linked: Linked, type: TypeName, facts: ProbeFacts): Document[] | SemiJoinResult | undefined {
  const end = facts.schema.ends.get(linked.end);
  if (end === undefined || !end.types.has(type) || linked.where.kind === "none" || (end.near && linked.atLeast > 1)) return { by: "uid", uids: [] };
  if (end.near && linked.where.kind === "all") return { by: "partner", partners: "any" };
  const lookUps: Document[] = [];
  const { placement } = end.store;
  if (placement.shape === "pairs" && linked.where.kind === "all")
    return [ofPairs(end, { partners: [...end.partners], collection: placement.collection, atLeast: linked.atLeast })];
  for (const partner of end.partners) {
    const inner = stagesOf(linked.where, partner, facts);
    if (inner === undefined) return undefined;
    if (placement.shape === "pairs")
      lookUps.push(ofPairs(end, { partners: [partner], collection: placement.collection, atLeast: linked.atLeast, inner }));
    else lookUps.push(ofField(end, { type, partner, inner, atLeast: linked.atLeast }));
  }
  return lookUps;
}

interface FieldProbe {
  readonly type: TypeName;
  readonly partner: TypeName;
  /** What drops partners. */
  readonly inner: readonly Document[];
  readonly atLeast: number;
}

function ofField({ near, store }: EndRuntime, { type, partner, inner, atLeast }: FieldProbe): Document {
  const [localField, foreignField] = near ? [linkPropertyOf(store, type), "_id"] : ["_id", linkPropertyOf(store, partner)];
  return { from: collectionOf(partner), localField, foreignField, pipeline: [...inner, { $limit: atLeast }, { $project: { _id: 1 } }] };
}

interface PairProbe {
  readonly partners: readonly TypeName[];
  readonly collection: string;
  readonly atLeast: number;
  /** What drops partners, which have one type then. */
  readonly inner?: readonly Document[];
}

function ofPairs(end: EndRuntime, { partners, collection, atLeast, inner = [] }: PairProbe): Document {
  const [own, other] = sidesOf(end);
  const [partner = ""] = partners;
  const ofPartner = {
    from: collectionOf(partner),
    localField: other,
    foreignField: "_id",
    pipeline: [...inner, { $project: { _id: 1 } }],
    as: "_partner",
  };
  const holds = inner.length === 0 ? [] : [{ $lookup: ofPartner }, { $match: { "_partner.0": { $exists: true } } }];
  const isOther = end.store.types[end.own === 0 ? 1 : 0].some((each) => !partners.includes(each));
  const types = isOther ? [{ $match: { [`${other}Type`]: { $in: [...partners] } } }] : [];
  return {
    from: collection,
    localField: "_id",
    foreignField: own,
    pipeline: [...types, ...holds, { $limit: atLeast }, { $project: { _id: 1 } }],
  };
}
