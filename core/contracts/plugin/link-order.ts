// An order that a plugin gives to a link: by what is at its other side.

import type { LinkField } from "../model.ts";

/**
 * Adds a member with the link's name to the input `<Type>Order`. The field needs `Exposure.order`:
 *
 *     // PostOrder.author: AuthorOrder
 *     { field: author, input: "AuthorOrder", key: (order) => ({ kind: "partner", order }) }
 */
export interface LinkOrder {
  readonly field: LinkField;
  /** The member's type: an input of `definitions`, or a generated one: `AuthorOrder`. */
  readonly input: string;
  /** What the coerced value of the member orders by; undefined: nothing. */
  readonly key: (operand: unknown) => LinkOrderKey | undefined;
}

/**
 * Nodes without a partner that the caller may see come last in both directions.
 *
 *     { kind: "partner", order: { asc: "name" } } // posts by the names of their authors
 *     { kind: "count", direction: "desc" } // authors by the number of their posts
 */
export type LinkOrderKey =
  /** Of a link to one node: by a coerced value of the order input of its target. */
  | { readonly kind: "partner"; readonly order: unknown }
  /** By the number of partners that the caller may see. */
  | { readonly kind: "count"; readonly direction: "asc" | "desc" };
