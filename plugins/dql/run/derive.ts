// Variables of a block that has been read, and the fields that are computed from variables: aggregates and math.

import { run, type Uid, type Work } from "../../../core/plugin.ts";
import type { Inputs } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import { variablesOf } from "../language/variable-uses.ts";
import { isNumeric } from "../plan/value-variable.ts";
import { type DqlKind, type DqlValue, fromStored, kindOfField, listOf } from "../schema/values.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import { sortedSet, type Variable, type Variables } from "../state/variables.ts";
import { aggregate, aggregateKind } from "./aggregate.ts";
import { groupVariables } from "./groups.ts";
import { type ComputedPart, type EdgePart, type Level, type Part, targetsOf } from "./level.ts";
import { evaluate, type Operand } from "./math.ts";

export interface DeriveContext {
  readonly inputs: Inputs;
  /** Those of blocks that have run before. */
  readonly variables: Variables;
  readonly work: DocumentBudget;
  readonly now: number;
}

/** Rows that are looked at in one step. */
const stepRows = 256;

/** A value variable of the block: where it is defined, and its values there. */
interface Definition {
  readonly level: Level;
  readonly path: readonly EdgePart[];
  readonly of: DqlKind;
  readonly values: readonly (DqlValue | undefined)[];
}

interface Task {
  /** Tasks that give a variable of `needs` and have not run. */
  missing: number;
  readonly part: ComputedPart;
  readonly level: Level;
  /** From the block's nodes to the level. */
  readonly path: readonly EdgePart[];
  readonly needs: readonly string[];
}

/** The variables that the block defines below its root; computed parts get their values. */
export async function derive(root: Level, context: DeriveContext): Promise<Map<string, Variable>> {
  const derivation = new Derivation(context);
  const { work } = context;
  await run(derivation.collect(root, []), work);
  await run(derivation.compute(), work);
  return run(derivation.variables(), work);
}

class Derivation {
  readonly #context: DeriveContext;
  readonly #definitions = new Map<string, Definition[]>();
  readonly #sets = new Map<string, Uid[]>();
  /** Of each `@groupby` at an edge, over all nodes that the edge leads to. */
  readonly #grouped = new Map<string, Variable>();
  readonly #tasks: Task[] = [];

  constructor(context: DeriveContext) {
    this.#context = context;
  }

  /** Levels below first: an aggregate needs the values of its children. */
  *collect(level: Level, path: readonly EdgePart[]): Work<void> {
    for (const name of level.uidVariables) this.#addSet(name, level.uids);
    for (const part of level.parts) if (part.kind === "edge") yield* this.collect(part.level, [...path, part]);
    for (const part of level.parts) {
      yield* this.#collectPart(part, level, path);
      yield;
    }
  }

  *#collectPart(part: Part, level: Level, path: readonly EdgePart[]): Work<void> {
    if (part.kind === "computed" && (part.field.kind === "aggregate" || part.field.kind === "math")) {
      const { field } = part;
      const needs = field.kind === "math" ? variablesOf(field.expression) : "variable" in field.of ? [field.of.variable] : [];
      this.#tasks.push({ part, level, path, needs, missing: 0 });
      return;
    }
    if (part.kind === "edge" && part.groups) {
      for (const [name, variable] of yield* groupVariables(part.groups, [...new Set(part.rows)], this.#context.work))
        this.#grouped.set(name, variable);
    }
    if (part.variable === undefined) return;
    if (part.kind === "edge") {
      this.#addSet(
        part.variable,
        part.rows.map((row) => part.level.uids[row] ?? 0),
      );
    } else if (part.kind === "value") {
      const kind = part.field?.kind ?? "string";
      const values = level.uids.map((_, row) => {
        const stored = part.column[row];
        const [value] = stored === undefined ? [] : listOf(stored);
        return value === undefined ? undefined : fromStored(value, kind);
      });
      this.#define(part.variable, { level, path, of: kindOfField(kind), values });
    } else if (part.kind === "computed") this.#define(part.variable, { level, path, of: part.of, values: part.values });
  }

  #addSet(name: string, uids: readonly Uid[]): void {
    const known = this.#sets.get(name) ?? [];
    for (const uid of uids) known.push(uid);
    this.#sets.set(name, known);
  }

  /** In a `@recurse` each level defines the variable again. */
  #define(name: string, definition: Definition): void {
    this.#context.work.hold(definition.values.length);
    const known = this.#definitions.get(name) ?? [];
    known.push(definition);
    this.#definitions.set(name, known);
  }

  /** Runs tasks as soon as what they need is there. */
  *compute(): Work<void> {
    const consumers = this.#countMissing();
    const ready = this.#tasks.filter(({ missing }) => missing === 0);
    for (const task of ready) {
      yield* this.#run(task);
      yield;
      for (const consumer of consumers.get(task.part.variable ?? "") ?? []) if (--consumer.missing === 0) ready.push(consumer);
    }
    // Fields that need one another: what is missing stays missing.
    for (const task of this.#tasks) if (task.missing > 0) yield* this.#run(task);
  }

  /** The tasks that need a variable, by its name. */
  #countMissing(): ReadonlyMap<string, readonly Task[]> {
    const consumers = new Map<string, Task[]>();
    for (const task of this.#tasks) {
      for (const name of task.needs) {
        const known = consumers.get(name) ?? [];
        known.push(task);
        consumers.set(name, known);
      }
    }
    for (const { part } of this.#tasks) for (const consumer of consumers.get(part.variable ?? "") ?? []) consumer.missing++;
    return consumers;
  }

  *#run({ part, level, path }: Task): Work<void> {
    const { field } = part;
    this.#context.work.hold(level.uids.length);
    if (field.kind === "math") {
      const { inputs, now } = this.#context;
      const operandOf = (name: string) => this.#operand(name, { level, path });
      const result = yield* evaluate(field.expression, { inputs, now, operandOf });
      part.values = result.kind === "rows" ? result.values : level.uids.map(() => result.value);
      part.of = result.of;
    } else if (field.kind === "aggregate" && "variable" in field.of) {
      const { name, of } = field;
      const definition = this.#definitions.get(of.variable)?.find((each) => each.path.length === path.length + 1 && isPrefix(path, each.path));
      const edge = definition?.path.at(-1);
      if (!definition || !edge || !level.parts.includes(edge)) throw refusal("Invalid variable aggregation. Check the levels.");
      part.of = aggregateKind(name, definition.of);
      const values: ComputedPart["values"][number][] = [];
      for (let row = 0; row < level.uids.length; row++) {
        values.push(aggregate(name, valuesAt(definition, targetsOf(edge, row)), definition.of));
        if (row % stepRows === stepRows - 1) yield;
      }
      part.values = values;
    }
    if (part.variable !== undefined) this.#define(part.variable, { level, path, of: part.of, values: part.values });
  }

  #operand(name: string, { level, path }: Pick<Task, "level" | "path">): Operand {
    const definitions = this.#definitions.get(name);
    const own = definitions?.find((each) => each.level === level);
    if (own) return { kind: "rows", values: own.values, of: own.of };
    const above = definitions?.find((each) => each.path.length < path.length && isPrefix(each.path, path));
    if (above) return carried(above, path);
    const known = definitions ? valueVariable(definitions) : this.#context.variables.get(name);
    if (known?.kind === "single") return { kind: "constant", value: known.value, of: known.of };
    if (known?.kind === "values") return { kind: "rows", values: level.uids.map((uid) => known.values.get(uid)), of: known.of };
    return { kind: "rows", values: level.uids.map(() => undefined), of: "number" };
  }

  *variables(): Work<Map<string, Variable>> {
    const found = new Map<string, Variable>(this.#grouped);
    for (const [name, uids] of this.#sets) {
      found.set(name, { kind: "uids", uids: sortedSet(uids) });
      yield;
    }
    for (const [name, definitions] of this.#definitions) {
      found.set(name, valueVariable(definitions));
      yield;
    }
    return found;
  }
}

function valueVariable(definitions: readonly Definition[]): Variable {
  const values = new Map<Uid, DqlValue>();
  for (const { level, values: defined } of definitions) {
    for (const [row, value] of defined.entries()) if (value !== undefined) values.set(level.uids[row] ?? 0, value);
  }
  return { kind: "values", of: definitions[0]?.of ?? "number", values };
}

function isPrefix(shorter: readonly EdgePart[], longer: readonly EdgePart[]): boolean {
  return shorter.every((edge, i) => longer[i] === edge);
}

function valuesAt({ values }: Definition, rows: readonly number[]): readonly DqlValue[] {
  return rows.flatMap((row) => {
    const value = values[row];
    return value === undefined ? [] : [value];
  });
}

/** Carries numbers down a path: at each edge a node gets the sum over the nodes that lead to it. */
function carried(from: Definition, path: readonly EdgePart[]): Operand {
  let values = from.values;
  for (const edge of path.slice(from.path.length)) {
    const sums: (number | bigint | undefined)[] = edge.level.uids.map(() => undefined);
    for (const [row, value] of values.entries()) {
      if (!isNumeric(value)) continue;
      for (const target of targetsOf(edge, row)) sums[target] = add(sums[target], value);
    }
    values = sums;
  }
  return { kind: "rows", values, of: from.of };
}

function add(sum: number | bigint | undefined, value: number | bigint): number | bigint {
  if (sum === undefined) return value;
  return typeof sum === "bigint" && typeof value === "bigint" ? sum + value : Number(sum) + Number(value);
}
