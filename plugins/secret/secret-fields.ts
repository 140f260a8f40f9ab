// Reads `@secret`: which types have a password, and the name of its field.

import { type DirectiveNode, Kind } from "graphql";
import type { DirectiveUse, ModelContext, NodeType, ValueField } from "../../core/plugin.ts";

/** Adds the password field to each type. Returns all types that have one, by inheritance included. */
export function readSecrets(context: ModelContext): readonly NodeType[] {
  const uses = context.uses("secret");
  const types = [...new Set(uses.flatMap((use) => use.type ?? []))];
  for (const type of types) {
    const own = uses.filter((use) => use.type === type);
    const names = own.map((use) => textArgument(use.node, "field"));
    const use = own[0];
    if (isSound(type, names, context) && use && !use.inherited) addPassword(type, use, context);
  }
  return types;
}

function isSound(type: NodeType, names: readonly (string | undefined)[], { report }: ModelContext): boolean {
  const refuse = (message: string) => {
    report(message, type.definition);
    return false;
  };
  if (names.some((name) => name === undefined)) return refuse(`Type ${type.name}; Argument "field" of secret directive is empty`);
  if (names.length > 1) return refuse(`Type ${type.name}; has more than one secret fields ${names.join(",")}`);
  const clash = names.find((name) => type.definition.fields?.some((field) => field.name.value === name));
  return clash === undefined || refuse(`Type ${type.name}; has a secret directive and field of the same name ${clash}`);
}

/** Types inherit the password of their interfaces. */
function addPassword(type: NodeType, { node }: DirectiveUse, { record }: ModelContext): void {
  const stored = textArgument(node, "pred");
  const password = { name: textArgument(node, "field") ?? "", kind: "password", nonNull: true } as const;
  record.inputField(type, stored === undefined ? password : { ...password, stored });
}

/** The password field of `type`, its own or inherited. */
export function passwordOf(type: NodeType): ValueField | undefined {
  return [...type.fields.values()].filter((field) => field.role === "value").find((field) => field.kind === "password");
}

/** The text of an argument, a string or an enum value; undefined when absent or empty. */
function textArgument(node: DirectiveNode, name: string): string | undefined {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
  const text = value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
  return text === "" ? undefined : text;
}
