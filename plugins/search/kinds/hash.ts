// `hash`: equality of strings and enum values.

import type { IndexKind } from "../ground/kind.ts";
import { equality } from "./comparison.ts";

export const hash: IndexKind = {
  name: "hash",
  fits: ["String", "enum"],
  defaultFor: ["enum"],
  search: ({ field }) => ({
    ...(field.enum === undefined ? { input: "StringHashFilter", builtIn: true } : { input: `${field.type.name}_hash` }),
    operators: equality(field, field.type.name),
    index: { by: "value", ordered: false },
  }),
};
