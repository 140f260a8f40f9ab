// Counts, sums and the like: of the nodes of a type, or of the partners of each object of a level.

import type { LinkField, NodeType, UnionType } from "../../contracts/model.ts";
import type { BoundStep, ListStep, PlanCosts, PlannedArguments, PlanPrinter, PrintedStep, StepRows } from "../../contracts/plugin/level-step.ts";
import { all, and, none, type Predicate } from "../../contracts/predicate.ts";
import type { Measure } from "../../contracts/storage/requests.ts";
import type { MeasureRow } from "../../contracts/storage/results.ts";
import type { FieldName } from "../../ground/values/value.ts";
import { type Work, wait } from "../../ground/work.ts";
import { concreteTypes } from "../level/concrete-types.ts";
import type { LevelBinder, LevelKit, LevelReader, LevelWriter } from "../level/kit.ts";
import type { StepNeed, Target } from "../level/level.ts";
import { behindMask, type Masks } from "../level/masks.ts";
import type { MeasureSelection } from "../level/shapes.ts";

export class AggregateStep implements ListStep<LevelKit> {
  readonly target: NodeType | UnionType;
  /** The link whose partners are measured; undefined: all nodes of the type. */
  readonly link: LinkField | undefined;
  readonly arguments: PlannedArguments;
  readonly measures: MeasureSelection;
  readonly selections = [];

  constructor(parts: Pick<AggregateStep, "target" | "link" | "arguments" | "measures">) {
    this.target = parts.target;
    this.link = parts.link;
    this.arguments = parts.arguments;
    this.measures = parts.measures;
  }

  *bind(binder: LevelBinder): Work<BoundAggregate> {
    const { filter } = this.arguments.values(binder.variables);
    return new BoundAggregate(this, yield* binder.target({ type: this.target, filter }));
  }

  /** One for each field that is measured: some partner must have a value. */
  needs(label: string, stored: string): readonly StepNeed[] {
    return [...measuredFields(this.measures)].map((field) => ({
      name: `${label} ${stored} ${field}`,
      text: `${field} in ${label}`,
      holds: (bound, masks) => (bound instanceof BoundAggregate ? bound.present(field, masks) : none),
    }));
  }

  print(printer: PlanPrinter): PrintedStep {
    const what = `aggregate ${this.link?.stored ?? this.target.name}, ${printMeasures(this.measures)}`;
    return { what, below: printer.conditions(this.target, this.arguments) };
  }

  cost({ isRoot, page }: PlanCosts): number {
    return isRoot ? page(this.arguments) : 1;
  }
}

class BoundAggregate implements BoundStep<LevelKit> {
  readonly #step: AggregateStep;
  readonly #target: Target;

  constructor(step: AggregateStep, target: Target) {
    this.#step = step;
    this.#target = target;
  }

  /** Some partner has a value of the field. */
  present(field: FieldName, masks: Masks | undefined): Predicate {
    const { types, where, masks: ofPartners } = this.#target;
    const { link, target } = this.#step;
    if (!link || types.length === 0) return none;
    const value = behindMask({ kind: "has", field }, field, ofPartners);
    if (value === undefined) return all;
    const isWhole = types.length === concreteTypes(target).length;
    const passing = and(...(isWhole ? [] : [{ kind: "type", types } as const]), where, value);
    return behindMask({ kind: "linked", end: link.stored, where: passing, atLeast: 1 }, link.stored, masks) ?? all;
  }

  *read(reader: LevelReader): Work<StepRows<LevelKit>> {
    const { around } = reader;
    const { types, where, masks, isDenied } = this.#target;
    const { measures } = this.#step.measures;
    if (!around) return yield* this.#readRoot(reader);
    if (isDenied || around.hidden?.isUnreadable) return this.#rows([], []);
    // Of an object that hides its links there is nothing to count.
    const nothing: MeasureRow = around.hidden ? measures.map(({ kind }) => (kind === "count" ? 0 : undefined)) : [];
    const { from = [], end = "" } = reader.parents;
    if (from.length === 0) return this.#rows([], nothing);
    const over = { from, end, types, ...(where.kind === "all" ? {} : { where }) };
    return this.#rows(yield* wait(reader.measure({ over, measures }, masks)), nothing);
  }

  *#readRoot(reader: LevelReader): Work<StepRows<LevelKit>> {
    const { types, where, masks, isDenied } = this.#target;
    if (isDenied) return { write: () => "null" };
    // Storage may answer a count from a counter, without reading a node; the budget counts it as one read.
    reader.budget.spend(1);
    reader.show(1);
    return this.#rows(yield* wait(reader.measure({ over: { types, where }, measures: this.#step.measures.measures }, masks)), []);
  }

  #rows(measured: readonly MeasureRow[], nothing: MeasureRow): StepRows<LevelKit> {
    const { measures } = this.#step;
    return { write: (source: number, writer: LevelWriter) => writer.measures(measured[source] ?? nothing, measures) };
  }
}

function measuredFields({ measures }: MeasureSelection): ReadonlySet<FieldName> {
  return new Set(measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field])));
}

function printMeasures({ measures }: MeasureSelection): string {
  return measures.map((measure: Measure) => (measure.kind === "count" ? "count" : `${measure.kind} ${measure.field}`)).join(", ") || "nothing";
}
