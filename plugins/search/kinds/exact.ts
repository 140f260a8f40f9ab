// `exact`: equality and ranges of strings and enum values, by UTF-8 bytes.

import type { IndexKind } from "../ground/kind.ts";
import { ordering } from "./comparison.ts";

export const exact: IndexKind = {
  name: "exact",
  fits: ["String", "enum"],
  excludes: ["hash"],
  search: ({ field }) => ({
    ...(field.enum === undefined ? { input: "StringExactFilter", builtIn: true } : { input: `${field.type.name}_exact` }),
    // In the generated input of an enum, `between` is one value, not a range.
    operators: ordering(field, field.type.name, field.enum === undefined ? "StringRange" : field.type.name),
    index: { by: "value", ordered: true },
  }),
};
