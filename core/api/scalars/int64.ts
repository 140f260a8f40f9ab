// `Int64`: a whole number of 64 bits, a bigint inside. It never passes through a double.

import { GraphQLError, GraphQLScalarType, Kind, print } from "graphql";

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;
const digits = /^[+-]?\d+$/;

export const int64Scalar = new GraphQLScalarType<bigint, bigint>({
  name: "Int64",
  serialize: (value) => BigInt(value as bigint),
  parseValue(value) {
    if (typeof value === "bigint") return inRange(value);
    if (typeof value === "number" && Number.isInteger(value)) return inRange(BigInt(value));
    if (typeof value === "string" && digits.test(value)) return inRange(toBigInt(value));
    throw new GraphQLError(`Type mismatched for Value \`${String(value)}\`, expected:\`Int64\``);
  },
  parseLiteral(node) {
    if (node.kind === Kind.INT || (node.kind === Kind.STRING && digits.test(node.value))) return inRange(toBigInt(node.value));
    const kind = node.kind.replace("Value", "");
    throw new GraphQLError(`Type mismatched for Value \`${print(node)}\`, expected: Int64, got: '${kind}'`, { nodes: node });
  },
});

function toBigInt(text: string): bigint {
  return BigInt(text.replace(/^\+/, ""));
}

function inRange(value: bigint): bigint {
  if (value < smallest || value > largest) throw new GraphQLError(`Out of range value '${value}', for type \`Int64\``);
  return value;
}
