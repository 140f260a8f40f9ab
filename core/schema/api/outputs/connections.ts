// Lists in pages by cursors, after the Relay cursor connections specification: `<T>Connection`, `<T>Edge`, `PageInfo` and the fields that give them.

import type { LinkField, Model, NodeType } from "../../../contracts/model.ts";
import type { Argument, FieldsDefinition, Member } from "../definition.ts";
import { connectionName, edgeName } from "../names.ts";
import { listArguments } from "./arguments.ts";

/** The operation that a plugin enables on a type for `query<T>Connection`. */
export const connectionOperation = "connection";

const cuts = new Set(["first", "offset"]);

/** Arguments of a connection of `node`. */
export function connectionArguments(node: NodeType): readonly Argument[] {
  return [
    ...listArguments(node).filter(({ name }) => !cuts.has(name)),
    { name: "first", type: "Int" },
    { name: "after", type: "String" },
    { name: "last", type: "Int" },
    { name: "before", type: "String" },
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
    const member = { name: `${field.name}Connection`, type: `${connectionName(field.target)}!`, arguments: connectionArguments(field.target) };
    return [{ of: field, target: field.target, member }];
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
      members: [
        { name: "totalCount", type: "Int!" },
        { name: "edges", type: `[${edgeName(node)}!]!` },
        { name: "nodes", type: `[${node.name}!]!` },
        { name: "pageInfo", type: "PageInfo!" },
      ],
      generatedFor: node.name,
    },
    {
      kind: "type",
      name: edgeName(node),
      members: [
        { name: "cursor", type: "String!" },
        { name: "node", type: `${node.name}!` },
      ],
      generatedFor: node.name,
    },
  ];
}

const pageInfo: FieldsDefinition = {
  kind: "type",
  name: "PageInfo",
  members: [
    { name: "hasNextPage", type: "Boolean!" },
    { name: "hasPreviousPage", type: "Boolean!" },
    { name: "startCursor", type: "String" },
    { name: "endCursor", type: "String" },
  ],
};
