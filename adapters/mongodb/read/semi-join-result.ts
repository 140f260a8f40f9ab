// The result of a semi-join.

import type { Uid } from "../../../core/storage.ts";

/** The nodes for which a semi-join holds: by uid, or by the partner that their link leads to. Ascending. */
export type SemiJoinResult =
  | { readonly by: "uid"; readonly uids: readonly Uid[] }
  | { readonly by: "partner"; readonly partners: readonly Uid[] | "any" };
