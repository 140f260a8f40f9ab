// A snapshot with values as callers get them, for plugins that answer questions of their own. What would compare stored values in their place is refused.

import type { Predicate } from "../../contracts/predicate.ts";
import type { AggregateRequest, FindRequest, GroupRequest } from "../../contracts/storage/requests.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import type { FieldName } from "../../ground/values/value.ts";
import { run, type Turns, type Work, wait } from "../../ground/work.ts";
import type { ShownFields } from "../../schema/api/api.ts";
import type { LayoutIndex } from "../layout-index/layout-index.ts";
import { shownColumns } from "../level/shown-columns.ts";
import { forwardingSnapshot } from "../powers/forwarding-snapshot.ts";
import { type Showing, showRows } from "./shown-values.ts";

export interface ShownView extends Showing {
  readonly shown: ShownFields;
  readonly index: LayoutIndex;
  readonly budget: Turns;
}

/** `snapshot` with the values that the caller gets. The caller of `snapshot` closes it. */
export function shownSnapshot(snapshot: Snapshot, view: ShownView): Snapshot {
  const begin = <T>(work: Work<T>) => run(work, view.budget);
  const { group } = snapshot;
  return forwardingSnapshot(snapshot, {
    find: (request) => {
      checkFind(request, view);
      return begin(shownBatch(wait(snapshot.find(request)), request.fields, view));
    },
    follow: (request) => {
      checkFind(request, view);
      return begin(
        (function* () {
          const links = yield* wait(snapshot.follow(request));
          return { ...links, nodes: yield* shownBatch(wait(links.nodes), request.fields, view) };
        })(),
      );
    },
    load: (request) => begin(shownBatch(wait(snapshot.load(request)), request.fields, view)),
    aggregate: (request) => {
      checkMeasured(request, view);
      return snapshot.aggregate(request);
    },
    ...(group && {
      group: (request: GroupRequest) => {
        checkMeasured(request, view);
        for (const { field } of request.by) check(field, view);
        return group.call(snapshot, request);
      },
    }),
  });
}

function* shownBatch(reading: Work<Batch>, fields: readonly FieldName[], view: ShownView): Work<Batch> {
  const stored = yield* reading;
  const columns = shownColumns(fields, view.shown);
  if (!columns) return stored;
  const { batch, failed } = yield* showRows(stored, columns, view);
  // These answers have no place for the error of one value.
  for (const messages of failed?.values() ?? []) for (const message of messages.values()) throw new QuernError("OPERATION_FAILED", message);
  return batch;
}

type Found = Pick<FindRequest, "where" | "order" | "nearest">;

function checkFind({ where, order = [], nearest }: Found, view: ShownView): void {
  for (const field of where ? comparedFields(where, view.index) : []) check(field, view);
  for (const { field } of order) check(field, view);
  if (nearest) check(nearest.field, view);
}

function checkMeasured({ over, measures }: Pick<AggregateRequest, "over" | "measures">, view: ShownView): void {
  checkFind(over, view);
  for (const measure of measures) if (measure.kind !== "count") check(measure.field, view);
}

/** The fields whose stored values decide about the condition. */
function comparedFields(where: Predicate, index: LayoutIndex): readonly FieldName[] {
  switch (where.kind) {
    case "and":
    case "or":
      return where.of.flatMap((each) => comparedFields(each, index));
    case "not":
      return comparedFields(where.of, index);
    case "linked":
      return comparedFields(where.where, index);
    case "lookup":
      return [index.index(where.index)?.field ?? ""];
    case "compare":
    case "check":
      return [where.field];
    default:
      return [];
  }
}

/** @throws QuernError REQUEST_REFUSED */
function check(field: FieldName, { shown }: ShownView): void {
  const [how] = shown.get(field)?.values() ?? [];
  if (!how) return;
  throw new QuernError(
    "REQUEST_REFUSED",
    `The plugin "${how.plugin}" shows other values of ${field} than the stored ones, so nothing can filter, order or group by it.`,
  );
}
