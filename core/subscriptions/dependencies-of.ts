// From what a run read to what it hangs on.

import type { Predicate } from "../contracts/predicate.ts";
import type { AggregateRequest, Batch, FindRequest, FollowRequest, LoadRequest, Order, Page } from "../contracts/storage.ts";
import type { EndName, FieldName, Uid } from "../ground/values/value.ts";
import type { OrderedRow } from "../query/evaluate/top.ts";
import type { LayoutIndex } from "../query/layout-index/layout-index.ts";
import type { Dependency, NodeDependency, Properties, Window, Within } from "./dependency.ts";
import { UidSet } from "./uid-set.ts";

/** One call to the snapshot and what came of it. */
export type Read =
  | { readonly kind: "find"; readonly request: FindRequest; readonly found: Batch; readonly edge: OrderedRow | undefined }
  | { readonly kind: "follow"; readonly request: FollowRequest; readonly found: Batch }
  | { readonly kind: "load"; readonly request: LoadRequest; readonly found: Batch }
  | { readonly kind: "aggregate"; readonly request: AggregateRequest };

/** Lists of more nodes are not written down node by node: any node of their types that may be in them then counts. */
const maxMembers = 10_000;

export function dependenciesOf(reads: readonly Read[], layout: LayoutIndex): readonly Dependency[] {
  return reads.flatMap((read) => dependenciesOfRead(read, layout));
}

function dependenciesOfRead(read: Read, layout: LayoutIndex): readonly Dependency[] {
  switch (read.kind) {
    case "find":
      return findDependencies(read, layout);
    case "follow":
      return followDependencies({ over: read.request, fields: shownBy(read.request), found: read.found }, layout);
    case "load":
      return [loadDependency(read.request, read.found, layout)];
    case "aggregate":
      return aggregateDependencies(read.request, layout);
  }
}

const nothing: Properties = new Set();

function findDependencies({ request, found, edge }: Extract<Read, { kind: "find" }>, layout: LayoutIndex): readonly Dependency[] {
  const { types, where = { kind: "all" }, order = [], page } = request;
  const window = page && windowOf(page, order, edge);
  const watch = nodeDependency(where, layout, {
    types: layout.sharedSet(types),
    shown: layout.sharedSet(shownBy(request)),
    orderedBy: window ? order.map((key) => key.field) : [],
    members: membersOf(found.uids),
    window,
    linked: false,
    within: undefined,
  });
  return [watch, ...partnerDependencies(where, layout)];
}

/** Nodes that were asked for by id may also come to be. */
function loadDependency({ uids, types, fields }: LoadRequest, found: Batch, layout: LayoutIndex): Dependency {
  const where: Predicate = { kind: "uids", uids: new UidSet(uids).uids };
  return nodeDependency(where, layout, {
    types: layout.sharedSet(types),
    shown: layout.sharedSet(fields),
    orderedBy: [],
    members: membersOf(found.uids),
    window: undefined,
    linked: false,
    within: undefined,
  });
}

interface Followed {
  readonly over: Omit<FollowRequest, "fields">;
  readonly fields: readonly (FieldName | EndName)[];
  readonly found: Batch | undefined;
}

function followDependencies({ over, fields, found }: Followed, layout: LayoutIndex): readonly Dependency[] {
  const { from, end, where = { kind: "all" }, page } = over;
  if (from.length === 0) return [];
  const sources = new UidSet(from);
  const back = layout.edges.wayBack(end);
  const within: Within | undefined = back && { end: back.name, to: sources };
  const partners = nodeDependency(where, layout, {
    types: layout.sharedSet(over.types ?? layout.edges.end(end)?.partners ?? []),
    shown: layout.sharedSet(fields),
    orderedBy: page ? (over.order ?? []).map((key) => key.field) : [],
    members: found && membersOf(found.uids),
    window: undefined,
    linked: true,
    within,
  });
  const links: Dependency = { kind: "links", end, from: sources, partners, cut: page !== undefined };
  const lookedAt = partners.shown.size > 0 || partners.decides.size > 0;
  return [links, ...(lookedAt ? [partners] : []), ...partnerDependencies(where, layout)];
}

function aggregateDependencies({ over, measures }: AggregateRequest, layout: LayoutIndex): readonly Dependency[] {
  const fields = measures.flatMap((each) => (each.kind === "count" ? [] : [each.field]));
  if ("from" in over) return followDependencies({ over, fields, found: undefined }, layout);
  const { types, where = { kind: "all" } } = over;
  const common = { orderedBy: [], members: undefined, window: undefined, linked: false, within: undefined };
  return [
    nodeDependency(where, layout, { types: layout.sharedSet(types), shown: layout.sharedSet(fields), ...common }),
    ...partnerDependencies(where, layout),
  ];
}

/** The nodes at the other side of every semi-join: when one of them comes to satisfy its condition, or ceases to. */
function partnerDependencies(where: Predicate, layout: LayoutIndex): readonly Dependency[] {
  switch (where.kind) {
    case "and":
    case "or":
      return where.of.flatMap((each) => partnerDependencies(each, layout));
    case "not":
      return partnerDependencies(where.of, layout);
    case "linked": {
      const types = layout.sharedSet(layout.edges.end(where.end)?.partners ?? []);
      const common = { orderedBy: [], members: undefined, window: undefined, linked: true, within: undefined };
      const watch = nodeDependency(where.where, layout, { types, shown: nothing, ...common });
      return [...(watch.decides.size > 0 ? [watch] : []), ...partnerDependencies(where.where, layout)];
    }
    default:
      return [];
  }
}

type Parts = Omit<NodeDependency, "kind" | "where" | "decides"> & { readonly orderedBy: readonly FieldName[] };

function nodeDependency(where: Predicate, layout: LayoutIndex, { orderedBy, ...parts }: Parts): NodeDependency {
  const decides = new Set<FieldName | EndName>(orderedBy);
  collectProperties(where, layout, decides);
  return { kind: "nodes", where, decides: layout.sharedSet([...decides]), ...parts };
}

/** What a node itself must have or be linked by; the conditions on its partners are watched by themselves. */
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

function membersOf(uids: readonly Uid[]): UidSet | undefined {
  return uids.length > maxMembers ? undefined : new UidSet(uids);
}

function shownBy({ fields, order = [] }: { readonly fields: readonly string[]; readonly order?: Order }): readonly (FieldName | EndName)[] {
  return order.length === 0 ? fields : [...fields, ...order.map((key) => key.field)];
}

function windowOf(page: Page, order: Order, edge: OrderedRow | undefined): Window {
  return { order, edge, fromEnd: "last" in page, skips: "offset" in page && (page.offset ?? 0) > 0 };
}
