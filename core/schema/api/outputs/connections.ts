// Lists in pages by cursors, after the Relay cursor connections specification: `<T>Connection`, `<T>Edge`, `PageInfo` and the fields that give them.

import type { LinkField, Model, NodeType } from "../../../contracts/model.ts";
import type { Argument, FieldsDefinition, Member } from "../definition.ts";
import { connectionName, edgeName } from "../names.ts";
import { listArguments } from "./arguments.ts";

/** The operation that a plugin enables on a type for `query<T>Connection`. */
export const connectionOperation = "connection";

const cuts = new Set(["first", "offset"]);

/** Of fields that give connections. */
export const connectionDescription = "A list in pages by cursors.";

/** Arguments of a connection of `node`. */
export function connectionArguments(node: NodeType): readonly Argument[] {
  return [
    ...listArguments(node).filter(({ name }) => !cuts.has(name)),
    { name: "first", type: "Int", description: "The number of objects on the page, from the start, or from `after`." },
    { name: "after", type: "String", description: "A cursor: the page begins behind it." },
    { name: "last", type: "Int", description: "The number of objects on the page, up to the end, or up to `before`." },
    { name: "before", type: "String", description: "A cursor: the page ends before it." },
  ];
}

export interface ConnectionCompanion {
  readonly of: LinkField;
  readonly target: NodeType;
  readonly member: Member;
}

/** The connection fields of a type, one for each list of objects that has pages. */
export function connectionCompanions(node: NodeType): readonly ConnectionCompanion[] {
  return [...node.fields.values()].flatMap((field) => {
    if (field.role !== "link" || !field.type.list || !field.exposure.pages || field.target.kind === "union") return [];
    const { target } = field;
    const name = `${field.name}Connection`;
    const member = { name, description: connectionDescription, type: `${connectionName(target)}!`, arguments: connectionArguments(target) };
    return [{ of: field, target, member }];
  });
}

/** The types of all connections of the schema; `PageInfo` when there is one. */
export function connectionTypes(model: Model): readonly FieldsDefinition[] {
  const nodes = [...model.nodeTypes.values()];
  const paged = new Set([
    ...nodes.filter((node) => node.allows(connectionOperation)),
    ...nodes.flatMap((node) => connectionCompanions(node).map(({ target }) => target)),
  ]);
  const types = nodes.filter((node) => paged.has(node)).flatMap(typesOf);
  return types.length === 0 ? [] : [...types, pageInfo];
}

function typesOf(node: NodeType): readonly FieldsDefinition[] {
  return [
    {
      kind: "type",
      name: connectionName(node),
      description: "One page of a list.",
      members: [
        { name: "totalCount", type: "Int!", description: "The number of objects on all pages." },
        { name: "edges", type: `[${edgeName(node)}!]!`, description: "The objects of the page, each with its cursor." },
        { name: "nodes", type: `[${node.name}!]!`, description: "The objects of the page." },
        { name: "pageInfo", type: "PageInfo!", description: "Where the page begins and ends, and whether there are others." },
      ],
      generatedFor: node.name,
    },
    {
      kind: "type",
      name: edgeName(node),
      description: "An object of a page, and its place in the list.",
      members: [
        { name: "cursor", type: "String!", description: "The place of the object, for `after` and `before`." },
        { name: "node", type: `${node.name}!`, description: "The object." },
      ],
      generatedFor: node.name,
    },
  ];
}

const pageInfo: FieldsDefinition = {
  kind: "type",
  name: "PageInfo",
  description: "Where a page begins and ends, and whether there are others.",
  members: [
    { name: "hasNextPage", type: "Boolean!", description: "Whether objects follow." },
    { name: "hasPreviousPage", type: "Boolean!", description: "Whether objects precede." },
    { name: "startCursor", type: "String", description: "The cursor of the first object: `before` it ends the previous page." },
    { name: "endCursor", type: "String", description: "The cursor of the last object: `after` it begins the next page." },
  ],
};
