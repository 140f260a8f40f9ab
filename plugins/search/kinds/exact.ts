// `exact`: equality, ranges and order of texts and enum values, by bytes.

import { ordering } from "./comparison.ts";
import type { IndexKind } from "./kind.ts";

export const exact: IndexKind = {
  name: "exact",
  fits: ["String", "enum"],
  excludes: ["hash"],
  search: ({ field }) => ({
    ...(field.enum === undefined ? { input: "StringExactFilter", builtIn: true } : { input: `${field.type.name}_exact` }),
    // The generated input of an enum has one value, not a range, under `between`.
    operators: ordering(field, field.type.name, field.enum === undefined ? "StringRange" : field.type.name),
    index: { by: "value", ordered: true },
  }),
};
