// `DateTime`: accepts any string or integer. The root field parses it and reports an invalid value.

import { GraphQLScalarType, Kind } from "graphql";
import { scalarDescriptions } from "../../document/built-ins.ts";
import { scalarError } from "./scalar-error.ts";

export const dateTime = new GraphQLScalarType<string | number, string>({
  name: "DateTime",
  description: scalarDescriptions.dateTime,
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
