// What a root field of a plugin answers.

import type { ErrorCode, Location } from "../../ground/errors.ts";
import type { AnswerValue, FieldName, Json, Stored, Uid, Value } from "../../ground/values/value.ts";
import type { IdField, LinkField, NodeType, ValueField } from "../model.ts";

/**
 * The result of a root field: nodes, of which the kernel reads the selected fields, or a value.
 *
 * The kernel completes a value by the field's GraphQL type, whatever it is: objects are cut to the selection, scalars are coerced, a null in a
 * non-null position propagates, and what does not fit is an error with its path. The concrete type of an interface or union is read from
 * `__typename`. `errors` are added to the answer; those of a mutation make it fail, and the mutations after it do not run.
 *
 *     return { json: null, errors: [{ message: "The tide service does not answer." }] };
 */
export type RootAnswer = GivenNodes | { readonly json: AnswerValue; readonly errors?: readonly AnswerError[] } | LookupAnswer;

/**
 * The nodes that a root field returns. The kernel reads the selected fields of those that the caller may see, in this order:
 *
 *     return { nodes: [7, 3], values: { distance: [0.12, 0.4] } };
 */
export interface GivenNodes {
  /** In the order of the answer. Those that the caller may not see are left out. */
  readonly nodes: readonly Uid[];
  /** Leaves out nodes of which the caller may not see this field: the choice of the nodes, or `values`, would disclose it. */
  readonly discloses?: ValueField | undefined;
  /** Values of computed fields of these nodes, by field name, one for each node. They replace the results of `compute`. */
  readonly values?: Readonly<Record<string, readonly Json[]>> | undefined;
  /** What went wrong although there are nodes, or why there are none. */
  readonly errors?: readonly AnswerError[];
}

/** An error that comes with a value. Clients see it as it is. */
export interface AnswerError {
  /** What clients read. It contains no secret and no path of this machine. */
  readonly message: string;
  /** What clients read as `extensions.code`, unless `extensions` has one. Default: `OPERATION_FAILED`. */
  readonly code?: ErrorCode;
  /** The message with `errors: "compatible"`, where it differs. */
  readonly compatible?: string;
  /** By default that of the field. */
  readonly locations?: readonly Location[];
  /** By default none for a root field. For a computed field: that of the parent's field with `parent`, else that of the root field. */
  readonly path?: readonly (string | number)[];
  /** As members of the error's `extensions`. */
  readonly extensions?: Readonly<Record<string, Json>>;
  /** Of a computed field: the parent whose value it is about, as an index. Shown at each place where the parent is. */
  readonly parent?: number;
}

/**
 * Nodes of several types by what identifies them. The kernel finds those of one type together, as `get<Type>` would: rules, masks and operand
 * hooks apply. A node that does not exist, or that the caller may not see, is null; so is an undefined lookup.
 *
 *     return { lookups: [{ type: boat, by: [{ field: hull, value: "K 7" }] }, undefined] };
 */
export interface LookupAnswer {
  /** One for each item of the answer, in order. */
  readonly lookups: readonly (NodeLookup | undefined)[];
  /** What went wrong beside the nodes. */
  readonly errors?: readonly AnswerError[];
}

/**
 * What identifies a node: `{ type: boat, by: [{ field: hull, value: "K 7" }] }`. All parts must hold. A lookup that several nodes satisfy is null,
 * with an error.
 */
export interface NodeLookup {
  /** One of `RootField.members`. */
  readonly type: NodeType;
  /** At least one. The value of an ID field is the node's uid. */
  readonly by: readonly LookupPart[];
  /** Values that computed fields of the node get as `needs` instead of the stored ones, by storage name. Undefined: no value. */
  readonly represented?: ReadonlyMap<FieldName, Stored | undefined>;
}

/** One part of what identifies a node. */
export interface LookupPart {
  /** Single links that lead from the node to the one that has `field`; by default it is the node itself. */
  readonly path?: readonly LinkField[];
  readonly field: IdField | ValueField;
  readonly value: Value;
}
