// `count` of a link: an `IntFilter` on the number of partners, as conditions that so many are there.

import { type LinkCondition, QuernError } from "../../../core/plugin.ts";

/** From `least` to `most` partners; without `most` any number above. */
interface Range {
  readonly least: number;
  readonly most: number | undefined;
}

/** Ranges of one `in`: each costs a count of all links. */
const maxRanges = 100;

/**
 * One condition for each operator that is given.
 *
 * @throws VALUE_INVALID when `in` lists numbers of more than 100 ranges
 */
export function countCondition(operators: Readonly<Record<string, unknown>>): readonly LinkCondition[] {
  return Object.entries(operators).flatMap(([name, operand]): readonly LinkCondition[] => {
    if (operand === undefined || (operand === null && name !== "eq")) return [];
    return [anyOf(rangesOf(name, operand))];
  });
}

function rangesOf(name: string, operand: unknown): readonly Range[] {
  switch (name) {
    case "eq":
      // Every object has a number of links: none has no number.
      return operand === null ? [] : between(Number(operand), Number(operand));
    case "in":
      return rangesOfList(Array.isArray(operand) ? operand : [operand]);
    case "lt":
      return between(0, Number(operand) - 1);
    case "le":
      return between(0, Number(operand));
    case "gt":
      return [{ least: Number(operand) + 1, most: undefined }];
    case "ge":
      return [{ least: Number(operand), most: undefined }];
    default: {
      const { min, max } = boundsOf(operand);
      return between(min, max);
    }
  }
}

function between(least: number, most: number): readonly Range[] {
  return most < Math.max(least, 0) ? [] : [{ least, most }];
}

function boundsOf(operand: unknown): { readonly min: number; readonly max: number } {
  const { min, max }: { readonly min?: unknown; readonly max?: unknown } = typeof operand === "object" && operand !== null ? operand : {};
  return { min: Number(min), max: Number(max) };
}

/** Numbers that follow each other are one range. */
function rangesOfList(operands: readonly unknown[]): readonly Range[] {
  const counts = [...new Set(operands.flatMap((each) => (typeof each === "number" && each >= 0 ? [each] : [])))].sort((a, b) => a - b);
  const ranges: { least: number; most: number }[] = [];
  for (const count of counts) {
    const last = ranges.at(-1);
    if (last && last.most === count - 1) last.most = count;
    else ranges.push({ least: count, most: count });
  }
  if (ranges.length <= maxRanges) return ranges;
  throw new QuernError(
    "VALUE_INVALID",
    `"in" of a count lists numbers in ${ranges.length} ranges, and may in at most ${maxRanges}; use "between", "le" and "ge"`,
  );
}

function anyOf(ranges: readonly Range[]): LinkCondition {
  return { kind: "or", of: ranges.map(rangeCondition) };
}

function rangeCondition({ least, most }: Range): LinkCondition {
  const of = [...(least > 0 ? [atLeast(least)] : []), ...(most === undefined ? [] : [{ kind: "not" as const, of: atLeast(most + 1) }])];
  return { kind: "and", of };
}

function atLeast(count: number): LinkCondition {
  return { kind: "partners", filter: {}, satisfying: true, atLeast: count };
}
