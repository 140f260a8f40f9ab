// Reads the nodes of a bound level and everything below, level by level: one call for each step, for all objects of its level.

import type { BoundObjects, BoundStep, BoundTarget, NodeLists, NodeRows, StepParents, StepRows } from "../../contracts/plugin/level-step.ts";
import { and } from "../../contracts/predicate.ts";
import type { AggregateRequest } from "../../contracts/storage/requests.ts";
import type { Batch, Column, Links, MeasureRow } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { type Patience, patience, patienceOf } from "../../ground/patience.ts";
import type { FieldName, MaybePromise, Uid, ValueKind } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import { maskRows } from "../access/mask.ts";
import { measure } from "../access/masked-measures.ts";
import { findOrdered, followOrdered, type OrderingRequest } from "../access/masked-order.ts";
import { showRows } from "../access/shown-values.ts";
import { visibleSnapshot } from "../access/visible-snapshot.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import type { Around, LevelReader } from "../level/kit.ts";
import { BoundLevel, type PlacedStep, Target } from "../level/level.ts";
import type { HiddenRows, Masks } from "../level/masks.ts";
import { emptyBatch, type ReadStep, Rows } from "../level/rows.ts";
import { type FailedValues, shownColumns } from "../level/shown-columns.ts";
import { selects, sourcesOf } from "../level/sources.ts";
import type { OperationBudget, ReadContext } from "../operation-context.ts";
import { nodeLists } from "./node-lists.ts";

/** The level's nodes among all of its types: filtered, ordered, cut. */
export function* findRows(bound: BoundLevel, context: ReadContext): Work<Rows> {
  if (bound.isEmpty) return yield* readBelow(bound, emptyBatch(bound.level.columns.length), context);
  const request = { types: bound.types, where: bound.where, fields: bound.level.columns, ...cutOf(bound) };
  const found = findOrdered(request, ordering(bound, context));
  return yield* readBelow(bound, isPromise(found) ? yield* wait(found) : found, context);
}

/** Nodes of the level by their ids, in this order. */
export function* loadRows(bound: BoundLevel, uids: readonly Uid[], context: ReadContext): Work<Rows> {
  const loaded = context.snapshot.load({ uids, types: bound.types, fields: bound.level.columns });
  return yield* readBelow(bound, isPromise(loaded) ? yield* wait(loaded) : loaded, context);
}

export function ordering({ masks, related }: BoundLevel, { snapshot, deployment, operation, budget }: ReadContext): OrderingRequest {
  const index = layoutIndexOf(deployment.layout);
  const visible = () => visibleSnapshot(snapshot, operation, budget);
  return { snapshot, masks, budget, kindOf: (name) => index.kindOf(name), related: related && { keys: related, visible } };
}

function cutOf({ order, page }: BoundLevel) {
  return { ...(order.length > 0 ? { order } : {}), ...(page ? { page } : {}) };
}

/** Masks loaded nodes for the caller, shows their values, and reads everything below them. */
export function* readBelow(bound: BoundLevel, batch: Batch, context: ReadContext): Work<Rows> {
  const { masks, types, level } = bound;
  context.budget.show(batch.uids.length);
  if (!masks && !level.shown)
    return level.steps.length === 0 ? new Rows(bound, batch) : yield* readSteps(bound, { batch, hidden: undefined, failed: undefined }, context);
  const others = level.steps.flatMap(({ link }) => (link ? [link.stored] : []));
  const masking = masks && maskRows(batch, { masks, types, columns: level.columns, others, snapshot: context.snapshot });
  const masked = masking ? yield* wait(masking) : { batch, hidden: undefined };
  const shown = level.shown ? yield* showRows(masked.batch, level.shown, context) : { batch: masked.batch, failed: undefined };
  return yield* readSteps(bound, { hidden: masked.hidden, ...shown }, context);
}

interface Shown {
  readonly batch: Batch;
  readonly hidden: HiddenRows | undefined;
  readonly failed: FailedValues | undefined;
}

function* readSteps(bound: BoundLevel, shown: Shown, context: ReadContext): Work<Rows> {
  const { steps } = bound.level;
  const { batch, hidden, failed } = shown;
  if (steps.length === 0) return new Rows(bound, batch, { steps: [], hidden, failed });
  const readers = steps.map((placed) => new StepsReader(context, { placed, bound, shown }));
  const read = yield* together(
    readers.map((reader, i) => readStep(bound.steps[i], reader)),
    context.budget,
  );
  return new Rows(bound, batch, { steps: read, hidden, failed });
}

function* readStep(step: BoundStep | undefined, reader: StepsReader): Work<ReadStep> {
  if (!step) throw new QuernError("INTERNAL", "A level was bound without its steps.");
  return { rows: yield* step.read(reader), sourceOf: reader.around?.sourceOf };
}

/** A step without a level around it. */
export function readRootStep(step: BoundStep, context: ReadContext): Work<StepRows> {
  return step.read(new StepsReader(context, undefined));
}

interface Place {
  readonly placed: PlacedStep;
  readonly bound: BoundLevel;
  readonly shown: Shown;
}

class StepsReader implements LevelReader {
  readonly context: ReadContext;
  readonly around: Around | undefined;
  readonly parents: StepParents;

  constructor(context: ReadContext, place: Place | undefined) {
    this.context = context;
    const { around, parents } = place ? placeOf(place) : root;
    this.around = around;
    this.parents = parents;
  }

  get [patience](): Patience | undefined {
    return patienceOf(this.context.request);
  }

  get snapshot(): Snapshot {
    return this.context.snapshot;
  }

  get budget(): OperationBudget {
    return this.context.budget;
  }

  get isTurnOver(): boolean {
    return this.budget.isTurnOver;
  }

  turn(): PromiseLike<void> {
    return this.budget.turn();
  }

  spend(nodes: number): void {
    this.budget.spend(nodes);
  }

  show(objects: number): void {
    this.budget.show(objects);
  }

  below(bound: BoundLevel, batch: Batch): Work<Rows> {
    return readBelow(bound, batch, this.context);
  }

  follow(bound: BoundLevel, end: string): MaybePromise<Links> {
    const { types, where, level } = bound;
    const filter = where.kind === "all" ? {} : { where };
    const request = { from: this.parents.from ?? [], end, types, ...filter, fields: level.columns, ...cutOf(bound) };
    return followOrdered(request, ordering(bound, this.context));
  }

  measure(request: AggregateRequest, masks: Masks | undefined): MaybePromise<readonly MeasureRow[]> {
    return measure(request, masks, this.snapshot);
  }

  *load(objects: BoundObjects, uids: readonly Uid[]): Work<NodeRows> {
    const bound = levelOf(objects);
    const { types, where, level } = bound;
    if (where.kind === "all" || uids.length === 0 || types.length === 0) return yield* this.loadPassing(objects, uids);
    const sorted = [...uids].sort((a, b) => a - b);
    const passing = this.snapshot.find({ types, where: and({ kind: "uids", uids: sorted }, where), fields: level.columns });
    return yield* this.below(bound, yield* wait(passing));
  }

  *loadPassing(objects: BoundObjects, uids: readonly Uid[]): Work<NodeRows> {
    const bound = levelOf(objects);
    const { types, level } = bound;
    if (uids.length === 0 || types.length === 0) return yield* this.below(bound, emptyBatch(level.columns.length));
    return yield* loadRows(bound, uids, this.context);
  }

  *values(target: BoundTarget, stored: FieldName): Work<readonly Column[]> {
    const { from, end = "" } = this.parents;
    const { types, where } = target;
    if (types.length === 0 || where.kind === "none") return (from ?? [0]).map(() => []);
    const asked = { types, where, fields: [stored] };
    const links = from && (yield* wait(this.snapshot.follow({ from, end, ...asked })));
    const nodes = links?.nodes ?? (yield* wait(this.snapshot.find(asked)));
    const [values = []] = (yield* this.shown(nodes, target, [stored])).columns;
    return links ? links.starts.slice(1).map((stop, source) => links.rows.slice(links.starts[source], stop).map((row) => values[row])) : [values];
  }

  *shown(batch: Batch, target: unknown, columns: readonly FieldName[]): Work<Batch> {
    const masked = yield* this.#masked(batch, target, columns);
    const shown = shownColumns(columns, this.context.deployment.api.shown);
    return shown ? (yield* showRows(masked, shown, this.context)).batch : masked;
  }

  *#masked(batch: Batch, target: unknown, columns: readonly FieldName[]): Work<Batch> {
    if (!(target instanceof Target) || !target.masks) return batch;
    const { masks, types } = target;
    return (yield* wait(maskRows(batch, { masks, types, columns, others: [], snapshot: this.snapshot }))).batch;
  }

  lists(objects: readonly BoundObjects[]): NodeLists {
    const levels = objects.map(levelOf);
    const [first] = levels;
    if (!first) throw new QuernError("INTERNAL", "A step asks for lists of no objects.");
    return nodeLists({ levels: [first, ...levels.slice(1)], parents: this.parents, ordering: ordering(first, this.context) });
  }

  kindOf(stored: string): ValueKind | undefined {
    const index = layoutIndexOf(this.context.deployment.layout);
    return index.edges.end(stored) ? undefined : index.kindOf(stored);
  }
}

const root: Pick<StepsReader, "around" | "parents"> = { around: undefined, parents: { from: undefined, end: undefined } };

function placeOf({ placed, bound, shown }: Place): Pick<StepsReader, "around" | "parents"> {
  const { batch } = shown;
  const hidden = placed.link && shown.hidden?.get(placed.link.stored);
  const { from, sourceOf } = sourcesOf(placed, batch, hidden);
  return {
    parents: { from, end: placed.link?.stored },
    around: { bound, batch, sourceOf, hidden, selects: (row) => selects(placed, batch, row) },
  };
}

function levelOf(objects: BoundObjects): BoundLevel {
  if (objects instanceof BoundLevel) return objects;
  throw new QuernError("INTERNAL", "A step reads objects that the kernel has not bound.");
}
