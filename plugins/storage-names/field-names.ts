// Reads the storage name of a field: a plain name, a reverse name (`~x`), or a name with a language tag (`x@de`).

import { type DirectiveUse, type Field, isReservedWord, type ModelContext } from "../../core/plugin.ts";
import { readLanguage } from "./language-tags.ts";
import { bareName, isReverseName, nameArgument } from "./name-argument.ts";
import { readReverse } from "./reverse.ts";

export function readFieldName(use: DirectiveUse, field: Field, context: ModelContext): void {
  const argument = nameArgument(use.node, "pred");
  const problem = nameProblem(field, argument, `@${use.node.name.value}`);
  if (problem !== undefined) context.report(`Type ${field.owner.name}; Field ${field.name}: ${problem}`, use.node);
  else if (typeof argument === "object") recordName(use, field, argument.text, context);
}

function nameProblem(field: Field, argument: ReturnType<typeof nameArgument>, spelling: string): string | undefined {
  if (field.role === "id") return `has the ${spelling} directive but fields of type ID can't have the ${spelling} directive.`;
  if (argument === undefined) return `pred argument for ${spelling} directive should not be empty.`;
  if (argument === "no text") return `pred argument for ${spelling} directive should be of type String.`;
  if (!isReadable(argument.text)) return `pred argument '${argument.text}' has letters outside ASCII; write it as '<${argument.text}>'.`;
  return isTaken(argument.text) ? `pred argument '${argument.text}' for ${spelling} directive is a reserved keyword.` : undefined;
}

/** Values are passed in plain objects, where this name would set the prototype. */
function isTaken(name: string): boolean {
  return isReservedWord(name) || bareName(name) === "__proto__";
}

function recordName(use: DirectiveUse, field: Field, written: string, context: ModelContext): void {
  const name = bareName(written);
  if (isReverseName(name)) readReverse({ use, field, name, written }, context);
  else if ((!name.includes("@") || readLanguage(use, field, name, context)) && !use.inherited) context.record.storedField(field, name);
}

/** Other scripts need `<` and `>` around the name. */
function isReadable(name: string): boolean {
  return /^[\x20-\x7e]*$/u.test(name.replace(/<.*>/su, ""));
}
