// What groups of nodes select: keys, of which links are levels of their own, and measures.

import type { FieldNode } from "graphql";
import type { LinkField, NodeType } from "../../contracts/model.ts";
import type { Measure } from "../../contracts/storage/requests.ts";
import type { Work } from "../../ground/work.ts";
import type { Api } from "../../schema/api/api.ts";
import { groupName } from "../../schema/api/names.ts";
import { type CollectContext, type CollectedField, collectFields } from "./collect-fields.ts";
import { opening, placeOf } from "./plan-parts.ts";
import type { GroupKeyMember, GroupMember, GroupSelection, Level, PlannedArguments } from "./selection.ts";

export interface GroupsRequest {
  readonly target: NodeType;
  readonly nodes: readonly FieldNode[];
  readonly arguments: PlannedArguments;
}

/** @param level plans the objects of a link that is a key */
export function* planGroups(
  context: CollectContext & { readonly api: Api },
  { target, nodes, arguments: given }: GroupsRequest,
  level: (field: LinkField, nodes: readonly FieldNode[]) => Work<Level>,
): Work<GroupSelection> {
  const output = context.api.outputs.get(groupName("Result", target));
  const shape = output?.kind === "groups" ? output.shape : { node: target, keys: new Map<string, never>(), measures: new Map<string, never>() };
  const measures: Measure[] = [];
  const links: { readonly field: LinkField; readonly level: Level }[] = [];
  const members: GroupMember[] = [];
  for (const field of collectFields(context, groupName("Result", target), nodes)) members.push(yield* memberOf(field, members.length));
  return { shape, members, measures, links, arguments: given };

  function* memberOf(field: CollectedField, position: number): Work<GroupMember> {
    const base = { key: field.key, opening: opening(position, field.key) };
    const measure = shape.measures.get(field.name);
    if (field.name === "key") return { ...base, kind: "key", members: yield* keyMembers(field.nodes) };
    if (measure) return { ...base, kind: "measure", measure: placeOf(measure.measure, measures), valueKind: measure.kind, node: field.node };
    return { ...base, kind: "typename", text: JSON.stringify(groupName("Result", target)) };
  }

  function* keyMembers(keys: readonly FieldNode[]): Work<readonly GroupKeyMember[]> {
    const found: GroupKeyMember[] = [];
    for (const selected of collectFields(context, groupName("Keys", target), keys)) {
      const base = { key: selected.key, opening: opening(found.length, selected.key) };
      const field = shape.keys.get(selected.name);
      if (!field) found.push({ ...base, kind: "typename", text: JSON.stringify(groupName("Keys", target)) });
      else if (field.role === "value") found.push({ ...base, kind: "value", field });
      else found.push({ ...base, kind: "link", field, link: links.push({ field, level: yield* level(field, selected.nodes) }) - 1 });
    }
    return found;
  }
}
