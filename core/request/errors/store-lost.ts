// The refusal of every request while there is no store. When it is back, the same request succeeds.

import type { StoreTrouble } from "../../contracts/storage/trouble.ts";
import { QuernError } from "../../ground/errors.ts";

/** Undefined: requests may run. */
export function storeLost(trouble: StoreTrouble | undefined): QuernError | undefined {
  if (trouble?.kind !== "lost") return undefined;
  return new QuernError(
    "STORE_UNAVAILABLE",
    `The store is not open: ${trouble.reason}. It is opened again as soon as that is possible; try again in a moment.`,
  );
}
