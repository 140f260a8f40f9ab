// Definitions of the schema as they are served: without hidden fields, with arguments on links and aggregates of lists.

import type { TypeDefinitionNode } from "graphql";
import type { Model, NodeType } from "../../contracts/model.ts";
import type { Additions } from "./additions.ts";
import type { Definition, Member } from "./definition.ts";
import { aggregateCompanions } from "./outputs/aggregate.ts";
import { linkArguments } from "./outputs/arguments.ts";
import { listCompanions } from "./outputs/lists.ts";
import { readDefinition } from "./sdl/read-definition.ts";

export function clientDefinition(definition: TypeDefinitionNode, model: Model, additions: Pick<Additions, "listsOf">): Definition {
  const read = readDefinition(definition);
  const node = model.nodeTypes.get(read.name);
  if (!node || (read.kind !== "type" && read.kind !== "interface")) return read;
  const members = read.members.flatMap((member) => servedMember(member, node));
  return {
    ...read,
    members: [...members, ...[...aggregateCompanions(node), ...listCompanions(node, additions)].map(({ member }) => member)],
  };
}

function servedMember(member: Member, node: NodeType): readonly Member[] {
  const field = node.fields.get(member.name);
  if (field && !field.exposure.output) return [];
  if (field?.role !== "link") return [member];
  return [{ ...member, arguments: [...(member.arguments ?? []), ...linkArguments(field)] }];
}
