// Builds the filter of a field from its index kinds: the input of one kind, or a merged input with the operators of several.

import { and, type FieldFilter, type Predicate, runAtOnce, type ValueField, type Work } from "../../core/plugin.ts";
import { type FieldSearch, isSingle, type Operator, type Operators } from "./ground/kind.ts";
import { members } from "./ground/operand.ts";

export interface BuiltFilter {
  readonly filter: FieldFilter;
  /** SDL of the inputs that it needs in addition to the built-in ones, by name. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** @param searches at least one, in the order of their words */
export function buildFilter(field: ValueField, searches: readonly FieldSearch[]): BuiltFilter {
  const definitions = new Map(
    searches.flatMap((search) => (search.builtIn || isSingle(search.operators) ? [] : [definitionOf(search.input, search.operators)])),
  );
  const [only] = searches;
  if (only && searches.length === 1 && isSingle(only.operators)) return { filter: { field, input: only.input, ...only.operators }, definitions };
  const input = searches.map((search) => search.input).join("_");
  const operators: Operators = Object.fromEntries(searches.flatMap((search) => (isSingle(search.operators) ? [] : Object.entries(search.operators))));
  if (searches.length > 1) definitions.set(...definitionOf(input, operators));
  const steps = (operand: unknown) => conjunction(operators, operand);
  return { filter: { field, input, predicate: (operand) => runAtOnce(steps(operand)), steps }, definitions };
}

/** The conjunction of the given operators. A null operand is no condition. */
function* conjunction(operators: Operators, operand: unknown): Work<Predicate | undefined> {
  if (operand === null || operand === undefined) return undefined;
  const conditions: Predicate[] = [];
  for (const [name, value] of Object.entries(members(operand))) {
    const operator: Operator | undefined = operators[name];
    if (operator === undefined || value === undefined) continue;
    const predicate = operator.steps ? yield* operator.steps(value) : operator.predicate(value);
    if (predicate !== undefined) conditions.push(predicate);
  }
  return conditions.length === 0 ? undefined : and(...conditions);
}

function definitionOf(name: string, operators: Operators): [name: string, sdl: string] {
  const fields = Object.entries(operators).map(([operator, { takes }]) => `  ${operator}: ${takes}`);
  return [name, `input ${name} {\n${fields.join("\n")}\n}`];
}
