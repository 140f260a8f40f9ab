// `bool`: the filter is the value itself: `{organic: true}`. Null is no condition; false does not match a missing value.

import type { IndexKind } from "../ground/kind.ts";
import { equalOrMissing } from "./comparison.ts";

export const bool: IndexKind = {
  name: "bool",
  fits: ["Boolean"],
  defaultFor: ["Boolean"],
  search: ({ field }) => ({
    input: "Boolean",
    builtIn: true,
    operators: { takes: "Boolean", predicate: (operand) => (operand === null ? undefined : equalOrMissing(field, operand)) },
    index: { by: "value", ordered: false },
  }),
};
