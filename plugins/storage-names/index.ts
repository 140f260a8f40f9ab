// `@dgraph` and its alias `@storage`: storage names of types and fields, reverse edges, and language tags.

import { type DirectivePlugin, type DirectiveUse, isReservedWord, type ModelContext } from "../../core/plugin.ts";
import { reportConflicts } from "./conflicts.ts";
import { readFieldName } from "./field-names.ts";
import { languageLayout } from "./language-tags.ts";
import { nameArgument } from "./name-argument.ts";

/** The two spellings of the directive. Messages use the one that the client wrote. */
const spellings = ["dgraph", "storage"];

/** `@dgraph`: the names under which types and fields are stored. */
export function storageNamesPlugin(): DirectivePlugin {
  return {
    name: "storage-names",
    // Inverses and passwords must be known, inferred and inherited ones included.
    follows: ["identity", "secret"],
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: spellings
      .map(
        (name) =>
          `"The name under which data are stored: of a type, of a field, of a link in reverse (~name), of a text in languages (name@en)."\ndirective @${name}(type: String, pred: String) on OBJECT | INTERFACE | FIELD_DEFINITION`,
      )
      .join("\n"),
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

// Reads the storage name of a type, which is also the prefix of its fields' storage names.

function readTypeName({ node, definition, type }: DirectiveUse, { report, record }: ModelContext): void {
  const argument = nameArgument(node, "type");
  const problem = nameProblem(argument, `@${node.name.value}`);
  if (problem !== undefined) report(`Type ${definition.name.value}; type argument ${problem}`, node);
  else if (type && typeof argument === "object") record.storedType(type, argument.text);
}

function nameProblem(argument: ReturnType<typeof nameArgument>, spelling: string): string | undefined {
  if (argument === undefined) return `for ${spelling} directive should not be empty.`;
  if (argument === "no text") return `for ${spelling} directive should of type String.`;
  return isReservedWord(argument.text) ? `'${argument.text}' for ${spelling} directive is a reserved keyword.` : undefined;
}
