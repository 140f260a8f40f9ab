// The view of the data in which an operation reads.

import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { OperationContext } from "../operation-context.ts";
import { withAllPowers } from "../powers/all-powers.ts";
import { withGroups } from "../powers/scan-groups.ts";
import { withNearest } from "../powers/scan-nearest.ts";

/** A new snapshot, with what the storage lacks. The caller closes it. */
export function openSnapshot({ storage, deployment, budget, after, recordReads, sentQueries, chosenWays }: OperationContext): Snapshot {
  const observed = sentQueries && {
    sent: (query: string) => void sentQueries.push(query),
    ...(chosenWays && { chosen: (way: string) => void chosenWays.push(way) }),
  };
  const plain = storage.snapshot({ version: deployment.version, budget, ...(after !== undefined && { after }), ...observed });
  return withWhatItLacks(plain, { storage, deployment, budget, recordReads });
}

/** `plain`, a snapshot or a transaction, with what its storage lacks. */
export function withWhatItLacks(
  plain: Snapshot,
  { storage, deployment, budget, recordReads }: Pick<OperationContext, "storage" | "deployment" | "budget" | "recordReads">,
): Snapshot {
  // A live query depends on a search or a grouping as a whole, not on each of its batches.
  const searching = withGroups(withNearest(plain, storage.supports), deployment.layout, budget);
  return withAllPowers(recordReads ? recordReads(searching) : searching, { supports: storage.supports, layout: deployment.layout, budget });
}
