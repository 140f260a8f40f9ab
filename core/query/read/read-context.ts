// Begins the reads of one root field.

import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { OperationContext, ReadContext } from "../operation-context.ts";
import { RootAside } from "./aside.ts";

/** Lists the members: a spread of the whole context would make a small query slower by a third. */
export function readContext(root: { readonly key: string }, context: OperationContext, snapshot: Snapshot): ReadContext {
  const { deployment, request, refused, permissions, variables, runs, valueLimits, budget, log } = context;
  return {
    snapshot,
    operation: context,
    deployment,
    request,
    refused,
    permissions,
    variables,
    runs,
    valueLimits,
    budget,
    log,
    aside: new RootAside(),
    rootKey: root.key,
  };
}
