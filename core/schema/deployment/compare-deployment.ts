// What a deploy would do, before it is done: to clients, to the work of storage, and to data that would leave sight.

import type { LayoutComparison, Storage } from "../../contracts/storage.ts";
import { type ApiChange, apiChanges } from "./api-changes.ts";
import type { Deployment, PreparedDeployment } from "./deployment.ts";
import { type Renamed, renamedThings } from "./renamed.ts";
import { findUnreachable, type Unreachable } from "./unreachable.ts";

/** A trusted document that a schema would refuse. */
export interface BrokenDocument {
  readonly id: string;
  /** Of its operations; undefined when they have none, or when it cannot be parsed. */
  readonly name?: string;
  /** The first thing that is wrong with it. */
  readonly message: string;
}

export interface DeployComparison {
  readonly api: readonly ApiChange[];
  /** `obstacles` refuse the deploy. */
  readonly storage: LayoutComparison;
  /** What keeps its data under a new name. */
  readonly renamed: readonly Renamed[];
  readonly unreachable: readonly Unreachable[];
  /** Trusted documents that the API would refuse. Absent: none. */
  readonly brokenDocuments?: readonly BrokenDocument[];
}

/** How long nodes are counted that would leave sight. */
const countingMs = 10_000;

/** @param before undefined: nothing is deployed, and everything is new */
export async function compareDeployment(
  storage: Storage,
  { before, next }: { readonly before: Deployment | undefined; readonly next: PreparedDeployment },
): Promise<DeployComparison> {
  const compared = await storage.compare(next.layout);
  if (before === undefined) return { api: [], storage: compared, renamed: [], unreachable: [] };
  return {
    api: apiChanges(before.api.schema, next.api.schema),
    storage: compared,
    renamed: renamedThings(before, next),
    unreachable: await findUnreachable(storage, { before, next, withinMs: countingMs }),
  };
}
