// Kinds for numbers and dates. `year`, `month`, `day` and `hour` all compare by instant and share one index.

import type { IndexKind } from "../ground/kind.ts";
import { ordering } from "./comparison.ts";

export const int = ordered("int", "Int", true);
export const int64 = ordered("int64", "Int64", true);
export const float = ordered("float", "Float", true);
export const year = ordered("year", "DateTime", true);
export const month = ordered("month", "DateTime");
export const day = ordered("day", "DateTime");
export const hour = ordered("hour", "DateTime");

function ordered(name: string, type: string, isDefault?: true): IndexKind {
  return {
    name,
    fits: [type],
    ...(isDefault && { defaultFor: [type] }),
    search: ({ field }) => ({
      input: `${type}Filter`,
      builtIn: true,
      operators: ordering(field, type, `${type}Range`),
      index: { by: "value", ordered: true },
    }),
  };
}
