// What one node shows of itself.

import { type AnswerValue, formatUid, type Stored, type TypeName, type Uid, type ValueKind } from "../../../core/plugin.ts";
import { type EdgePart, type Level, type Part, targetsOf } from "../run/level.ts";
import type { Catalog } from "../schema/catalog.ts";
import { type DqlValue, fromStored, listOf, shownValue } from "../schema/values.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import type { Variables } from "../state/variables.ts";

/** An object of the answer. Whole numbers may be bigints. */
export interface AnswerObject {
  readonly [key: string]: AnswerValue;
}

export interface AnswerContext {
  readonly catalog: Catalog;
  readonly variables: Variables;
  readonly work: DocumentBudget;
  /** The GraphQL name of a type, for answers that are completed against a GraphQL selection: it becomes `__typename`. */
  readonly typenameOf: ((type: TypeName) => string | undefined) | undefined;
  /** Leaves a node out below itself. */
  readonly ignoreReflex: boolean;
  /** What nodes show that several lists contain: made once, and counted for each list. */
  readonly shown: Map<Level, Map<number, ShownNode>>;
}

export interface ShownNode {
  /** Undefined: the node has nothing to show. */
  readonly object: AnswerObject | undefined;
  /** The links that it shows, itself included. */
  readonly links: number;
}

export interface Where {
  readonly context: AnswerContext;
  /** The nodes above, when they may not occur again. */
  readonly above: readonly Uid[];
}

export function below({ context, above }: Where, level: Level, row: number): Where {
  return context.ignoreReflex ? { context, above: [...above, level.uids[row] ?? 0] } : { context, above };
}

/** The rows that an edge leads to and the answer may show. */
export function shownTargets(part: EdgePart, row: number, { above }: Where): readonly number[] {
  const targets = targetsOf(part, row);
  return above.length === 0 ? targets : targets.filter((target) => !above.includes(part.level.uids[target] ?? 0));
}

function shownStored(stored: Stored | undefined, kind: ValueKind): AnswerValue | undefined {
  if (stored === undefined) return undefined;
  return Array.isArray(stored) ? stored.map((value) => shownValue(fromStored(value, kind))) : shownValue(fromStored(listOf(stored)[0] ?? "", kind));
}

export interface OwnPlace {
  readonly row: number;
  readonly context: AnswerContext;
}

/** What a node shows of itself; undefined: nothing. */
export function ownValue(part: Exclude<Part, EdgePart>, level: Level, { row, context }: OwnPlace): AnswerValue | undefined {
  switch (part.kind) {
    case "uid":
      return formatUid(level.uids[row] ?? 0);
    case "countUid":
      return undefined;
    case "value":
      return shownStored(part.column[row], part.field?.kind ?? "string");
    case "types": {
      const type = level.types[row];
      const names = type === undefined ? [] : context.catalog.typeNamesOf(type);
      return names.length === 0 ? undefined : names;
    }
    case "computed":
      return shownOrNothing(part.values[row]);
    case "val": {
      const variable = context.variables.get(part.of);
      return variable?.kind === "values" ? shownOrNothing(variable.values.get(level.uids[row] ?? 0)) : undefined;
    }
  }
}

function shownOrNothing(value: DqlValue | undefined): AnswerValue | undefined {
  return value === undefined ? undefined : shownValue(value);
}
