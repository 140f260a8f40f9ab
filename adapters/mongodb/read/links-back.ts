// Nodes of which each is the only one of its type that leads to its partner. In a sharded database an entry says which, on a shard that the partner's uid names;
// the nodes themselves may be on any.

import type { TypeName, Uid } from "../../../core/storage.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";
import { backText, partnerOfBack, type UniqueEntries } from "../layout/unique-entries.ts";
import type { Reader } from "./reader.ts";
import { slices } from "./slices.ts";

export interface Back {
  readonly uid: Uid;
  readonly partner: Uid;
}

interface Asked {
  readonly type: TypeName;
  readonly partners: readonly Uid[];
}

/** Values of one command. */
const textsAtOnce = 1_000;

export async function eachBack(reader: Reader, { collection }: UniqueEntries, { type, partners }: Asked, visit: (back: Back) => void): Promise<void> {
  for (const slice of slices(partners, textsAtOnce)) {
    const match = { k: { $in: slice.map((partner) => backText(partner, type)) } };
    await reader.each(collection, [{ $match: match }, { $project: { k: 1 } }], (doc) =>
      visit({ uid: Number(doc._id), partner: partnerOfBack(String(doc.k)) }),
    );
  }
}

/** Of each type that has such entries, the nodes that lead to these partners, ascending. */
export async function backsOf(reader: Reader, end: EndRuntime, partners: readonly Uid[]): Promise<ReadonlyMap<TypeName, readonly Uid[]>> {
  const { backs } = end.store;
  const found = new Map<TypeName, readonly Uid[]>();
  if (backs === undefined) return found;
  const types = [...end.partners].filter((type) => backs.types.has(type));
  await Promise.all(
    types.map(async (type) => {
      const uids: Uid[] = [];
      await eachBack(reader, backs, { type, partners }, ({ uid }) => uids.push(uid));
      found.set(
        type,
        uids.sort((a, b) => a - b),
      );
    }),
  );
  return found;
}
