// The name of a field in storage: a plain one, one that reads an edge backwards, or one with a language tag.

import { type DirectiveUse, type Field, isReservedWord, type ModelContext } from "../../core/index.ts";
import { readLanguage } from "./languages.ts";
import { bareName, isReverseName, nameArgument } from "./name-argument.ts";
import { readReverse } from "./reverse.ts";

export function readFieldName(use: DirectiveUse, field: Field, context: ModelContext): void {
  const { report, record } = context;
  const { node } = use;
  const spelling = `@${node.name.value}`;
  const start = `Type ${field.owner.name}; Field ${field.name}:`;
  if (field.role === "id") return report(`${start} has the ${spelling} directive but fields of type ID can't have the ${spelling} directive.`, node);
  const argument = nameArgument(node, "pred");
  if (argument === undefined) return report(`${start} pred argument for ${spelling} directive should not be empty.`, node);
  if (argument === "no text") return report(`${start} pred argument for ${spelling} directive should be of type String.`, node);
  if (isReservedWord(argument.text))
    return report(`${start} pred argument '${argument.text}' for ${spelling} directive is a reserved keyword.`, node);
  const name = bareName(argument.text);
  if (isReverseName(name)) return readReverse({ use, field, name, written: argument.text }, context);
  if (name.includes("@") && !readLanguage(use, field, name, context)) return;
  if (!use.inherited) record.storedField(field, name);
}
