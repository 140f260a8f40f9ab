// A block without a function: aggregates over all values of variables, and math over aggregates.

import type { AnswerValue, Work } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { Block, Field } from "../language/syntax.ts";
import { type DqlKind, type DqlValue, shownValue } from "../schema/values.ts";
import type { Variable } from "../state/variables.ts";
import { aggregate, aggregateKind } from "./aggregate.ts";
import type { DeriveContext } from "./derive.ts";
import { evaluate, type Operand } from "./math.ts";

export interface EmptyBlockResult {
  /** One object for each field. */
  readonly objects: readonly Readonly<Record<string, AnswerValue>>[];
  readonly variables: ReadonlyMap<string, Variable>;
}

export function* runEmptyBlock({ fields }: Block, context: DeriveContext): Work<EmptyBlockResult> {
  const own = new Map<string, Variable>();
  const objects: EmptyBlockResult["objects"][number][] = [];
  for (const field of fields) {
    const { value, of } = yield* computedOf(field, own, context);
    if (field.variable !== undefined) own.set(field.variable, { kind: "single", of, value });
    objects.push({ [keyOf(field)]: value === undefined ? null : shownValue(value) });
    yield;
  }
  return { objects, variables: own };
}

function keyOf(field: Field): string {
  if (field.alias !== undefined) return field.alias;
  if (field.kind === "aggregate" && "variable" in field.of) return `${field.name}(val(${field.of.variable}))`;
  return `val(${field.variable})`;
}

interface Computed {
  readonly of: DqlKind;
  readonly value: DqlValue | undefined;
}

function* computedOf(field: Field, own: ReadonlyMap<string, Variable>, context: DeriveContext): Work<Computed> {
  const variableOf = (name: string) => own.get(name) ?? context.variables.get(name);
  if (field.kind === "aggregate" && "variable" in field.of) {
    const variable = variableOf(field.of.variable);
    if (variable?.kind === "single") return variable;
    if (variable?.kind !== "values") return { of: "number", value: undefined };
    return { of: aggregateKind(field.name, variable.of), value: aggregate(field.name, [...variable.values.values()], variable.of) };
  }
  if (field.kind !== "math") return { of: "number", value: undefined };
  const operandOf = (name: string): Operand => {
    const variable = variableOf(name);
    if (variable?.kind === "single") return { kind: "constant", value: variable.value, of: variable.of };
    throw refusal("Only aggregated variables allowed within empty block.");
  };
  const result = yield* evaluate(field.expression, { inputs: context.inputs, now: context.now, operandOf });
  return { of: result.of, value: result.kind === "constant" ? result.value : undefined };
}
