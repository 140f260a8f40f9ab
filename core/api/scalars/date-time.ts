// `DateTime`: any text or integer passes here; whether it is a date is judged inside the root field, which alone fails by it.

import { GraphQLError, GraphQLScalarType, Kind, print } from "graphql";

export type DateTimeInput = string | number | bigint;

export const dateTimeScalar = new GraphQLScalarType<DateTimeInput, DateTimeInput>({
  name: "DateTime",
  serialize: (value) => value as DateTimeInput,
  parseValue(value) {
    if (typeof value === "string" || typeof value === "bigint") return value;
    if (typeof value === "number" && Number.isInteger(value)) return value;
    throw new GraphQLError(`DateTime cannot represent value: ${String(value)}`);
  },
  parseLiteral(node) {
    if (node.kind === Kind.STRING) return node.value;
    if (node.kind === Kind.INT) return Number.isSafeInteger(Number(node.value)) ? Number(node.value) : BigInt(node.value);
    throw new GraphQLError(`Expected type DateTime, found ${print(node)}.`, { nodes: node });
  },
});
