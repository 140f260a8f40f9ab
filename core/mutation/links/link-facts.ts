// Reads the current partners of the single ends that requested links would take: one load for the ends, one for the partners' types.

import type { NodeRef, Snapshot } from "../../contracts/storage/snapshot.ts";
import type { EndName, TypeName, Uid } from "../../ground/values/value.ts";
import type { EdgeIndex } from "../../query/layout-index/edge-index.ts";
import { type Holder, type LinkIntent, slot } from "./plan-links.ts";

export interface HolderRequest {
  readonly transaction: Snapshot;
  readonly edges: EdgeIndex;
  /** Nodes made by this mutation: their ends are free. */
  readonly isNew: (uid: Uid) => boolean;
}

export interface Holders {
  readonly holder: Holder;
  /** The nodes whose ends were read, which decide what is written. */
  readonly read: readonly NodeRef[];
}

const noHolders: Holders = { holder: () => undefined, read: [] };

export async function readHolders(intents: readonly LinkIntent[], request: HolderRequest): Promise<Holders> {
  const { nodes, wanted } = endsToRead(intents, request);
  if (nodes.size === 0) return noHolders;
  const fields = [...wanted];
  const batch = await request.transaction.load({ uids: [...nodes.keys()], types: [...new Set(nodes.values())], fields });
  const found: HeldEnd[] = [];
  for (const [column, end] of fields.entries()) {
    for (const [row, node] of batch.uids.entries()) {
      const partner = batch.columns[column]?.[row];
      if (typeof partner === "number") found.push({ node, end, partner });
    }
  }
  const types = await partnerTypes(found, nodes, request);
  return { holder: holders(found, nodes, types, request.edges), read: [...nodes].map(([uid, type]) => ({ uid, type })) };
}

function endsToRead(
  intents: readonly LinkIntent[],
  { edges, isNew }: HolderRequest,
): { readonly nodes: Map<Uid, TypeName>; readonly wanted: Set<EndName> } {
  const nodes = new Map<Uid, TypeName>();
  const wanted = new Set<EndName>();
  const want = (node: NodeRef, names: readonly EndName[]) => {
    if (names.length === 0 || isNew(node.uid)) return;
    nodes.set(node.uid, node.type);
    for (const name of names) wanted.add(name);
  };
  for (const { end, from, to } of intents) {
    const taken = edges.singleEnds(end, from.type, to.type);
    want(from, taken.from);
    want(to, taken.to);
  }
  return { nodes, wanted };
}

/** A single end of `node` that leads to `partner`. */
interface HeldEnd {
  readonly node: Uid;
  readonly end: EndName;
  readonly partner: Uid;
}

/** The types of the partners. Only those are looked through that the ends lead to: a storage may ask once for each type. */
async function partnerTypes(
  found: readonly HeldEnd[],
  known: ReadonlyMap<Uid, TypeName>,
  { transaction, edges }: HolderRequest,
): Promise<ReadonlyMap<Uid, TypeName>> {
  const unknown = found.filter(({ partner }) => !known.has(partner));
  if (unknown.length === 0) return known;
  const types = new Set(unknown.flatMap(({ end }) => edges.end(end)?.partners ?? []));
  const uids = [...new Set(unknown.map(({ partner }) => partner))].sort((a, b) => a - b);
  const batch = await transaction.load({ uids, types: [...types], fields: [] });
  return new Map([...known, ...batch.uids.map((uid, i): [Uid, TypeName] => [uid, batch.types[i] ?? ""])]);
}

/** A link fills the single ends of both its nodes, so what is read at one of them is known of the other. */
function holders(found: readonly HeldEnd[], nodes: ReadonlyMap<Uid, TypeName>, types: ReadonlyMap<Uid, TypeName>, edges: EdgeIndex): Holder {
  const held = new Map<string, NodeRef>();
  for (const { node, end, partner } of found) {
    const type = nodes.get(node);
    const partnerType = types.get(partner);
    if (type === undefined || partnerType === undefined) continue;
    const taken = edges.singleEnds(end, type, partnerType);
    for (const each of taken.from) held.set(slot(node, each), { uid: partner, type: partnerType });
    for (const each of taken.to) held.set(slot(partner, each), { uid: node, type });
  }
  return (node, end) => held.get(slot(node, end));
}
