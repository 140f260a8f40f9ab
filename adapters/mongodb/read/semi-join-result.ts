// What a semi-join was found to hold for.

import type { Uid } from "../../../core/index.ts";

/** The nodes for which a semi-join holds: by their own uid, or by whom their link leads to. Ascending. */
export type SemiJoinResult =
  | { readonly by: "uid"; readonly uids: readonly Uid[] }
  | { readonly by: "partner"; readonly partners: readonly Uid[] | "any" };
