// `@dgraph` and its neutral twin `@storage`: what types and fields are called in storage, edges read backwards, language tags.

import type { DirectivePlugin } from "../../core/index.ts";
import { reportConflicts } from "./conflicts.ts";
import { readFieldName } from "./field-names.ts";
import { languageLayout } from "./languages.ts";
import { readTypeName } from "./type-names.ts";

/** The spellings of the one directive; messages name the one the client wrote. */
const spellings = ["dgraph", "storage"];

export function storageNamesPlugin(): DirectivePlugin {
  return {
    name: "storage-names",
    // Inverses and passwords are known then, also those that nobody wrote on the field itself.
    follows: ["identity", "secret"],
    // In the texts that clients of such servers know.
    validatesArguments: true,
    definitions: spellings.map((name) => `directive @${name}(type: String, pred: String) on OBJECT | INTERFACE | FIELD_DEFINITION`).join("\n"),
    model(context) {
      const uses = spellings.flatMap((name) => context.uses(name));
      for (const use of uses) {
        if (use.field) readFieldName(use, use.field, context);
        else readTypeName(use, context);
      }
      reportConflicts(context);
      const layout = languageLayout(context.model);
      return layout.fields.length > 0 ? { layout: () => layout } : undefined;
    },
  };
}
