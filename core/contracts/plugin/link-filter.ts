// A filter that a plugin gives to a link: conditions on the nodes that it leads to.

import type { LinkField } from "../model.ts";

/**
 * Adds a member with the link's name to the input `<Type>Filter`:
 *
 *     // AuthorFilter.posts: PostFilter, at least one post satisfies it
 *     { field: posts, input: "PostFilter", condition: (filter) => ({ kind: "partners", filter, satisfying: true, atLeast: 1 }) }
 */
export interface LinkFilter {
  readonly field: LinkField;
  /** The member's type: a type of `definitions`, a built-in input, or a generated one: `PostFilter`. */
  readonly input: string;
  /**
   * The condition for the coerced value of the member; undefined: no condition.
   *
   * @throws `VALUE_INVALID` for an operand that makes no condition
   */
  readonly condition: (operand: unknown) => LinkCondition | undefined;
}

/**
 * A condition on the partners of a node: on those that the caller may see.
 *
 *     // every post is long: no post is not long
 *     { kind: "not", of: { kind: "partners", filter: { length: { gt: 1000 } }, satisfying: false, atLeast: 1 } }
 */
export type LinkCondition = CombinedConditions | NegatedCondition | PartnerCount;

/** All of these hold, or any of them. */
export interface CombinedConditions {
  readonly kind: "and" | "or";
  readonly of: readonly LinkCondition[];
}
/** The complement. */
export interface NegatedCondition {
  readonly kind: "not";
  readonly of: LinkCondition;
}
/** At least `atLeast` (1 or more) partners satisfy a filter, or do not satisfy it. */
export interface PartnerCount {
  readonly kind: "partners";
  /** A coerced value of the filter input of the link's target: `PostFilter`. `{}`: every partner satisfies it. */
  readonly filter: unknown;
  /** False: the partners that do not satisfy `filter` count. */
  readonly satisfying: boolean;
  /** 1 or more. */
  readonly atLeast: number;
}
