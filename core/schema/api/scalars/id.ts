// `ID`: a text, or an integer turned into one. Whether it names a node is asked when it is used.

import { GraphQLID, GraphQLScalarType } from "graphql";

export const id = new GraphQLScalarType<string, string>({
  ...GraphQLID.toConfig(),
  parseValue: (value) => (typeof value === "bigint" ? String(value) : GraphQLID.parseValue(value)),
});
