// `@was`: a type or a field that had another name before. It keeps what was stored under the old one.

import type { DirectivePlugin } from "../../core/index.ts";
import { renameFields } from "./fields.ts";
import { renameTypes } from "./types.ts";

export function wasPlugin(): DirectivePlugin {
  return {
    name: "was",
    // Names that the schema itself gives are known then.
    follows: ["storage-names"],
    definitions: "directive @was(name: [String!]!) on OBJECT | INTERFACE | FIELD_DEFINITION",
    model(context) {
      const formerTypes = renameTypes(context);
      renameFields(context, formerTypes);
      return undefined;
    },
  };
}
