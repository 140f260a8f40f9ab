// Literals with values in place of variables.

import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType, Kind, type ValueNode } from "graphql";
import { isObject } from "../../../core/plugin.ts";

type Type = GraphQLInputType | undefined;

/** Undefined: a variable without a value; its argument or member is left out. */
export function literalOf(node: ValueNode, type: Type, variables: Readonly<Record<string, unknown>>): ValueNode | undefined {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables[node.name.value] === undefined ? undefined : literal(variables[node.name.value], type);
    case Kind.LIST:
      return { ...node, values: node.values.map((each) => literalOf(each, itemType(type), variables) ?? { kind: Kind.NULL }) };
    case Kind.OBJECT:
      return {
        ...node,
        fields: node.fields.flatMap((field) => {
          const value = literalOf(field.value, memberType(type, field.name.value), variables);
          return value ? [{ ...field, value }] : [];
        }),
      };
    default:
      return node;
  }
}

function literal(value: unknown, type: Type): ValueNode {
  if (value === null || value === undefined) return { kind: Kind.NULL };
  if (Array.isArray(value)) return { kind: Kind.LIST, values: value.map((each) => literal(each, itemType(type))) };
  if (isObject(value)) return objectLiteral(value, type);
  if (typeof value === "string") return type && isEnumType(getNamedType(type)) ? { kind: Kind.ENUM, value } : { kind: Kind.STRING, value };
  if (typeof value === "boolean") return { kind: Kind.BOOLEAN, value };
  const text = String(value);
  return /^-?\d+$/u.test(text) ? { kind: Kind.INT, value: text } : { kind: Kind.FLOAT, value: text };
}

function objectLiteral(value: Readonly<Record<string, unknown>>, type: Type): ValueNode {
  return {
    kind: Kind.OBJECT,
    fields: Object.entries(value).map(([name, member]) => ({
      kind: Kind.OBJECT_FIELD,
      name: { kind: Kind.NAME, value: name },
      value: literal(member, memberType(type, name)),
    })),
  };
}

function itemType(type: Type): Type {
  const inner = type && isNonNullType(type) ? type.ofType : type;
  return inner && isListType(inner) ? inner.ofType : inner;
}

function memberType(type: Type, member: string): Type {
  const named = type && getNamedType(type);
  return isInputObjectType(named) ? named.getFields()[member]?.type : undefined;
}
