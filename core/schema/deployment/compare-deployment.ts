// The effects of a deploy, in advance: on clients, on storage, and on data that it would hide.

import type { LayoutComparison } from "../../contracts/storage/migration.ts";
import type { Storage } from "../../contracts/storage/storage.ts";
import { type ApiChange, apiChanges } from "./api-changes.ts";
import { declaredFields } from "./declared-fields.ts";
import type { Deployment, PreparedDeployment } from "./deployment.ts";
import { type Renamed, renamedThings } from "./renamed.ts";
import { findUnreachable, type Unreachable } from "./unreachable.ts";

/** A trusted document that is invalid under a schema. */
export interface BrokenDocument {
  readonly id: string;
  /** The name of its operation; undefined if it has none or cannot be parsed. */
  readonly name?: string;
  /** Its first problem. */
  readonly message: string;
}

/** The effects of a deploy. */
export interface DeployComparison {
  /** Changes of the API; empty if nothing is deployed. */
  readonly api: readonly ApiChange[];
  /** Changes of the storage layout. Its `obstacles` would refuse the deploy. */
  readonly storage: LayoutComparison;
  /** Types and fields that keep their data under a new name. */
  readonly renamed: readonly Renamed[];
  /** Data that the deploy would hide. */
  readonly unreachable: readonly Unreachable[];
  /** Trusted documents that would become invalid. Absent if there are none. */
  readonly brokenDocuments?: readonly BrokenDocument[];
}

/** Time limit for counting hidden nodes. */
const countingMs = 10_000;

/** @param before the active deployment; undefined if nothing is deployed */
export async function compareDeployment(
  storage: Storage,
  { before, next }: { readonly before: Deployment | undefined; readonly next: PreparedDeployment },
): Promise<DeployComparison> {
  const compared = await storage.compare(next.layout, { declared: declaredFields(next.model) });
  if (before === undefined) return { api: [], storage: compared, renamed: [], unreachable: [] };
  return {
    api: apiChanges(before.api.schema, next.api.schema),
    storage: compared,
    renamed: renamedThings(before, next),
    unreachable: await findUnreachable(storage, { before, next, withinMs: countingMs }),
  };
}
