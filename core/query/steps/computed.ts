// A field that a plugin computes: one call for all objects of a level.

import { getNamedType, getNullableType, isLeafType, isListType, isNonNullType } from "graphql";
import type { ComputeContext, ComputedField, Parent } from "../../contracts/plugin/computed-field.ts";
import type { BoundStep, ListStep, PlannedArguments, PrintedStep, StepRows } from "../../contracts/plugin/level-step.ts";
import type { AnswerError } from "../../contracts/plugin/root-answer.ts";
import { QuernError } from "../../ground/errors.ts";
import { addToGroup } from "../../ground/groups.ts";
import type { AnswerValue, TypeName } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import { endless } from "../level/endless.ts";
import { givenVariables } from "../level/given-variables.ts";
import type { Around, LevelBinder, LevelKit, LevelReader, LevelWriter } from "../level/kit.ts";
import { nestedQuery } from "../level/nested-request.ts";
import type { JsonSelection, SelectedField } from "../level/shapes.ts";
import type { FailedField, ReadContext } from "../operation-context.ts";
import { completeAtOnce, completeValue, isLong, plainText } from "../write/complete-json.ts";
import { locationOf } from "../write/location-of.ts";
import { pluginError } from "../write/plugin-error.ts";

export class ComputedStep implements ListStep<LevelKit> {
  readonly computed: ComputedField;
  /** Columns that hold `needs`. */
  readonly needs: readonly number[];
  readonly arguments: PlannedArguments;
  readonly selections = [];
  readonly selected: SelectedField;
  /** How the values are completed, by concrete type of the objects. */
  readonly json = new Map<TypeName, JsonSelection>();

  constructor(parts: Pick<ComputedStep, "computed" | "needs" | "arguments" | "selected">) {
    this.computed = parts.computed;
    this.needs = parts.needs;
    this.arguments = parts.arguments;
    this.selected = parts.selected;
  }

  *bind({ variables }: LevelBinder): Work<BoundStep<LevelKit>> {
    return { read: (reader) => readComputed(this, this.arguments.values(variables), reader) };
  }

  print(): PrintedStep {
    return { what: "computed by a plugin", below: [] };
  }

  cost(): number {
    return 0;
  }
}

/** A slow field waits until everything else is read. */
function* readComputed(step: ComputedStep, given: Readonly<Record<string, unknown>>, reader: LevelReader): Work<ComputedRows> {
  const { around, context } = reader;
  if (!around) throw new QuernError("INTERNAL", "A computed field was read without its objects.");
  const rows = new ComputedRows(step, around.batch.types);
  const known = around.bound.given?.get(step.computed.field.name);
  const compute = () => fill(rows, { step, given, around, context });
  // Values that came with the nodes replace computed ones.
  if (known) rows.values = around.batch.uids.map((uid) => known.get(uid) ?? null);
  else if (step.computed.slow) context.aside.defer(() => run(compute(), context.budget));
  else yield* compute();
  return rows;
}

interface Computing {
  readonly step: ComputedStep;
  readonly given: Readonly<Record<string, unknown>>;
  readonly around: Around;
  readonly context: ReadContext;
}

function* fill(column: ComputedRows, computing: Computing): Work<void> {
  const { step, given, around, context } = computing;
  const { rows, parents } = parentsOf(step, around);
  if (parents.length === 0) return;
  const answer = yield* wait<Awaited<ReturnType<ComputedField["compute"]>>>(
    step.computed.compute(parents, given, context.request, new PlaceContext(step, context)),
  );
  const values = "errors" in answer ? answer.values : answer;
  column.values = around.sourceOf ? around.sourceOf.map((source) => values[source]) : values;
  if ("errors" in answer && answer.errors.length > 0) column.errors = errorsByRow(answer.errors, { step, rows }, context);
  yield* writeLong(column, context);
}

function parentsOf(
  { needs }: ComputedStep,
  { bound, batch, selects }: Around,
): { readonly rows: readonly number[]; readonly parents: readonly Parent[] } {
  const needed = needs.map((column) => ({ name: bound.level.columns[column] ?? "", stored: batch.columns[column] ?? [] }));
  const rows: number[] = [];
  const parents: Parent[] = [];
  for (let row = 0; row < batch.uids.length; row++) {
    if (!selects(row)) continue;
    const represented = bound.represented?.[row];
    rows.push(row);
    const values = represented
      ? needed.map(({ name, stored }) => (represented.has(name) ? represented.get(name) : stored[row]))
      : needed.map(({ stored }) => stored[row]);
    parents.push({ uid: batch.uids[row] ?? 0, type: batch.types[row] ?? "", values });
  }
  return { rows, parents };
}

/** Long values are written now, in turns: the objects around them are written in one go. */
function* writeLong(column: ComputedRows, context: ReadContext): Work<void> {
  if (!column.values.some((value) => typeof value === "object" && value !== null)) return;
  const { type } = column.step.selected;
  if (isLeafType(getNamedType(type)) && !isListType(getNullableType(type))) return;
  const long = column.values.flatMap((value, row) => (isLong(value) ? [row] : []));
  for (const row of long) {
    const selection = column.selectionOf(row);
    if (!selection) continue;
    const errors: FailedField[] = [];
    const text = yield* wait(completeValue({ selection, errors, budget: context.budget }, column.values[row], []));
    column.written.set(row, { text, errors });
  }
}

class ComputedRows implements StepRows<LevelKit> {
  readonly step: ComputedStep;
  readonly #types: readonly TypeName[];
  /** By row; undefined for rows whose type does not select it. */
  values: readonly (AnswerValue | undefined)[] = [];
  /** What the plugin reports about the rows' values; undefined: nothing. */
  errors: ReadonlyMap<number, readonly AnswerError[]> | undefined;
  /** The texts of long values, which were written in turns; undefined as a text: an error in a non-null position. Paths of errors begin at the value. */
  readonly written = new Map<number, { readonly text: string | undefined; readonly errors: readonly FailedField[] }>();

  constructor(step: ComputedStep, types: readonly TypeName[]) {
    this.step = step;
    this.#types = types;
  }

  selectionOf(row: number): JsonSelection | undefined {
    return this.step.json.get(this.#types[row] ?? "");
  }

  write(_source: number, writer: LevelWriter, row: number): string | undefined {
    const json = this.selectionOf(row);
    if (!json) throw new QuernError("INTERNAL", "A computed field is shown by a type that does not select it.");
    const reported = this.errors?.get(row);
    const value = this.values[row];
    return (reported ? undefined : plainText(json, value)) ?? this.#judged(json, { value, row, reported }, writer);
  }

  #judged(json: JsonSelection, { value, row, reported }: Judged, writer: LevelWriter): string | undefined {
    const path = writer.path();
    const { errors } = writer;
    for (const error of reported ?? []) errors.push(pluginError(error, locationOf(json.node), path));
    // A plugin that says why there is no value has said it for a non-null field too.
    if (reported && (value === null || value === undefined) && isNonNullType(json.type)) return undefined;
    const before = errors.length;
    const ahead = this.written.get(row);
    const text = ahead ? ahead.text : completeAtOnce({ selection: json, errors }, value, path);
    for (const error of ahead?.errors ?? []) errors.push({ ...error, path: [...path, ...(error.path ?? [])] });
    const misfit = errors[before];
    if (misfit) writer.misfit(this.step.computed, misfit);
    return text;
  }
}

interface Judged {
  readonly value: AnswerValue | undefined;
  readonly row: number;
  readonly reported: readonly AnswerError[] | undefined;
}

interface ComputedPlace {
  readonly step: ComputedStep;
  /** The rows of the parents. */
  readonly rows: readonly number[];
}

/** Errors about no single parent are errors of the root field. */
function errorsByRow(
  errors: readonly AnswerError[],
  { step, rows }: ComputedPlace,
  { aside, rootKey }: ReadContext,
): ReadonlyMap<number, readonly AnswerError[]> {
  const byRow = new Map<number, AnswerError[]>();
  for (const error of errors) {
    const row = error.parent === undefined ? undefined : rows[error.parent];
    if (row === undefined) aside.report(pluginError(error, locationOf(step.selected.nodes[0]), [rootKey]));
    else addToGroup(byRow, row, error);
  }
  return byRow;
}

/** Asking for the signal makes one. */
class PlaceContext implements ComputeContext {
  readonly snapshot: ComputeContext["snapshot"];
  readonly selection: ComputeContext["selection"];
  readonly execute: ComputeContext["execute"];
  readonly #read: ReadContext;

  constructor({ selected: { key, nodes, fragments, parentType, type, schema } }: ComputedStep, read: ReadContext) {
    this.snapshot = read.snapshot;
    this.selection = { key, nodes, fragments, parentType, type, schema, variables: givenVariables(read.variables) };
    this.execute = (request) => nestedQuery(request, read.operation);
    this.#read = read;
  }

  get signal(): AbortSignal {
    return this.#read.budget.signal ?? endless;
  }
}
