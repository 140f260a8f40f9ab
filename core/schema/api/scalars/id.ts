// `ID`: a string, or an integer converted to one. Whether the node exists is checked on use.

import { GraphQLID, GraphQLScalarType } from "graphql";

export const id = new GraphQLScalarType<string, string>({
  ...GraphQLID.toConfig(),
  parseValue: (value) => (typeof value === "bigint" ? String(value) : GraphQLID.parseValue(value)),
});
