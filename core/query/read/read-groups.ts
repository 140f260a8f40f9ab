// Reads groups of nodes: storage groups where everybody sees the same, else the nodes are grouped here as the caller sees them.

import { and } from "../../contracts/predicate.ts";
import type { Measure } from "../../contracts/storage/requests.ts";
import type { Batch, Group } from "../../contracts/storage/results.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { EndName, FieldName, MaybePromise, Uid } from "../../ground/values/value.ts";
import { Grouping, nodesOfGroup } from "../evaluate/grouping.ts";
import type { ReadContext } from "../operation-context.ts";
import { readGroupArguments } from "../plan/group-arguments.ts";
import type { BoundGroups, KeySight } from "./bind.ts";
import { concurrently } from "./concurrently.ts";
import { eachInTurns } from "./each-in-turns.ts";
import { maskRows } from "./mask.ts";
import { kindsOf, scanGroups } from "./scan-groups.ts";
import { topInTurns } from "./top-in-turns.ts";

/** Links of several nodes, of which each has groups of its own. */
export interface GroupSource {
  readonly from: readonly Uid[];
  readonly end: EndName;
}

/** Finished groups. */
export interface GroupLists {
  /** The names of the keys, in the order of `Group.keys`. */
  readonly by: readonly (FieldName | EndName)[];
  /** One for each source; of a root field one. */
  readonly lists: ManyGroups;
}

type ManyGroups = readonly (readonly Group[])[];

/** @throws QuernError VALUE_INVALID for arguments that contradict each other */
export function readGroupLists(bound: BoundGroups, source: GroupSource | undefined, context: ReadContext): MaybePromise<GroupLists> {
  const { selection, types, where } = bound;
  const asked = readGroupArguments(bound.arguments, selection.shape, selection.measures);
  const by = asked.by.map(({ field }) => field);
  if (types.length === 0 || where.kind === "none" || source?.from.length === 0) return { by, lists: (source?.from ?? [0]).map(() => []) };
  // Storage may count from an index, without reading a node; the budget counts it as one read.
  context.budget.spend(1);
  const request = { by: asked.by.map(({ field, unit }) => ({ field, unit })), measures: asked.measures };
  const lists = source ? linkedGroups(bound, { ...request, source }, context) : foundGroups(bound, request, context);
  const { passes, compare, offset, first } = asked;
  const { budget } = context;
  const shown = (groups: readonly Group[]) => topInTurns(groups, { passes, compare, page: { offset, first } }, budget);
  return andThen(lists, (found) => andThen(eachInTurns(found, shown, budget), (pages) => ({ by, lists: pages })));
}

interface Asked {
  readonly by: readonly { readonly field: FieldName | EndName; readonly unit: "year" | "month" | "day" | "hour" | undefined }[];
  readonly measures: readonly Measure[];
}

function foundGroups(bound: BoundGroups, asked: Asked, context: ReadContext): MaybePromise<ManyGroups> {
  const { snapshot, deployment } = context;
  const request = { over: { types: bound.types, where: bound.where }, ...asked };
  if (!isHiding(bound, asked)) {
    if (!snapshot.group) throw new QuernError("INTERNAL", "Groups were asked of a snapshot that cannot group.");
    return andThen(snapshot.group(request), (groups) => [groups]);
  }
  const shown = (batch: Batch, columns: readonly string[]) => asSeen(batch, columns, { bound, context });
  return andThen(scanGroups(request, snapshot, { kindOf: kindsOf(deployment.layout), budget: context.budget, shown }), (groups) => [groups]);
}

function linkedGroups(bound: BoundGroups, asked: Asked & { readonly source: GroupSource }, context: ReadContext): MaybePromise<ManyGroups> {
  const { snapshot, deployment } = context;
  const { from, end } = asked.source;
  const kindOf = kindsOf(deployment.layout);
  const { columns } = new Grouping(asked, kindOf);
  const where = bound.where.kind === "all" ? {} : { where: bound.where };
  return andThen(snapshot.follow({ from, end, types: bound.types, ...where, fields: columns }), ({ starts, rows, nodes }) => {
    const seen = isHiding(bound, asked) ? asSeen(nodes, columns, { bound, context }) : nodes;
    return andThen(seen, (batch) => {
      const groupsOf = (source: number) => {
        const grouping = new Grouping(asked, kindOf);
        grouping.take(batch, rows.slice(starts[source], starts[source + 1]));
        context.budget.spend(grouping.size * nodesOfGroup);
        return grouping.groups();
      };
      return eachInTurns(from.keys(), groupsOf, context.budget);
    });
  });
}

/** Some value or partner that decides the groups is hidden from the caller. */
function isHiding({ masks, sights }: BoundGroups, { by, measures }: Asked): boolean {
  const measured = measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field]));
  return [...by.map(({ field }) => field), ...measured].some((name) => masks?.has(name) || sights.has(name));
}

interface Seeing {
  readonly bound: BoundGroups;
  readonly context: ReadContext;
}

/** The rows without hidden values, and without partners that the caller may not see: such nodes have none. */
function asSeen(batch: Batch, columns: readonly string[], { bound, context }: Seeing): MaybePromise<Batch> {
  const { masks, types, sights } = bound;
  const { snapshot } = context;
  const unmasked = masks ? andThen(maskRows(batch, { masks, types, columns, others: [], snapshot }), (rows) => rows.batch) : batch;
  return andThen(unmasked, (shown) => {
    const asked = columns.map((name, c) => () => {
      const sight = sights.get(name);
      return sight && visiblePartners(shown.columns[c] ?? [], sight, context);
    });
    return andThen(concurrently(asked), (seen) => ({
      ...shown,
      columns: shown.columns.map((column, c) => {
        const visible = seen[c];
        return visible ? column.map((value) => (typeof value === "number" && visible.has(value) ? value : undefined)) : column;
      }),
    }));
  });
}

function visiblePartners(column: Batch["columns"][number], { types, where }: KeySight, { snapshot }: ReadContext): MaybePromise<ReadonlySet<Uid>> {
  const uids = [...new Set(column.filter((value) => typeof value === "number"))].sort((a, b) => a - b);
  if (types.length === 0 || uids.length === 0) return new Set();
  return andThen(snapshot.find({ types, where: and({ kind: "uids", uids }, where), fields: [] }), (found) => new Set(found.uids));
}
