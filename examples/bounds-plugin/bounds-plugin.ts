// `@bounds(min, max)`: a written number must lie between two bounds.

import {
  type DirectivePlugin,
  type DirectiveUse,
  type InputChanges,
  type InputObject,
  type ModelContext,
  QuernError,
  type ValueField,
} from "quern/plugin";

interface Bounds {
  readonly field: ValueField;
  readonly min: number;
  readonly max: number;
}

export function boundsPlugin(): DirectivePlugin {
  return {
    name: "bounds",
    definitions: "directive @bounds(min: Float, max: Float) on FIELD_DEFINITION",
    model(context) {
      const ranges = context.uses("bounds").flatMap((use) => readBounds(use, context));
      return ranges.length === 0 ? undefined : { values: (input) => checkInput(input, ranges) };
    },
  };
}

/** The bounds of one use; reports an invalid use with its location. */
function readBounds({ node, args, field, type }: DirectiveUse, { report }: ModelContext): readonly Bounds[] {
  const place = `Type ${type?.name}; Field ${field?.name}: @bounds`;
  if (field?.role !== "value" || field.type.list || !["int", "int64", "float"].includes(field.kind)) {
    report(`${place} is for Int, Int64 and Float fields.`, node, "Take the directive away, or make the field a number.");
    return [];
  }
  const [min, max] = [bound(args.min, Number.NEGATIVE_INFINITY), bound(args.max, Number.POSITIVE_INFINITY)];
  if (min > max) report(`${place} has a min of ${min} above its max of ${max}.`, node);
  return [{ field, min, max }];
}

/** An absent or null bound is no restriction. */
function bound(given: unknown, otherwise: number): number {
  return typeof given === "number" ? given : otherwise;
}

/** Refuses an input object with a number outside its bounds. Null and absent values are not checked. */
function checkInput({ type, values }: InputObject, ranges: readonly Bounds[]): InputChanges | undefined {
  for (const { field, min, max } of ranges) {
    const value = type === field.owner ? values.get(field.name) : undefined;
    if (value === undefined || value === null || (Number(value) >= min && Number(value) <= max)) continue;
    return { refuse: new QuernError("VALUE_INVALID", `${type.name}.${field.name} is ${value}, and must lie between ${min} and ${max}.`) };
  }
  return undefined;
}
