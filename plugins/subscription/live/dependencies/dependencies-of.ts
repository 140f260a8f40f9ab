// Derives the dependencies of a query from what its run read.

import {
  type AggregateRequest,
  and,
  type Batch,
  type EndName,
  type FieldName,
  type FindRequest,
  type FollowRequest,
  type GroupRequest,
  groupingColumns,
  type LayoutIndex,
  type LoadRequest,
  type Order,
  type Page,
  type Place,
  type Predicate,
  type Uid,
} from "../../../../core/plugin.ts";
import type { Dependency, NodeDependency, Properties, Reached, Window, Within } from "./dependency.ts";
import { UidSet } from "./uid-set.ts";

/** One call to the snapshot, with its result. */
export type Read =
  | ({ readonly kind: "find"; readonly request: FindRequest; readonly found: Batch; readonly edge: Place | undefined } & Reaching)
  | ({ readonly kind: "follow"; readonly request: FollowRequest; readonly found: Batch } & Reaching)
  | { readonly kind: "load"; readonly request: LoadRequest; readonly found: Batch }
  | ({ readonly kind: "aggregate"; readonly request: AggregateRequest } & Reaching)
  | ({ readonly kind: "group"; readonly request: GroupRequest } & Reaching);

interface Reaching {
  /** See `NodeDependency.reached`. */
  readonly reached: Reached | undefined;
}

interface Conditions extends Reaching {
  readonly layout: LayoutIndex;
}

/** A longer result is not recorded node by node: then any node that may satisfy the condition counts. */
const maxResultUids = 10_000;

/**
 * Whether `known` is what `read` depends on, as far as that is seen without making it: nodes that are loaded by id are in most runs those of the run before.
 * Then what lies in old memory stays, and nothing new gets there.
 */
export function isDependencyOf(read: Read, known: Dependency, layout: LayoutIndex): boolean {
  if (read.kind !== "load" || known.kind !== "nodes") return false;
  const { where, resultUids, linked, within, window, reached } = known;
  if (where.kind !== "uids" || resultUids === undefined || linked || within || window || reached) return false;
  const { uids, types, fields } = read.request;
  return (
    isSameList(where.uids, uids) &&
    isSameList(resultUids.uids, read.found.uids) &&
    known.types === layout.sharedSet(types) &&
    known.selectedFields === layout.sharedSet(fields)
  );
}

function isSameList(a: readonly Uid[], b: readonly Uid[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

export function dependenciesOfRead(read: Read, layout: LayoutIndex): readonly Dependency[] {
  if (read.kind === "load") return [loadDependency(read.request, read.found, layout)];
  const conditions = { layout, reached: read.reached };
  switch (read.kind) {
    case "find":
      return findDependencies(read, conditions);
    case "follow":
      return followDependencies({ over: read.request, fields: shownBy(read.request), found: read.found }, conditions);
    case "aggregate":
      return aggregateDependencies(read.request, conditions);
    case "group":
      return measuredDependencies(read.request.over, groupingColumns(read.request), conditions);
  }
}

const nothing: Properties = new Set();

function findDependencies(read: Extract<Read, { kind: "find" }>, conditions: Conditions): readonly Dependency[] {
  const { layout } = conditions;
  const { request, found, edge } = read;
  if (request.nearest) return nearestDependencies(request, request.nearest.field, conditions);
  const { types, where = { kind: "all" }, order = [], page } = request;
  const window = page && windowOf(page, order, edge);
  const dependency = nodeDependency(where, conditions, {
    types: layout.sharedSet(types),
    selectedFields: layout.sharedSet(shownBy(request)),
    orderedBy: window ? order.map((key) => key.field) : [],
    resultUids: resultUidsOf(found.uids),
    window,
    linked: false,
    within: undefined,
  });
  return [dependency, ...partnerDependencies(where, conditions)];
}

/** Any node may come near: all that satisfy the condition and have a vector count, whatever place they had. */
function nearestDependencies(request: FindRequest, field: FieldName, conditions: Conditions): readonly Dependency[] {
  const { layout } = conditions;
  const { types, where = { kind: "all" } } = request;
  const dependency = nodeDependency(and(where, { kind: "has", field }), conditions, {
    types: layout.sharedSet(types),
    selectedFields: layout.sharedSet([...request.fields, field]),
    orderedBy: [],
    resultUids: undefined,
    window: undefined,
    linked: false,
    within: undefined,
  });
  return [dependency, ...partnerDependencies(where, conditions)];
}

/** A node that is loaded by id may also be created later. */
function loadDependency({ uids, types, fields }: LoadRequest, found: Batch, layout: LayoutIndex): Dependency {
  const where: Predicate = { kind: "uids", uids: new UidSet(uids).uids };
  return nodeDependency(
    where,
    { layout, reached: undefined },
    {
      types: layout.sharedSet(types),
      selectedFields: layout.sharedSet(fields),
      orderedBy: [],
      resultUids: resultUidsOf(found.uids),
      window: undefined,
      linked: false,
      within: undefined,
    },
  );
}

interface Followed {
  readonly over: Omit<FollowRequest, "fields">;
  readonly fields: readonly (FieldName | EndName)[];
  readonly found: Batch | undefined;
}

function followDependencies({ over, fields, found }: Followed, conditions: Conditions): readonly Dependency[] {
  const { layout } = conditions;
  const { from, end, where = { kind: "all" }, page } = over;
  if (from.length === 0) return [];
  const sources = new UidSet(from);
  const back = layout.edges.wayBack(end);
  const within: Within | undefined = back && { end: back.name, to: sources };
  const partners = nodeDependency(where, conditions, {
    types: layout.sharedSet(over.types ?? layout.edges.end(end)?.partners ?? []),
    selectedFields: layout.sharedSet(fields),
    orderedBy: page ? (over.order ?? []).map((key) => key.field) : [],
    resultUids: found && resultUidsOf(found.uids),
    window: undefined,
    linked: true,
    within,
  });
  const links: Dependency = { kind: "links", end, from: sources, partners, paged: page !== undefined };
  const readsPartners = partners.selectedFields.size > 0 || partners.filterFields.size > 0;
  return [links, ...(readsPartners ? [partners] : []), ...partnerDependencies(where, conditions)];
}

function aggregateDependencies({ over, measures }: AggregateRequest, conditions: Conditions): readonly Dependency[] {
  const fields = measures.flatMap((each) => (each.kind === "count" ? [] : [each.field]));
  if ("from" in over) return followDependencies({ over, fields, found: undefined }, conditions);
  return measuredDependencies(over, fields, conditions);
}

/** Of all nodes that satisfy a condition these values count. */
function measuredDependencies(
  { types, where = { kind: "all" } }: Pick<FindRequest, "types" | "where">,
  fields: readonly (FieldName | EndName)[],
  conditions: Conditions,
): readonly Dependency[] {
  const { layout } = conditions;
  const common = { orderedBy: [], resultUids: undefined, window: undefined, linked: false, within: undefined };
  return [
    nodeDependency(where, conditions, { types: layout.sharedSet(types), selectedFields: layout.sharedSet(fields), ...common }),
    ...partnerDependencies(where, conditions),
  ];
}

/** The partners in every semi-join of `where`: the result changes when one of them starts or stops to satisfy its condition. */
function partnerDependencies(where: Predicate, conditions: Conditions): readonly Dependency[] {
  const { layout, reached } = conditions;
  switch (where.kind) {
    case "and":
    case "or":
      return where.of.flatMap((each) => partnerDependencies(each, conditions));
    case "not":
      return partnerDependencies(where.of, conditions);
    case "linked": {
      const types = layout.sharedSet(layout.edges.end(where.end)?.partners ?? []);
      const resultUids = reached?.get(where);
      // Of partners that are known a new one counts too: nodes are found by those that were there.
      const common = { orderedBy: [], resultUids, window: undefined, linked: resultUids === undefined, within: undefined };
      const dependency = nodeDependency(where.where, conditions, { types, selectedFields: nothing, ...common });
      return [...(dependency.filterFields.size > 0 ? [dependency] : []), ...partnerDependencies(where.where, conditions)];
    }
    default:
      return [];
  }
}

type Parts = Omit<NodeDependency, "kind" | "where" | "filterFields" | "reached"> & { readonly orderedBy: readonly FieldName[] };

function nodeDependency(where: Predicate, { layout, reached }: Conditions, { orderedBy, ...parts }: Parts): NodeDependency {
  const filterFields = new Set<FieldName | EndName>(orderedBy);
  collectProperties(where, layout, filterFields);
  return { kind: "nodes", where, filterFields: layout.sharedSet([...filterFields]), reached, ...parts };
}

/** The fields and ends of the node itself; conditions on its partners are dependencies of their own. */
function collectProperties(where: Predicate, layout: LayoutIndex, into: Set<FieldName | EndName>): void {
  switch (where.kind) {
    case "and":
    case "or":
      for (const each of where.of) collectProperties(each, layout, into);
      break;
    case "not":
      collectProperties(where.of, layout, into);
      break;
    case "has":
    case "compare":
    case "check":
      into.add(where.field);
      break;
    case "lookup":
      into.add(layout.index(where.index)?.field ?? where.index);
      break;
    case "linked":
      into.add(where.end);
      break;
    default:
      break;
  }
}

function resultUidsOf(uids: readonly Uid[]): UidSet | undefined {
  return uids.length > maxResultUids ? undefined : new UidSet(uids);
}

function shownBy({ fields, order = [] }: { readonly fields: readonly string[]; readonly order?: Order }): readonly (FieldName | EndName)[] {
  return order.length === 0 ? fields : [...fields, ...order.map((key) => key.field)];
}

function windowOf(page: Page, order: Order, edge: Place | undefined): Window {
  return { order, edge, fromEnd: "last" in page, hasOffset: "offset" in page && (page.offset ?? 0) > 0 };
}
