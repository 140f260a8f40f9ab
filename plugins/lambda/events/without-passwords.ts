// Leaves passwords out of what a client sent: an event shows no secret that the store keeps only as a hash.

import { isObject, type LinkField, type NodeType } from "../../../core/plugin.ts";

/** A copy of an input object of `type`, without the fields that hold passwords, at every depth. */
export function withoutPasswords(input: unknown, type: NodeType): unknown {
  if (Array.isArray(input)) return input.map((item: unknown) => withoutPasswords(item, type));
  if (!isObject(input)) return input;
  return Object.fromEntries(Object.entries(input).flatMap(([name, value]) => memberOf(name, value, type)));
}

function memberOf(name: string, value: unknown, type: NodeType): readonly [string, unknown][] {
  const field = type.fields.get(name);
  if (field?.role === "value") return field.kind === "password" ? [] : [[name, value]];
  return [[name, field?.role === "link" ? linked(value, field) : value]];
}

function linked(value: unknown, { target }: LinkField): unknown {
  if (target.kind !== "union") return withoutPasswords(value, target);
  if (Array.isArray(value)) return value.map((item: unknown) => linkedMember(item, target.members));
  return linkedMember(value, target.members);
}

/** `{ dogRef: { ... } }`: the member's name says the type. */
function linkedMember(value: unknown, members: readonly NodeType[]): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const member = members.find((each) => `${each.name.charAt(0).toLowerCase()}${each.name.slice(1)}Ref` === name);
    return [name, member ? withoutPasswords(inner, member) : inner];
  });
  return Object.fromEntries(entries);
}
