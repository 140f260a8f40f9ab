// A query whose argument asks for the nodes nearest to a vector.

import { and, none, type Predicate } from "../../contracts/predicate.ts";
import type { Nearest } from "../../contracts/storage/requests.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Json, Uid } from "../../ground/values/value.ts";
import { type Work, wait } from "../../ground/work.ts";
import { findOrdered } from "../access/masked-order.ts";
import type { BoundLevel, GivenValues } from "../level/level.ts";
import { behindMask } from "../level/masks.ts";
import { emptyBatch, type Rows } from "../level/rows.ts";
import type { ReadContext } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { ordering, readBelow } from "./read-level.ts";

/** What a root field's argument searches for, and the computed field that shows the distance. */
export interface Search {
  readonly nearest: Nearest;
  readonly distance: string | undefined;
}

/** Undefined: the root field has no such argument, or it is not given. */
export function searchOf(root: RootPlan, { deployment, variables }: Pick<ReadContext, "deployment" | "variables">): Search | undefined {
  const argument = deployment.api.nearest.get(root.field);
  const operand = argument && root.arguments(variables)[argument.name];
  return operand === undefined || argument === undefined ? undefined : { nearest: argument.nearest(operand), distance: argument.distance };
}

/** The rows of the level: those nearest among its nodes, in its order or nearest first, cut to its page. */
export function* findNearestRows(bound: BoundLevel, search: Search, context: ReadContext): Work<Rows> {
  const { nearest } = search;
  if (nearest.count < 1 || bound.isEmpty) return yield* readBelow(bound, emptyBatch(bound.level.columns.length), context);
  const { batch, distances } = yield* nearestBatch(bound, nearest, context);
  return yield* readBelow(bound.with({ given: distanceValues(search, distances) }), batch, context);
}

type Distances = ReadonlyMap<Uid, number>;

interface NearestBatch {
  readonly batch: Batch;
  readonly distances: Distances;
}

function* nearestBatch(bound: BoundLevel, nearest: Nearest, context: ReadContext): Work<NearestBatch> {
  const { types, order, related, page, level, masks } = bound;
  const { snapshot } = context;
  const fields = level.columns;
  // A node whose vector is hidden must not show by its place how near it is.
  const where = and(bound.where, behindMask({ kind: "has", field: nearest.field }, nearest.field, masks) ?? none);
  if (order.length === 0 && !related) {
    if (page && "last" in page) throw lastOfNearest();
    const batch = yield* wait(snapshot.find({ types, where, nearest, ...(page ? { page } : {}), fields }));
    return { batch, distances: distancesOf(batch) };
  }
  const chosen = yield* wait(snapshot.find({ types, where, nearest, fields: [] }));
  const request = { types, where: oneOf(chosen.uids), order, ...(page ? { page } : {}), fields };
  return { batch: yield* wait(findOrdered(request, ordering(bound, context))), distances: distancesOf(chosen) };
}

function lastOfNearest(): QuernError {
  return new QuernError("VALUE_INVALID", "A negative first does not fit a search by distance: its objects come nearest first");
}

function oneOf(uids: readonly Uid[]): Predicate {
  return uids.length === 0 ? { kind: "none" } : { kind: "uids", uids: [...uids].sort((a, b) => a - b) };
}

function distancesOf({ uids, distances = [] }: Batch): Distances {
  return new Map(uids.map((uid, row) => [uid, distances[row] ?? Number.NaN]));
}

function distanceValues({ distance }: Search, distances: Distances): GivenValues | undefined {
  return distance === undefined ? undefined : new Map([[distance, distances satisfies ReadonlyMap<Uid, Json>]]);
}
