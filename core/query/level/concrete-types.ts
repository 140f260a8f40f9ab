// The types of which the nodes behind a field can be.

import type { NodeType, UnionType } from "../../contracts/model.ts";

/** Each once; of an object type itself. */
export function concreteTypes(target: NodeType | UnionType): readonly NodeType[] {
  return target.kind === "union" ? [...new Set(target.members.flatMap((each) => each.members))] : target.members;
}
