// The arguments of one field as the client wrote them: variables filled in, nothing converted. Only the shape follows the schema: a single value of
// a list is a list of one, and a number for an `ID` is a text.

import {
  type FieldNode,
  type GraphQLField,
  GraphQLID,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from "graphql";
import type { Variables } from "../level/selection.ts";

interface SentField {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly operation: OperationDefinitionNode;
}

/** @param given the values of variables as the client sent them; the document has been validated with them */
export function sentArguments({ definition, node, operation }: SentField, given: Variables): Variables {
  const variables = new Map<string, unknown>(Object.entries(given));
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (defaultValue && variables.get(name) === undefined) variables.set(name, sentLiteral(defaultValue, undefined, variables));
  }
  const sent = (node.arguments ?? []).map(({ name, value }): [string, unknown] => {
    const argument = definition.args.find((each) => each.name === name.value);
    return [name.value, sentLiteral(value, argument?.type, variables)];
  });
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
}

type Shape = GraphQLInputType | undefined;

function sentLiteral(node: ValueNode, shape: Shape, variables: ReadonlyMap<string, unknown>): unknown {
  const type = nullableOf(shape);
  if (node.kind === Kind.VARIABLE) return sentValue(variables.get(node.name.value), type);
  if (node.kind === Kind.NULL) return null;
  const itemType = isListType(type) ? type.ofType : undefined;
  if (node.kind === Kind.LIST) return node.values.map((each) => sentLiteral(each, itemType, variables) ?? null);
  if (itemType !== undefined) return [sentLiteral(node, itemType, variables)];
  if (node.kind === Kind.OBJECT) {
    const members = node.fields.map(({ name, value }): [string, unknown] => [
      name.value,
      sentLiteral(value, memberType(type, name.value), variables),
    ]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return type === GraphQLID ? node.value : numberOf(node.value);
  return node.value;
}

function sentValue(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null) return value;
  const type = nullableOf(shape);
  if (isListType(type)) return (Array.isArray(value) ? value : [value]).map((each) => sentValue(each, type.ofType) ?? null);
  if (Array.isArray(value)) return value;
  if (typeof value === "object" && isInputObjectType(type)) {
    const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, sentValue(member, memberType(type, name))]);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
  return type === GraphQLID ? String(value) : value;
}

function nullableOf(type: Shape): Shape {
  return isNonNullType(type) ? type.ofType : type;
}

function memberType(type: Shape, name: string): Shape {
  return isInputObjectType(type) ? type.getFields()[name]?.type : undefined;
}

/** A whole number beyond 2^53 stays exact. */
function numberOf(text: string): number | bigint {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) && /^-?\d+$/.test(text) ? BigInt(text) : number;
}
