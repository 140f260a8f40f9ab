// The name of a type in storage; its fields' names begin with it.

import { type DirectiveUse, isReservedWord, type ModelContext } from "../../core/index.ts";
import { nameArgument } from "./name-argument.ts";

export function readTypeName({ node, definition, type }: DirectiveUse, { report, record }: ModelContext): void {
  const spelling = `@${node.name.value}`;
  const start = `Type ${definition.name.value}; type argument`;
  const argument = nameArgument(node, "type");
  if (argument === undefined) return report(`${start} for ${spelling} directive should not be empty.`, node);
  if (argument === "no text") return report(`${start} for ${spelling} directive should of type String.`, node);
  if (isReservedWord(argument.text)) return report(`${start} '${argument.text}' for ${spelling} directive is a reserved keyword.`, node);
  if (type) record.storedType(type, argument.text);
}
