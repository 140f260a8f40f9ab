// Fields that a caller may not see everywhere, in conditions: where such a field is hidden it is as good as empty.

import { and, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { EndName, FieldName } from "../../ground/values/value.ts";

export interface Mask {
  /** The nodes of which the field may be seen; never `all`. */
  readonly visible: Predicate;
  readonly shows: "null" | "error";
  /**
   * Set when the caller may not read the field at all: what a condition on it means. `ignored`: the condition is left out. `unmet`: the filter
   * around it matches nothing. Undefined: the field is as good as empty where it is hidden.
   */
  readonly unreadable?: "ignored" | "unmet";
}

/** By stored name. A field that is not here may be seen of every node. */
export type Masks = ReadonlyMap<FieldName | EndName, Mask>;

/** By stored name, what is hidden; a name that is not here may be seen in every row. */
export type HiddenRows = ReadonlyMap<FieldName | EndName, HiddenField>;

export interface HiddenField {
  readonly shows: Mask["shows"];
  /** The caller may not read the field of any node: links of it are not even counted. */
  readonly isUnreadable: boolean;
  readonly isHidden: (row: number) => boolean;
}

/**
 * `condition`, which asks about `field` alone, where it may be seen. Its parts fail elsewhere, as they do for a field that holds nothing.
 * Undefined: the caller may not ask about the field.
 */
export function behindMask(condition: Predicate, field: FieldName | EndName, masks: Masks | undefined): Predicate | undefined {
  const mask = masks?.get(field);
  if (!mask) return condition;
  return mask.unreadable === undefined ? hidden(condition, mask.visible) : undefined;
}

export function isUnreadable(field: FieldName | EndName, masks: Masks | undefined): boolean {
  return masks?.get(field)?.unreadable !== undefined;
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
