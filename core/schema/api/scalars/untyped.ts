// Scalars of plugins: they hold any JSON. Integers beyond 2^53 in literals keep their digits, as they do in variables.

import { GraphQLScalarType, Kind, type ObjectFieldNode, type ValueNode } from "graphql";

/** A copy of `scalar` that reads literals exactly. */
export function untypedScalar(scalar: GraphQLScalarType): GraphQLScalarType {
  return new GraphQLScalarType({ ...scalar.toConfig(), parseLiteral: (node, variables) => literalValue(node, variables ?? {}) });
}

type Variables = Readonly<Record<string, unknown>>;

function literalValue(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
      return integer(node.value);
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map((each) => literalValue(each, variables));
    case Kind.OBJECT:
      return objectValue(node.fields, variables);
    case Kind.VARIABLE:
      return variables[node.name.value];
    default:
      return node.value;
  }
}

/** Without a prototype: a member may be called `__proto__`. */
function objectValue(fields: readonly ObjectFieldNode[], variables: Variables): unknown {
  const members = fields.map(({ name, value }) => [name.value, literalValue(value, variables)] as const);
  return Object.assign(Object.create(null), Object.fromEntries(members));
}

function integer(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}
