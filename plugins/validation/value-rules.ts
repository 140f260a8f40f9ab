// Reads the directives as rules about values, and reports those that no value could be judged by.

import { print } from "graphql";
import type { BrokenRule, DirectiveUse, ErrorCode, ModelContext, Stored, Value, ValueField } from "../../core/plugin.ts";
import { formatProblem } from "./format.ts";
import { lengthProblem } from "./length.ts";
import { compiledPattern, patternProblem } from "./pattern.ts";
import { rangeProblem } from "./range.ts";

/** What is wrong with a value; undefined: nothing. It names numbers and lengths, and never repeats a text. */
export type Problem = (value: Stored) => string | undefined;

/** One directive on a field of one object type. */
export interface Rule {
  readonly field: ValueField;
  /** As in the schema: `@range(min: 0, max: 100)`. */
  readonly written: string;
  readonly problem: Problem;
  /** The code of an error of this rule. */
  readonly code: ErrorCode;
  /** The directive and its bounds, for programs. */
  readonly broken: BrokenRule;
}

/** A directive of the family: on which fields it may be, and what it makes of its arguments. */
interface Kind {
  readonly fits: (field: ValueField) => boolean;
  readonly fittingFields: string;
  readonly code: ErrorCode;
  /** The problem of values, or a text: what is wrong with the directive itself. */
  readonly read: (args: Readonly<Record<string, unknown>>) => Problem | string;
}

const isText = ({ kind, enum: values }: ValueField) => kind === "string" && values === undefined;

const kinds: Readonly<Record<string, Kind>> = {
  range: {
    fits: ({ kind }) => ["int", "int64", "float"].includes(kind),
    fittingFields: "Int, Int64 and Float fields, and lists of them",
    code: "OUT_OF_RANGE",
    read: (args) => bounds(args) ?? ofEach((value) => rangeProblem(value, limits(args))),
  },
  length: {
    fits: (field) => (field.type.list && field.kind !== "vector") || isText(field),
    fittingFields: "String fields and lists",
    code: "OUT_OF_RANGE",
    read: (args) => bounds(args) ?? negative(args) ?? ((value) => lengthProblem(value, limits(args))),
  },
  pattern: {
    fits: isText,
    fittingFields: "String fields, and lists of them",
    code: "BAD_FORMAT",
    read: ({ regexp }) => {
      const compiled = compiledPattern(String(regexp));
      return typeof compiled === "string" ? compiled : ofEach((value) => patternProblem(value, compiled));
    },
  },
  format: {
    fits: isText,
    fittingFields: "String fields, and lists of them",
    code: "BAD_FORMAT",
    read: ({ type }) => ofEach((value) => formatProblem(value, String(type))),
  },
};

export function readRules(context: ModelContext): readonly Rule[] {
  return Object.entries(kinds).flatMap(([name, kind]) => context.uses(name).flatMap((use) => readRule(use, kind, context) ?? []));
}

function readRule({ node, args, field, inherited }: DirectiveUse, kind: Kind, { report }: ModelContext): Rule | undefined {
  if (!field) return undefined;
  const place = `Type ${field.owner.name}; Field ${field.name}:`;
  if (field.role !== "value" || !kind.fits(field)) {
    if (!inherited)
      report(`${place} @${node.name.value} is for ${kind.fittingFields}.`, node, "Remove the directive, or change the type of the field.");
    return undefined;
  }
  const problem = kind.read(args);
  if (typeof problem === "string") {
    if (!inherited) report(`${place} @${node.name.value} ${problem}`, node);
    return undefined;
  }
  if (field.owner.kind === "interface") return undefined;
  return { field, written: shortened(print(node)), problem, code: kind.code, broken: { name: node.name.value, ...args } };
}

const maxWritten = 200;

function shortened(text: string): string {
  return text.length <= maxWritten ? text : `${text.slice(0, maxWritten)}…`;
}

/** Null is no bound. */
interface Limits {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

function limits({ min, max }: Readonly<Record<string, unknown>>): Limits {
  return { min: typeof min === "number" ? min : undefined, max: typeof max === "number" ? max : undefined };
}

function bounds(args: Readonly<Record<string, unknown>>): string | undefined {
  const { min, max } = limits(args);
  if (min === undefined && max === undefined) return "needs min or max, or both.";
  return min !== undefined && max !== undefined && min > max ? `has a min of ${min} above its max of ${max}.` : undefined;
}

function negative(args: Readonly<Record<string, unknown>>): string | undefined {
  const { min = 0, max = 0 } = limits(args);
  return min < 0 || max < 0 ? "has a negative bound; a length is 0 or more." : undefined;
}

/** Judges each element of a list, and names the first that is wrong. */
function ofEach(problem: (value: Value) => string | undefined): Problem {
  return (value) => {
    if (!isList(value)) return problem(value);
    for (const [i, element] of value.entries()) {
      const found = problem(element);
      if (found !== undefined) return `${found} at element ${i}`;
    }
    return undefined;
  };
}

function isList(value: Stored): value is readonly Value[] {
  return Array.isArray(value);
}
