// `Int`: a whole number of 32 bits. Text is refused.

import { GraphQLError, GraphQLScalarType, Kind, print } from "graphql";

const smallest = -2_147_483_648;
const largest = 2_147_483_647;

export const intScalar = new GraphQLScalarType<number, number>({
  name: "Int",
  description: "A whole number of 32 bits, from -2147483648 to 2147483647.",
  serialize: Number,
  parseValue(value) {
    if (typeof value === "bigint") throw outOfRange(value);
    if (typeof value !== "number" || !Number.isInteger(value)) throw new GraphQLError(`Int cannot represent non-integer value: ${String(value)}`);
    return inRange(value);
  },
  parseLiteral(node) {
    if (node.kind !== Kind.INT) throw new GraphQLError(`Expected type Int, found ${print(node)}.`, { nodes: node });
    return inRange(Number(node.value), node.value);
  },
});

function inRange(value: number, text: string | number = value): number {
  if (value < smallest || value > largest) throw outOfRange(text);
  return value;
}

function outOfRange(value: string | number | bigint): GraphQLError {
  return new GraphQLError(`Out of range value '${value}', for type \`Int\``);
}
