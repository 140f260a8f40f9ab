// What a plugin adds to the storage layout and to the generated API.

import type { FieldLayout, IndexLayout, KeyLayout, TypeLayout } from "../layout.ts";
import type { NodeType } from "../model.ts";
import type { Nearest } from "../storage/requests.ts";
import type { ComputedField } from "./computed-field.ts";
import type { FieldFilter } from "./field-filter.ts";
import type { ListKind } from "./level-step.ts";
import type { LinkFilter } from "./link-filter.ts";
import type { LinkOrder } from "./link-order.ts";
import type { RootField } from "./root-field.ts";
import type { UpdateMember } from "./update-member.ts";

/**
 * Additions to the storage layout. A thing with an existing name replaces it: a derived field replaces the plain one of the kernel. A new type is
 * hidden: the API does not show it. A type with an existing name adds its fields to that type.
 *
 *     { indexes: [{ name: "Author.name/hash", field: "Author.name", by: "value", ordered: false }] }
 */
export interface LayoutAdditions {
  readonly types?: readonly TypeLayout[];
  readonly fields?: readonly FieldLayout[];
  readonly indexes?: readonly IndexLayout[];
  readonly keys?: readonly KeyLayout[];
}

/**
 * Additions to the generated API:
 *
 *     {
 *       definitions: "input FlagFilter { is: Boolean }",
 *       filters: [{ field, input: "FlagFilter", predicate }],
 *     }
 *
 * Names must not clash with those of other plugins and of the generated API: the deploy names both, and where each is written.
 */
export interface ApiAdditions {
  /**
   * SDL of the inputs, enums, scalars and types that the additions use. Types are not stored, and nothing is generated for them: they are for the JSON of root
   * fields, also of those that the client declares.
   */
  readonly definitions?: string;
  /** Filters on stored fields. */
  readonly filters?: readonly FieldFilter[];
  /** Filters on links: on the nodes that they lead to. */
  readonly linkFilters?: readonly LinkFilter[];
  /** Orders by what is at the other side of links. */
  readonly linkOrders?: readonly LinkOrder[];
  /** Kinds of lists of the nodes of types. */
  readonly lists?: readonly ListKind[];
  /** Fields of `Query` and `Mutation`. */
  readonly roots?: readonly RootField[];
  /** Values of computed fields. */
  readonly computed?: readonly ComputedField[];
  /** Arguments of generated `query<Type>` fields that choose the nodes nearest to a vector. */
  readonly nearest?: readonly NearestArgument[];
  /** Members of generated `Update<Type>Input`s. */
  readonly updates?: readonly UpdateMember[];
  /** Deprecation reasons by name of a generated root field. */
  readonly deprecated?: Readonly<Record<string, string>>;
  /** Names of fields of the client's `Query` that become fields of `Subscription` too. Their `run` may read only `snapshot`. */
  readonly live?: readonly string[];
  /**
   * Names of directives of `DirectivePlugin.definitions` on mutations. The root fields of a mutation that has one run in order in one transaction: each
   * sees the writes of those before it, and an error while writing undoes all of them. Each is judged as if it ran alone, by the same hooks; what they
   * get as `transaction` is another object for each root field. Only generated mutations can be part of it.
   *
   *     { definitions: "directive @transaction on MUTATION", model: () => ({ api: () => ({ atomic: ["transaction"] }) }) }
   */
  readonly atomic?: readonly string[];
  /**
   * Names of directives of `DirectivePlugin.definitions` on fields, with integer arguments `atLeast` and `atMost`. An update or a delete that has one must be
   * about so many nodes, of those that its filter matches and that the caller may see and change. Otherwise it is refused with `COUNT_MISMATCH` and nothing is
   * written, in a transaction nothing of the whole. Without an argument, or with null for it, there is no such bound. A document with one on any other field
   * is refused.
   *
   *     { definitions: "directive @affects(atLeast: Int, atMost: Int) on FIELD", model: () => ({ api: () => ({ counting: ["affects"] }) }) }
   */
  readonly counting?: readonly string[];
  /**
   * Under which key the JSON of root fields and computed fields has a field, where that is not the field's name, by `Type.field`:
   * `{ "Reading.value": "sensor-value" }`.
   */
  readonly jsonKeys?: Readonly<Record<string, string>>;
}

/**
 * Adds an argument to `query<Type>`. The nodes nearest to a vector are chosen among those that pass the filter and that the caller may see;
 * nodes whose vector the caller may not see are left out. They come nearest first, unless the query has an `order`, and are paged last.
 *
 *     { type: post, signature: "near: PostNear", nearest: ({ vector, topK }) => ({ field: "Post.topic", metric: "cosine", vector, count: topK }) }
 */
export interface NearestArgument {
  readonly type: NodeType;
  /** In SDL: `near: PostNear`. Its type is an input of `definitions`. */
  readonly signature: string;
  /**
   * The search for the coerced value of the argument. A `count` below 1 gives no nodes.
   *
   * @throws `VALUE_INVALID` for a value that cannot be searched for
   */
  readonly nearest: (operand: unknown) => Nearest;
  /** The name of the computed field that shows the distance. */
  readonly distance?: string;
}
