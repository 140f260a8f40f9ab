// The fields of plugins' kinds of lists beside links.

import type { LinkField, NodeType } from "../../../contracts/model.ts";
import type { ListKind } from "../../../contracts/plugin/level-step.ts";
import type { Additions } from "../additions.ts";
import type { Member } from "../definition.ts";

export interface ListCompanion {
  readonly of: LinkField;
  readonly list: ListKind;
  readonly member: Member;
}

/** The fields of a type, kind by kind. */
export function listCompanions(node: NodeType, { listsOf }: Pick<Additions, "listsOf">): readonly ListCompanion[] {
  const companions = [...node.fields.values()].flatMap((of) => {
    if (of.role !== "link" || of.target.kind === "union") return [];
    return listsOf(of.target).flatMap(({ list, member }) => {
      const name = list.companion?.(of);
      return name === undefined ? [] : [{ of, list, member: { ...member, name } }];
    });
  });
  return companions;
}
