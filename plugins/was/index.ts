// `@was`: renames a type or a field and keeps its data.

import type { DirectivePlugin } from "../../core/plugin.ts";
import { renameFields } from "./fields.ts";
import { renameTypes } from "./types.ts";

/** `@was`: former names of types and fields, which keep their data. */
export function wasPlugin(): DirectivePlugin {
  return {
    name: "was",
    // The storage names that the schema sets must be known.
    follows: ["storage-names"],
    definitions: `
      "Former names: the type or field keeps the data that it had under them."
      directive @was(name: [String!]!) on OBJECT | INTERFACE | FIELD_DEFINITION
    `,
    model(context) {
      const formerTypes = renameTypes(context);
      renameFields(context, formerTypes);
      return undefined;
    },
  };
}
