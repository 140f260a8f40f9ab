// Orders as storage takes them, or with keys behind links.

import type { LinkField } from "../../contracts/model.ts";
import type { Order, OrderKey } from "../../contracts/storage/requests.ts";

/** A sort key: a value or the number of partners, of the node itself or of the one that single links lead to. */
export interface SortKey {
  readonly path: readonly LinkField[];
  readonly by: OrderKey | LinkCount;
}

/** The number of partners at the other side of a link. */
export interface LinkCount {
  readonly count: LinkField;
  readonly direction: "asc" | "desc";
}

/** An order as storage takes it, or with keys behind links, which storage does not know. */
export interface CompiledOrder {
  /** Empty when `related` is set. */
  readonly order: Order;
  /** All keys, when some are behind links. */
  readonly related: readonly SortKey[] | undefined;
}

export const noOrder: CompiledOrder = Object.freeze({ order: [], related: undefined });

/** A value of the node itself. */
export function isOwnValue(key: SortKey): key is SortKey & { readonly by: OrderKey } {
  return key.path.length === 0 && "field" in key.by;
}
