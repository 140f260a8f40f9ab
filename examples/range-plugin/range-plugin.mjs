// `@range(min, max)`: a number that is written must lie between two bounds. A directive of somebody else's, whole in one file.

import { QuernError } from "quern";

const numeric = ["int", "int64", "float"];

/** @returns {import("quern").DirectivePlugin} */
export function rangePlugin() {
  return {
    name: "range",
    definitions: "directive @range(min: Float, max: Float) on FIELD_DEFINITION",
    model(context) {
      const ranges = context.uses("range").flatMap((use) => readRange(use, context));
      if (ranges.length === 0) return undefined;
      return { values: (input) => checkInput(input, ranges) };
    },
  };
}

/** The bounds of one use, or a problem at its place in the schema. */
function readRange({ node, field, type }, context) {
  const place = `Type ${type?.name}; Field ${field?.name}: @range`;
  if (field?.role !== "value" || field.type.list || !numeric.includes(field.kind)) {
    context.report(`${place} is for Int, Int64 and Float fields.`, node, "Take the directive away, or make the field a number.");
    return [];
  }
  const bounds = Object.fromEntries((node.arguments ?? []).map(({ name, value }) => [name.value, Number(value.value)]));
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bounds;
  if (min > max) context.report(`${place} has a min of ${min} above its max of ${max}.`, node);
  return [{ field, min, max }];
}

/** Refuses an input object that holds a number outside its bounds; null and absence are no numbers. */
function checkInput({ type, values }, ranges) {
  for (const { field, min, max } of ranges) {
    const value = type === field.owner ? values.get(field.name) : undefined;
    if (value === undefined || value === null || (value >= min && value <= max)) continue;
    return { refuse: new QuernError("VALUE_INVALID", `${type.name}.${field.name} is ${value}, and must lie between ${min} and ${max}.`) };
  }
  return undefined;
}
