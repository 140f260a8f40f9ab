// `Int`: 32-bit integers.

import { type ASTNode, GraphQLInt, GraphQLScalarType, Kind } from "graphql";
import { plainConfig } from "../package-version.ts";
import { outOfRange } from "./scalar-error.ts";

const least = -(2 ** 31);
const greatest = 2 ** 31 - 1;

export const int = new GraphQLScalarType<number, number>({
  ...plainConfig(GraphQLInt),
  parseValue: (value) => (isWhole(value) ? inRange(Number(value), String(value)) : GraphQLInt.parseValue(value)),
  parseLiteral: (node) => (node.kind === Kind.INT ? inRange(Number(node.value), node.value, node) : GraphQLInt.parseLiteral(node)),
});

function isWhole(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isInteger(value);
}

function inRange(value: number, written: string, node?: ASTNode): number {
  if (value < least || value > greatest) throw outOfRange(written, "Int", node);
  return value;
}
