// What a connection selects: the nodes of its edges and lists, each place a level, and what stands around them.

import type { FieldNode } from "graphql";
import type { NodeType } from "../../contracts/model.ts";
import type { Work } from "../../ground/work.ts";
import { connectionName, edgeName } from "../../schema/api/names.ts";
import { type Cascade, cascadeOf } from "./cascade.ts";
import { type CollectContext, type CollectedField, collectFields } from "./collect-fields.ts";
import { opening } from "./plan-parts.ts";
import type { ConnectionMember, ConnectionSelection, EdgeMember, Level, PageInfoMember, PlannedArguments } from "./selection.ts";

export interface ConnectionRequest {
  readonly target: NodeType;
  readonly nodes: readonly FieldNode[];
  readonly arguments: PlannedArguments;
  readonly inherited: Cascade;
}

/** @param level plans the nodes of one place */
export function* planConnection(
  context: CollectContext,
  request: ConnectionRequest,
  level: (request: ConnectionRequest) => Work<Level>,
): Work<ConnectionSelection> {
  const { target, nodes } = request;
  const args = listOnly(request.arguments);
  const places: Level[] = [];
  const inherited = cascadeOf(nodes, target, request.inherited, context.variables);
  const members: ConnectionMember[] = [];
  for (const field of collectFields(context, connectionName(target), nodes)) members.push(yield* memberOf(field, members.length));
  if (places.length === 0) yield* placeOf([]);
  const info = new Set(members.flatMap((member) => (member.kind === "pageInfo" ? member.members.map(({ kind }) => kind) : [])));
  return {
    places,
    members,
    arguments: request.arguments,
    counts: members.some(({ kind }) => kind === "totalCount"),
    asksNext: info.has("hasNextPage"),
    asksPrevious: info.has("hasPreviousPage"),
  };

  function* memberOf(field: CollectedField, position: number): Work<ConnectionMember> {
    const base = { key: field.key, opening: opening(position, field.key) };
    switch (field.name) {
      case "totalCount":
        return { ...base, kind: "totalCount" };
      case "nodes":
        return { ...base, kind: "nodes", place: yield* placeOf(field.nodes) };
      case "edges":
        return { ...base, kind: "edges", members: yield* edgeMembers(field.nodes) };
      case "pageInfo":
        return { ...base, kind: "pageInfo", members: pageInfoMembers(context, field.nodes) };
      default:
        return { ...base, kind: "typename", text: JSON.stringify(connectionName(target)) };
    }
  }

  function* placeOf(selected: readonly FieldNode[]): Work<number> {
    return places.push(yield* level({ target, nodes: selected, arguments: args, inherited })) - 1;
  }

  function* edgeMembers(edges: readonly FieldNode[]): Work<readonly EdgeMember[]> {
    const found: EdgeMember[] = [];
    for (const field of collectFields(context, edgeName(target), edges)) {
      const base = { key: field.key, opening: opening(found.length, field.key) };
      if (field.name === "cursor") found.push({ ...base, kind: "cursor" });
      else if (field.name === "node") found.push({ ...base, kind: "node", place: yield* placeOf(field.nodes) });
      else found.push({ ...base, kind: "typename", text: JSON.stringify(edgeName(target)) });
    }
    return found;
  }
}

function pageInfoMembers(context: CollectContext, nodes: readonly FieldNode[]): readonly PageInfoMember[] {
  return collectFields(context, "PageInfo", nodes).map((field, i): PageInfoMember => {
    const before = opening(i, field.key);
    switch (field.name) {
      case "hasNextPage":
      case "hasPreviousPage":
      case "startCursor":
      case "endCursor":
        return { opening: before, kind: field.name };
      default:
        return { opening: before, kind: "typename" };
    }
  });
}

/** The page is cut by cursors: the levels of the nodes have only filter and order. */
function listOnly(planned: PlannedArguments): PlannedArguments {
  return Object.freeze({
    ...planned,
    values: (variables: Readonly<Record<string, unknown>>) => {
      const { filter, order } = planned.values(variables);
      return { ...(filter === undefined ? {} : { filter }), ...(order === undefined ? {} : { order }) };
    },
  });
}
