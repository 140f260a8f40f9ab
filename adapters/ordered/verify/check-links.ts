// Checks both directions of every edge, hidden edges included. A link that only one side has is completed if both nodes exist, else removed.

import { formatUid } from "../../../core/storage.ts";
import { otherSide } from "../../storage-kit/index.ts";
import { uidFromText } from "../keyspaces/keys.ts";
import type { LinkStoreRuntime } from "../layout/layout-runtime.ts";
import { checkCounter } from "./check-types.ts";
import type { Checking } from "./checking.ts";

export async function checkLinks(checking: Checking): Promise<void> {
  for (const store of checking.database.schema.linkStores) {
    await checkDirection(checking, store, 0);
    if (!store.symmetric) await checkDirection(checking, store, 1);
  }
  await checkSingleEnds(checking);
}

async function checkDirection(checking: Checking, store: LinkStoreRuntime, side: 0 | 1): Promise<void> {
  const { database, view, findings } = checking;
  const { types } = database.schema.nodes;
  const own = store.lists[side];
  const other = store.lists[otherSide(side)];
  const name = nameOf(checking, store);
  const there = (uid: number) => types.of(uid, view) !== 0;
  for await (const [text] of own.heads.scan(view)) {
    const uid = uidFromText(text);
    checkCounter(checking, own, uid, `${name} of ${formatUid(uid)}`);
    for (const partner of own.open(uid, view).all()) {
      // On an edge that is its own inverse, both nodes list a link.
      if (side === 0 && (!store.symmetric || uid <= partner)) findings.links++;
      if (!there(uid) || !there(partner)) {
        findings.fault("edge", `${name}: ${formatUid(uid)} and ${formatUid(partner)} are linked and one of them is not there`, () => {
          own.remove(uid, partner, view);
          other.remove(partner, uid, view);
        });
      } else if (!other.open(partner, view).contains(uid)) {
        findings.fault("edge", `${name}: ${formatUid(uid)} leads to ${formatUid(partner)}, which does not lead back`, () =>
          other.add(partner, uid, view),
        );
      }
    }
    await checking.tick(name, findings.links, 0);
  }
}

function nameOf({ database }: Checking, store: LinkStoreRuntime): string {
  return database.schema.edges.find((edge) => edge.store.id === store.id)?.layout.name ?? `an earlier edge (${store.id})`;
}

/** A single end with several nodes cannot be repaired: the right one is unknown. */
async function checkSingleEnds({ database, view, findings, tick }: Checking): Promise<void> {
  const { ends, nodes, typeNames, typeIds } = database.schema;
  const typeOf = (uid: number) => typeNames.get(nodes.types.of(uid, view)) ?? "";
  for (const end of ends.values()) {
    if (end.many) continue;
    for (const type of end.types) {
      const list = nodes.byType.open(typeIds.get(type) ?? 0, view);
      for (let c = 0; c < list.chunkCount; c++) {
        for (const uid of list.chunk(c)) {
          if (end.lists.count(uid, view) < 2) continue;
          const shown = end.lists
            .open(uid, view)
            .all()
            .filter((partner) => end.partners.has(typeOf(partner)));
          if (shown.length > 1) findings.fault("edge", `${end.name} of ${formatUid(uid)} leads to ${shown.length} nodes and may lead to one`);
        }
        await tick(end.name, findings.links, 0);
      }
    }
  }
}
