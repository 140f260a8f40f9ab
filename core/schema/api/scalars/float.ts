// `Float`: finite doubles. A variable may also be a numeric string; a literal may not.

import { GraphQLFloat, GraphQLScalarType, Kind, print } from "graphql";
import { plainConfig } from "../package-version.ts";
import { scalarError } from "./scalar-error.ts";

export const float = new GraphQLScalarType<number, number>({
  ...plainConfig(GraphQLFloat),
  parseValue: (value) => (typeof value === "bigint" || isNumeric(value) ? finite(Number(value)) : GraphQLFloat.parseValue(value)),
  parseLiteral: (node) => {
    if (node.kind !== Kind.FLOAT && node.kind !== Kind.INT) throw scalarError(`Float cannot represent non numeric value: ${print(node)}`, node);
    const value = Number(node.value);
    if (!Number.isFinite(value)) throw scalarError(beyond, node);
    return value;
  },
});

const beyond = "Float cannot represent a number beyond a double.";

function isNumeric(value: unknown): value is string {
  return typeof value === "string" && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value);
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw scalarError(beyond);
  return value;
}
