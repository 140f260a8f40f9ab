// What the kernel binds, reads and writes the steps of its levels with. Plugins see the part that the contract of steps names.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { ComputedField } from "../../contracts/plugin/computed-field.ts";
import type { StepBinder, StepKit, StepReader, StepWriter } from "../../contracts/plugin/level-step.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import type { AggregateRequest } from "../../contracts/storage/requests.ts";
import type { Batch, Links, MeasureRow } from "../../contracts/storage/results.ts";
import type { ErrorText } from "../../ground/errors.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import type { FailedField, OperationBudget, ReadContext } from "../operation-context.ts";
import type { BoundLevel, Level, Target } from "./level.ts";
import type { HiddenField, Masks } from "./masks.ts";
import type { Rows, Texts } from "./rows.ts";
import type { MeasureSelection, StepMember } from "./shapes.ts";

export interface LevelKit extends StepKit {
  readonly binder: LevelBinder;
  readonly reader: LevelReader;
  readonly writer: LevelWriter;
}

export interface LevelBinder extends StepBinder {
  level(level: Level): Work<BoundLevel>;
  target(request: { readonly type: NodeType | UnionType; readonly filter: unknown; readonly purpose?: Purpose }): Work<Target>;
}

/** Reads one step of a level. */
export interface LevelReader extends StepReader {
  /** Of the level around; undefined: a root field. */
  readonly around: Around | undefined;
  readonly context: ReadContext;
  readonly budget: OperationBudget;
  /** Masks nodes that were loaded, and reads everything below them. */
  below(bound: BoundLevel, batch: Batch): Work<Rows>;
  /** The partners of the parents, in the order and page of the level. */
  follow(bound: BoundLevel, end: string): MaybePromise<Links>;
  measure(request: AggregateRequest, masks: Masks | undefined): MaybePromise<readonly MeasureRow[]>;
}

/** The level around a step. */
export interface Around {
  readonly bound: BoundLevel;
  readonly batch: Batch;
  /** Whether the type of a row selects the step. */
  selects(row: number): boolean;
  readonly sourceOf: readonly number[] | undefined;
  /** The link of the step is hidden in some rows. */
  readonly hidden: HiddenField | undefined;
}

export interface LevelWriter extends StepWriter {
  /** The member that is written. */
  readonly member: StepMember | undefined;
  readonly errors: FailedField[];
  /** Where the writer stands. */
  path(): readonly (string | number)[];
  list(slice: Slice, itemNonNull: boolean): string | undefined;
  /** An object whose text is kept if others will show it too. */
  shared(texts: Texts, rows: Rows, row: number): string | undefined;
  measures(measured: MeasureRow, selection: MeasureSelection): string;
  /** Null, with an error at the member that is written. */
  failed(text: string | ErrorText): undefined;
  /** A computed field gave what cannot be shown. */
  misfit(computed: ComputedField, error: FailedField): void;
}

/** Rows `partners[start]` up to before `partners[end]`; without `partners` the rows `start` to `end` themselves. */
export interface Slice {
  readonly partners: readonly number[] | undefined;
  readonly start: number;
  readonly end: number;
  readonly rows: Rows;
  readonly texts: Texts;
}
