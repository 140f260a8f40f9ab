// Checks the graphs of vectors: every point belongs to a node with this vector, and a search can reach it.

import { formatUid } from "../../../core/storage.ts";
import { uidFromText } from "../keyspaces/keys.ts";
import type { NearestRuntime } from "../layout/layout-runtime.ts";
import type { Head } from "../nearest/links.ts";
import { vectorOf } from "../write/entries.ts";
import type { Checking } from "./checking.ts";

const tickPoints = 256;

/** Points that nodes lack were found with the nodes. */
export async function checkNearest(checking: Checking): Promise<void> {
  for (const index of checking.database.schema.nearest) {
    const byLength = await checkPoints(checking, index);
    await checkHeads(checking, index, byLength);
  }
}

/** The nodes of each length of vectors. */
async function checkPoints({ database, view, findings, tick }: Checking, index: NearestRuntime): Promise<ReadonlyMap<number, readonly number[]>> {
  const { graph, name } = index;
  const { records } = database.schema.nodes;
  const byLength = new Map<number, number[]>();
  for await (const [text, point] of graph.points.scan(view)) {
    const uid = uidFromText(text);
    if (++findings.entries % tickPoints === 0) await tick(name, findings.entries, 0);
    const vector = vectorOf(index, records.keyspace.read(uid, view));
    if (vector === undefined || graph.pointFor(vector) === undefined)
      findings.fault("index", `${name}: ${formatUid(uid)} does not belong there`, () => graph.set(uid, undefined, view));
    else if (point !== undefined) uidsOf(byLength, vector.length).push(uid);
  }
  return byLength;
}

function uidsOf(byLength: Map<number, number[]>, length: number): number[] {
  const uids = byLength.get(length) ?? [];
  byLength.set(length, uids);
  return uids;
}

async function checkHeads(checking: Checking, { graph, name }: NearestRuntime, byLength: ReadonlyMap<number, readonly number[]>): Promise<void> {
  const { view, findings } = checking;
  for (const [length, uids] of byLength) {
    const head = graph.headsOf(view).find((each) => each.length === length);
    if (head?.count !== uids.length || graph.links.read(head.entry, view) === undefined) {
      findings.fault("index", `${name}: the head of the vectors of ${length} elements is wrong`, () => graph.mendHead(length, uids, view));
    }
    const reached = head === undefined ? new Set<number>() : await reachedFrom(checking, { graph, name }, head);
    for (const uid of uids) {
      if (reached.has(uid)) continue;
      findings.fault("index", `${name}: no search can reach ${formatUid(uid)}`, () => graph.reinsert(uid, view));
    }
  }
}

/** Over the links of the lowest layer. */
async function reachedFrom(
  { view, tick }: Checking,
  { graph, name }: Pick<NearestRuntime, "graph" | "name">,
  { entry }: Head,
): Promise<ReadonlySet<number>> {
  const reached = new Set([entry]);
  let done = 0;
  for (const uid of reached) {
    for (const other of graph.links.read(uid, view)?.[0] ?? []) reached.add(other);
    if (++done % tickPoints === 0) await tick(name, done, 0);
  }
  return reached;
}
