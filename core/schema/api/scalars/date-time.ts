// `DateTime`: any text or integer here. Inside the root field it is read, and refused if it is no moment.

import { GraphQLScalarType, Kind } from "graphql";
import { scalarError } from "./scalar-error.ts";

export const dateTime = new GraphQLScalarType<string | number, string>({
  name: "DateTime",
  serialize: String,
  parseValue: (value) => {
    if (typeof value === "string") return value;
    if (typeof value === "bigint" || Number.isInteger(value)) return Number(value);
    throw scalarError(unfit);
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return node.value;
    if (node.kind === Kind.INT) return Number(node.value);
    throw scalarError(unfit, node);
  },
});

const unfit = "DateTime is written as a text, or as a whole number of seconds since 1970.";
