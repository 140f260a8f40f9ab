// Fields that a caller may not see everywhere, in conditions: where such a field is hidden it is as good as empty.

import { and, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { EndName, FieldName } from "../../ground/values/value.ts";

export interface Mask {
  /** The nodes of which the field may be seen; never `all`. */
  readonly visible: Predicate;
  readonly shows: "null" | "error";
}

/** By stored name. A field that is not here may be seen of every node. */
export type Masks = ReadonlyMap<FieldName | EndName, Mask>;

/** `condition`, which asks about `field` alone, where it may be seen. Its parts fail elsewhere, as they do for a field that holds nothing. */
export function behindMask(condition: Predicate, field: FieldName | EndName, masks: Masks | undefined): Predicate {
  const mask = masks?.get(field);
  return mask ? hidden(condition, mask.visible) : condition;
}

function hidden(condition: Predicate, visible: Predicate): Predicate {
  switch (condition.kind) {
    case "and":
      return and(...condition.of.map((each) => hidden(each, visible)));
    case "or":
      return or(...condition.of.map((each) => hidden(each, visible)));
    case "not":
      return not(hidden(condition.of, visible));
    case "has":
    case "compare":
    case "lookup":
    case "check":
    case "linked":
      return and(visible, condition);
    default:
      return condition;
  }
}
