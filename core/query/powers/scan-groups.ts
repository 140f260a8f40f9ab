// Groups of nodes for storages that do not group, and of what a caller sees: reads the nodes in slices and groups them here.

import type { Budget } from "../../contracts/budget.ts";
import type { Layout } from "../../contracts/layout.ts";
import { all, and } from "../../contracts/predicate.ts";
import type { GroupRequest } from "../../contracts/storage/requests.ts";
import type { Batch, Group } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { EndName, FieldName, MaybePromise, Uid, ValueKind } from "../../ground/values/value.ts";
import { Grouping, nodesOfGroup } from "../evaluate/grouping.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import { forwardingSnapshot } from "./forwarding-snapshot.ts";

const sliceRows = 8_192;

/** `snapshot` itself when its storage groups. */
export function withGroups(snapshot: Snapshot, layout: Layout, budget: Budget): Snapshot {
  if (snapshot.group) return snapshot;
  return forwardingSnapshot(snapshot, { group: (request) => scanGroups(request, snapshot, { kindOf: kindsOf(layout), budget }) });
}

/** The kind of a field, undefined for an end. */
export function kindsOf(layout: Layout): (name: FieldName | EndName) => ValueKind | undefined {
  const index = layoutIndexOf(layout);
  return (name) => (index.edges.end(name) ? undefined : index.kindOf(name));
}

export interface ScanOptions {
  readonly kindOf: (name: FieldName | EndName) => ValueKind | undefined;
  readonly budget: Budget;
  /** The batch as a caller sees it; its rows stay. */
  readonly shown?: (batch: Batch, columns: readonly (FieldName | EndName)[]) => MaybePromise<Batch>;
}

/** The result of `Snapshot.group`. */
export async function scanGroups(request: GroupRequest, snapshot: Snapshot, { kindOf, budget, shown }: ScanOptions): Promise<readonly Group[]> {
  const { types, where = all } = request.over;
  const grouping = new Grouping(request, kindOf);
  let after: Uid | undefined = 0;
  while (after !== undefined) {
    const rest = after === 0 ? where : and(where, { kind: "after", uid: after });
    const batch: Batch = await snapshot.find({ types, where: rest, page: { first: sliceRows }, fields: grouping.columns });
    const known = grouping.size;
    grouping.take(shown ? await shown(batch, grouping.columns) : batch);
    budget.spend((grouping.size - known) * nodesOfGroup);
    after = batch.uids.length < sliceRows ? undefined : batch.uids.at(-1);
  }
  return grouping.groups();
}
