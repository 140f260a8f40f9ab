// `Float`: a finite double. In variables numeric text is accepted too.

import { GraphQLError, GraphQLScalarType, Kind, print } from "graphql";

const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export const floatScalar = new GraphQLScalarType<number, number>({
  name: "Float",
  description: "A number of double precision. Infinity and NaN are none.",
  serialize: Number,
  parseValue(value) {
    if (typeof value === "number") return finite(value);
    if (typeof value === "bigint" || (typeof value === "string" && numeric.test(value))) return finite(Number(value));
    throw new GraphQLError(`Float cannot represent non numeric value: ${String(value)}`);
  },
  parseLiteral(node) {
    if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return finite(Number(node.value));
    throw new GraphQLError(`Expected type Float, found ${print(node)}.`, { nodes: node });
  },
});

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new GraphQLError(`Out of range value '${value}', for type \`Float\``);
  return value;
}
