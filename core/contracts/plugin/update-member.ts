// Members that plugins add to the inputs of updates.

import type { MaybePromise } from "../../ground/values/value.ts";
import type { Set as SetChange } from "../change.ts";
import type { LinkField, NodeType } from "../model.ts";
import type { NodeRef } from "../storage/snapshot.ts";
import type { ChangesContext, ChangesTransaction } from "./mutation-hooks.ts";
import type { RequestView } from "./request-view.ts";

/**
 * Adds a member to `Update<Type>Input`, beside `set` and `remove`: another way to change the objects that the update's filter chooses, or those that they
 * link to.
 *
 *     { type: post, signature: "increment: PostIncrement", changes: (operand, { nodes, transaction }) => raised(operand, nodes, transaction) }
 *
 * An update without `set` and `remove` changes something when such a member has a value. The rules of an update hold, and permissions and the hooks
 * `changes` and `check` see the changes. A value that `set` or `remove` writes too refuses the mutation.
 */
export interface UpdateMember {
  readonly type: NodeType;
  /** In SDL: `increment: PostIncrement`. Its type is an input of `definitions`. */
  readonly signature: string;
  /**
   * In the transaction: the new values that the coerced value of the member, which is not null, gives to some of the chosen objects. Called for up to
   * 1,000 objects at a time. May run again.
   */
  readonly changes?: (operand: unknown, context: UpdateContext) => MaybePromise<readonly SetChange[]>;
  /** Before the transaction: what the coerced value of the member, which is not null, asks of linked objects. */
  readonly steps?: (operand: unknown) => readonly LinkSteps[];
}

/** What `UpdateMember.changes` may use. */
export interface UpdateContext {
  readonly nodes: readonly NodeRef[];
  /** Reads see the data before the update. */
  readonly transaction: ChangesTransaction;
  readonly request: RequestView;
  /** As `ChangesContext.sees`: asked before changes or refusals depend on a stored value. */
  readonly sees: ChangesContext["sees"];
}

/**
 * What an update does through one link of the objects that it has chosen. It acts on the links as they were before the update, in the order remove,
 * delete, update, add. Each step is judged by the rules of the type that it touches, as if it were that mutation; one refusal refuses all.
 *
 *     { field: posts, remove: { title: { eq: "Old" } }, add: [{ title: "New" }] }
 */
export interface LinkSteps {
  readonly field: LinkField;
  /** The links that go: a coerced `<Target>Filter` on what they lead to. `{}`: all. Undefined: none. */
  readonly remove?: unknown;
  /** The linked objects that are deleted: a filter, as `remove`. */
  readonly delete?: unknown;
  /** The linked objects that are updated. Not for a union. */
  readonly update?: readonly LinkedUpdate[];
  /** Objects to link: coerced `<Target>Ref`s. */
  readonly add?: readonly unknown[];
  /** As `add`, when all other links have gone. An empty list: all go. */
  readonly replace?: readonly unknown[];
}

/**
 * An update of linked objects:
 *
 *     { filter: { published: false }, input: { set: { published: true } } }
 */
export interface LinkedUpdate {
  readonly filter: unknown;
  /** As `Update<Target>Input` without its filter: `set`, `remove` and the members of plugins. */
  readonly input: Readonly<Record<string, unknown>>;
}
