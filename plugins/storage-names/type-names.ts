// Reads the storage name of a type, which is also the prefix of its fields' storage names.

import { type DirectiveUse, isReservedWord, type ModelContext } from "../../core/plugin.ts";
import { nameArgument } from "./name-argument.ts";

export function readTypeName({ node, definition, type }: DirectiveUse, { report, record }: ModelContext): void {
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
