// Hidden keys: a caller that may not see a node's key may not reference the node by it. Otherwise a guess would disclose the key's node.

import type { NodeType } from "../../contracts/model.ts";
import { and } from "../../contracts/predicate.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { addToGroup } from "../../ground/groups.ts";
import type { EndName, FieldName, MaybePromise, Uid } from "../../ground/values/value.ts";
import { isMasking, masksOf } from "../../query/access/mask.ts";
import type { Mutation } from "../context/mutation.ts";
import type { InputNode, KeyValue } from "../input/input-tree.ts";
import type { ExistingNodes } from "./look-up.ts";
import { namesOfKey } from "./scoped-keys.ts";

export interface HiddenKeys {
  /** Whether the node found by the key of an input object has its value hidden from the caller. */
  readonly hides: (uid: Uid, key: KeyValue, by: InputNode) => boolean;
  /** Types of which some key is hidden from the caller somewhere. */
  readonly types: ReadonlySet<NodeType>;
}

const noHiddenKeys: HiddenKeys = { hides: () => false, types: new Set() };

export function hiddenKeys(mutation: Mutation, nodes: readonly InputNode[], found: ExistingNodes, transaction: Snapshot): MaybePromise<HiddenKeys> {
  return isMasking(mutation.context.deployment) ? lookUpHidden(mutation, nodes, found, transaction) : noHiddenKeys;
}

/** Where permissions keep a key from the caller, an add or an upsert still finds its holder, so that no two have one key; a reference finds none. */
async function lookUpHidden({ context }: Mutation, nodes: readonly InputNode[], found: ExistingNodes, transaction: Snapshot): Promise<HiddenKeys> {
  const hidden = new Map<FieldName | EndName, Set<Uid>>();
  const unreadable = new Set<FieldName | EndName>();
  const types = new Set<NodeType>();
  for (const [type, keys] of keysByType(nodes)) {
    const masks = await masksOf(type.members, "reference", context);
    for (const [field, values] of keys) {
      const mask = masks?.get(field);
      if (!mask) continue;
      if (mask.unreadable !== undefined) {
        unreadable.add(field);
        continue;
      }
      types.add(type);
      const uids = [...new Set(values.flatMap((key) => found.byKey(type, key).map(({ uid }) => uid)))].sort((a, b) => a - b);
      const where = and({ kind: "uids", uids }, mask.visible);
      const seen = new Set(
        where.kind === "none" ? [] : (await transaction.find({ types: type.members.map(({ stored }) => stored), where, fields: [] })).uids,
      );
      const of = hidden.get(field) ?? new Set<Uid>();
      hidden.set(field, of);
      for (const uid of uids) if (!seen.has(uid)) of.add(uid);
    }
  }
  return {
    hides: (uid, key, { role }) =>
      namesOfKey(key).some((name) => (role === "nested" && unreadable.has(name)) || (hidden.get(name)?.has(uid) ?? false)),
    types,
  };
}

/** By the names of all fields and links that are parts of the keys. */
function keysByType(nodes: readonly InputNode[]): ReadonlyMap<NodeType, ReadonlyMap<FieldName | EndName, readonly KeyValue[]>> {
  const byType = new Map<NodeType, Map<FieldName | EndName, KeyValue[]>>();
  for (const { type, keys } of nodes) {
    const ofType = byType.get(type) ?? new Map<FieldName | EndName, KeyValue[]>();
    byType.set(type, ofType);
    for (const each of keys) for (const name of namesOfKey(each)) addToGroup(ofType, name, each);
  }
  return byType;
}
