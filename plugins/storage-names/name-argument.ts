// The text of a naming argument, or what is wrong with it.

import { type DirectiveNode, Kind, type ValueNode } from "graphql";
import type { Field } from "../../core/index.ts";

/** A quoted text; `undefined` when missing or empty, `"no text"` when it is something else. */
export function nameArgument(node: DirectiveNode, name: string): { readonly text: string } | undefined | "no text" {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (!value || (isText(value) && value.value === "")) return undefined;
  return isText(value) ? { text: value.value } : "no text";
}

function isText(value: ValueNode): value is Extract<ValueNode, { kind: Kind.STRING }> {
  return value.kind === Kind.STRING;
}

/** The directive that names `field`, as written. */
export function namingDirective(field: Field): DirectiveNode | undefined {
  return field.definition.directives?.find((directive) => directive.name.value === "dgraph" || directive.name.value === "storage");
}

/** The name that the client gave `field`, without the `<>` that may stand around it. */
export function givenName(field: Field): string | undefined {
  const directive = namingDirective(field);
  const argument = directive && nameArgument(directive, "pred");
  return typeof argument === "object" ? bareName(argument.text) : undefined;
}

/** `<name>` and `<name>@en` without the brackets. */
export function bareName(text: string): string {
  return text.replace(/^<(.*)>(@.*)?$/su, "$1$2");
}

/** A name that starts with `~` asks for the links of another field, read backwards. */
export function isReverseName(name: string): boolean {
  return name.startsWith("~");
}
