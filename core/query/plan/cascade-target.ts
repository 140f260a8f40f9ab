// The type whose fields `@cascade` on a field means.

import { type GraphQLInterfaceType, type GraphQLObjectType, type GraphQLOutputType, getNamedType, isInterfaceType, isObjectType } from "graphql";

/** On a connection that of its nodes. Undefined: the field shows no object with fields. */
export function cascadeTarget(output: GraphQLOutputType | null | undefined): GraphQLObjectType | GraphQLInterfaceType | undefined {
  const type = output && getNamedType(output);
  if (!(isObjectType(type) || isInterfaceType(type))) return undefined;
  const { nodes, pageInfo } = type.getFields();
  const node = nodes && getNamedType(nodes.type);
  const isConnection = pageInfo !== undefined && node !== undefined && type.name === `${node.name}Connection`;
  return isConnection && (isObjectType(node) || isInterfaceType(node)) ? node : type;
}
