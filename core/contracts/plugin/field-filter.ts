// A filter that a plugin gives to a stored field.

import type { Work } from "../../ground/work.ts";
import type { ValueField } from "../model.ts";
import type { Predicate } from "../predicate.ts";

/**
 * Adds a member with the field's name to the input `<Type>Filter`:
 *
 *     // PostFilter.published: Boolean
 *     {
 *       field: published,
 *       input: "Boolean",
 *       predicate: (value) => ({ kind: "compare", field: published.stored, op: "eq", operands: [value === true] }),
 *     }
 *
 * Rules, DQL and other query languages use the same predicates, so the filter's index serves all of them.
 */
export interface FieldFilter {
  readonly field: ValueField;
  /** The member's type: a type of `definitions`, a built-in input or a scalar: `StringHashFilter`, `Boolean`. */
  readonly input: string;
  /**
   * The condition for the coerced value of the member; undefined: no condition. Int64 values are bigints, DateTime values are as written.
   *
   * @throws `VALUE_INVALID` for an operand that cannot be compared
   */
  readonly predicate: (operand: unknown) => Predicate | undefined;
  /**
   * The same for an operand that takes long, such as a text of many words: the kernel calls it for operands of more than some thousand characters, and lets
   * others run between its steps. Absent: `predicate` takes less than some milliseconds whatever it is given.
   *
   *     steps: function* (operand) {
   *       const found = new Set<string>();
   *       for (const part of partsOf(operand)) {
   *         for (const token of tokensOf(part)) found.add(token);
   *         yield;
   *       }
   *       return { kind: "lookup", index, match: "any", tokens: [...found] };
   *     }
   */
  readonly steps?: (operand: unknown) => Work<Predicate | undefined>;
}
