// The arguments of a root field as a handler gets them: coerced, with defaults. A null that the client wrote is null; what it did not write is absent.

import { type FieldDefinitionNode, valueFromASTUntyped } from "graphql";
import { isObject, type RootContext } from "../../../core/plugin.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** The defaults of a field's arguments: the generated schema does not show them, so nothing else applies them. */
export function defaultsOf(definition: Pick<FieldDefinitionNode, "arguments">): Arguments {
  const given = (definition.arguments ?? []).flatMap(({ name, defaultValue }): [string, unknown][] =>
    defaultValue ? [[name.value, valueFromASTUntyped(defaultValue)]] : [],
  );
  return Object.fromEntries(given);
}

export function argumentsOf({ arguments: coerced, sent }: Pick<RootContext, "arguments" | "sent">, defaults: Arguments): Arguments {
  const values = Object.entries(coerced).map(([name, value]): [string, unknown] => [name, withoutAbsent(value, sent[name])]);
  const nulls = Object.entries(sent).filter(([name, value]) => value === null && !(name in coerced));
  return { ...defaults, ...Object.fromEntries([...values, ...nulls]) };
}

/** A member whose variable has no value is coerced to null, and absent in what was sent. */
function withoutAbsent(value: unknown, sent: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, i) => withoutAbsent(item, Array.isArray(sent) ? sent[i] : undefined));
  if (!isObject(value) || !isObject(sent)) return value;
  const members = Object.entries(value).filter(([name, member]) => member !== null || name in sent);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutAbsent(member, sent[name])]));
}
