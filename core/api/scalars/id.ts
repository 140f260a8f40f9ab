// `ID`: text or an integer, in variables as in literals. Whether the text is an id is judged inside the root field.

import { GraphQLError, GraphQLScalarType, Kind, print } from "graphql";

export const idScalar = new GraphQLScalarType<string, string>({
  name: "ID",
  description: "Names one object. It is given by the server, a text such as 0x2a; an integer is accepted too.",
  serialize: String,
  parseValue(value) {
    if (typeof value === "string") return value;
    if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) return String(value);
    throw new GraphQLError(`ID cannot represent value: ${describe(value)}`);
  },
  parseLiteral(node) {
    if (node.kind === Kind.STRING || node.kind === Kind.INT) return node.value;
    throw new GraphQLError(`ID cannot represent a non-string and non-integer value: ${print(node)}`, { nodes: node });
  },
});

function describe(value: unknown): string {
  return typeof value === "object" ? "an object or a list" : String(value);
}
