// What the hooks of mutations get and return.

import type { QuernError } from "../../ground/errors.ts";
import type { EndName, FieldName, MaybePromise, Stored, Uid } from "../../ground/values/value.ts";
import type { Change } from "../change.ts";
import type { NodeType } from "../model.ts";
import type { NodeRef, Transaction } from "../storage/snapshot.ts";
import type { Purpose, RequestView } from "./request-view.ts";

/**
 * One input object of a mutation, before keys and references are looked up. `addPost(input: [{ title: "Notes", author: { name: "Ada" } }])` has two:
 *
 *     { type: post, role: "add", values: new Map([["title", "Notes"]]) }
 *     { type: author, role: "nested", values: new Map([["name", "Ada"]]) }
 */
export interface InputObject {
  readonly type: NodeType;
  /** `add`: an item of an add. `nested`: an inner object, which may be a reference or a new node. `set`, `remove`: the patches of an update. */
  readonly role: "add" | "nested" | "set" | "remove";
  /**
   * The coerced values of value fields, by field name. A null in the input is null; a field that is not given is absent. Locked: to change one, return it in
   * `InputChanges.values`.
   */
  readonly values: ReadonlyMap<string, Stored | null>;
}

/**
 * What `values` changes in an input object. By field name; every member is optional.
 *
 *     { values: new Map([["email", "ada@example.org"]]), whenCreated: new Map([["createdAt", request.now]]) }
 */
export interface InputChanges {
  /** Replaces values. */
  readonly values?: ReadonlyMap<string, Stored | null>;
  /** Values of absent fields, used when the object becomes a new node. */
  readonly whenCreated?: ReadonlyMap<string, Stored>;
  /** Values of absent fields, used when the object changes an existing node. */
  readonly whenUpdated?: ReadonlyMap<string, Stored>;
  /** Refuses the mutation when the object's values are written. No effect when the object is only a reference. */
  readonly refuse?: QuernError;
}

/** Whether the request may read the field of the node. */
export type Sees = (uid: Uid, field: FieldName | EndName) => boolean;

/** A transaction without the methods that would write nodes past other plugins' hooks. */
export type ChangesTransaction = Omit<Transaction, "write" | "uids" | "close">;

/** What `changes` and `check` may use. */
export interface ChangesContext {
  /** The changes of the mutation, those of earlier plugins included. Frozen: to change one, return a list with another one in its place. */
  readonly changes: readonly Change[];
  /**
   * Reads see the writes of the mutation. `hold` protects a decision that depends on a node: the commit conflicts and runs again when another
   * transaction changes it. `setMeta` stores small JSON in this commit. To write nodes, return changes from `changes`.
   *
   *     check: async ({ transaction }) => {
   *       const count = Number((await transaction.meta("audit.count")) ?? 0);
   *       await transaction.setMeta("audit.count", count + 1);
   *     }
   */
  readonly transaction: ChangesTransaction;
  readonly request: RequestView;
  /** The mutation: the name of its root field, what it does, the type that it writes, and its coerced arguments. */
  readonly mutation: {
    readonly field: string;
    readonly kind: "add" | "update" | "delete";
    readonly type: NodeType;
    /**
     * The language of a plugin in which it was written (`WriteTransaction`). Then `field` is the language too, there are no arguments, and all changes to nodes of one
     * type that are of one kind count as one mutation. Absent: GraphQL.
     */
    readonly language?: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    /**
     * The arguments as the client wrote them, with variables filled in: a DateTime is not normalized, an Int64 is a text where the client sent one. Single
     * values of lists are lists; members without a value are absent.
     */
    readonly sent: Readonly<Record<string, unknown>>;
  };
  /**
   * Allocates uids for nodes that the hook creates, at most 1,000,000 at once. Each is for one node of this mutation: a node with another uid, and two with one,
   * are faults of the plugin.
   */
  readonly uids: (count: number) => MaybePromise<readonly Uid[]>;
  /**
   * Which of `nodes` the rules let the request access for `purpose`, for a hook that changes nodes which the client did not name. Rejects when the request
   * has no permission to delete nodes of such types (`Hooks.permissions`), with the purpose `delete`.
   *
   *     const permits = await permits("delete", linked);
   *     if (!linked.every(({ uid }) => permits(uid))) throw new QuernError("REQUEST_REFUSED", "...");
   */
  readonly permits: (purpose: Purpose, nodes: readonly NodeRef[]) => MaybePromise<(uid: Uid) => boolean>;
  /**
   * Which of `fields` the request may read of which of `nodes`, as they now are. A hook whose changes or refusals depend on a stored value asks it
   * first: otherwise they tell the value to a caller who may write it and not read it.
   *
   *     const sees = await context.sees(nodes, ["Account.balance"]);
   *     if (!nodes.every(({ uid }) => sees(uid, "Account.balance"))) throw new QuernError("REQUEST_REFUSED", "...");
   */
  readonly sees: (nodes: readonly NodeRef[], fields: readonly (FieldName | EndName)[]) => MaybePromise<Sees>;
  /** How many more nodes the mutation may change (`limits.maxChanges`). Adding more changes refuses it; a hook that gathers nodes stops there. */
  readonly room: number;
}

/** What `append` may use. Reads of `transaction` see everything that the mutation has written. */
export interface WrittenContext extends Omit<ChangesContext, "changes"> {
  /** The nodes that the mutation is about: created or found by the items of an add, in their order; matched by the filter of an update or a delete. */
  readonly roots: readonly NodeRef[];
}
