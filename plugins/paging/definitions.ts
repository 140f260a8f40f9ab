// Lists in pages by cursors in SDL: `<T>Connection`, `<T>Edge`, `PageInfo`, and the arguments of the fields that give them.

import { argumentText, listArguments, type NodeType } from "../../core/plugin.ts";

export const connectionName = (node: NodeType): string => `${node.name}Connection`;
export const edgeName = (node: NodeType): string => `${node.name}Edge`;

const cuts = new Set(["first", "offset"]);

/** Arguments and type of a field that gives pages of the nodes of a type. */
export function connectionSignature(node: NodeType): string {
  const own = listArguments(node).filter(({ name }) => !cuts.has(name));
  return `(
    ${own.map(argumentText).join("\n    ")}
    "The number of objects on the page, from the start, or from \`after\`." first: Int
    "A cursor: the page begins behind it." after: String
    "The number of objects on the page, up to the end, or up to \`before\`." last: Int
    "A cursor: the page ends before it." before: String
  ): ${connectionName(node)}!`;
}

export function connectionTypes(node: NodeType): string {
  return `
"One page of a list."
type ${connectionName(node)} {
  "The number of objects on all pages."
  totalCount: Int!
  "The objects of the page, each with its cursor."
  edges: [${edgeName(node)}!]!
  "The objects of the page."
  nodes: [${node.name}!]!
  "Where the page begins and ends, and whether there are others."
  pageInfo: PageInfo!
}
"An object of a page, and its place in the list."
type ${edgeName(node)} {
  "The place of the object, for \`after\` and \`before\`."
  cursor: String!
  "The object."
  node: ${node.name}!
}`;
}

export const pageInfo = `
"Where a page begins and ends, and whether there are others."
type PageInfo {
  "Whether objects follow."
  hasNextPage: Boolean!
  "Whether objects precede."
  hasPreviousPage: Boolean!
  "The cursor of the first object: \`before\` it ends the previous page."
  startCursor: String
  "The cursor of the last object: \`after\` it begins the next page."
  endCursor: String
}`;
