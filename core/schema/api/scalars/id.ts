// `ID`: a string, or an integer converted to one. Whether the node exists is checked on use.

import { GraphQLID, GraphQLScalarType, Kind, print } from "graphql";
import { plainConfig } from "../package-version.ts";
import { scalarError } from "./scalar-error.ts";

export const id = new GraphQLScalarType<string, string>({
  ...plainConfig(GraphQLID),
  parseValue: (value) => (typeof value === "bigint" ? String(value) : GraphQLID.parseValue(value)),
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING || node.kind === Kind.INT) return node.value;
    throw scalarError(`ID cannot represent a non-string and non-integer value: ${print(node)}`, node);
  },
});
