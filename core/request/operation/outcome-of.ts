// The outcome that metrics count for a request that ended with a thrown value.

import type { Outcome } from "../../contracts/metrics.ts";
import { QuernError } from "../../ground/errors.ts";
import { isStackOverflow } from "../../ground/too-deep.ts";
import type { RequestContext } from "./request-context.ts";

export function outcomeOf(thrown: unknown, { faulted }: Pick<RequestContext, "faulted">): Outcome {
  if (faulted) return "fault";
  if (isStackOverflow(thrown)) return "limit";
  switch (thrown instanceof QuernError ? thrown.code : undefined) {
    case "LIMIT_REACHED":
      return "limit";
    case "CANCELLED":
      return "cancelled";
    case "OVERLOADED":
    case "TOO_MANY_REQUESTS":
      return "overloaded";
    default:
      return "refused";
  }
}
