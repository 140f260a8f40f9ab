// Reads the name argument of `@dgraph` and `@storage`.

import { type DirectiveNode, Kind, type ValueNode } from "graphql";
import type { Field } from "../../core/plugin.ts";

/** The string; `undefined` when absent or empty, `"no text"` when the argument is not a string. */
export function nameArgument(node: DirectiveNode, name: string): { readonly text: string } | undefined | "no text" {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (!value || (isText(value) && value.value === "")) return undefined;
  return isText(value) ? { text: value.value } : "no text";
}

function isText(value: ValueNode): value is Extract<ValueNode, { kind: Kind.STRING }> {
  return value.kind === Kind.STRING;
}

/** The `@dgraph` or `@storage` directive of `field`. */
export function namingDirective(field: Field): DirectiveNode | undefined {
  return field.definition.directives?.find((directive) => directive.name.value === "dgraph" || directive.name.value === "storage");
}

/** The storage name that the client set for `field`, without `<>`. */
export function givenName(field: Field): string | undefined {
  const directive = namingDirective(field);
  const argument = directive && nameArgument(directive, "pred");
  return typeof argument === "object" ? bareName(argument.text) : undefined;
}

/** Removes the brackets of `<name>` and `<name>@en`. */
export function bareName(text: string): string {
  return text.replace(/^<(.*)>(@.*)?$/su, "$1$2");
}

/** A name that starts with `~` shows the links of another field from the other side. */
export function isReverseName(name: string): boolean {
  return name.startsWith("~");
}
