// What the input names, looked up in one batch: IDs by one load, keys by one find for each key field and set of types.

import type { NodeType } from "../../contracts/model.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { allOf, andThen } from "../../ground/maybe-promise.ts";
import type { FieldName, MaybePromise, TypeName, Uid, Value } from "../../ground/values/value.ts";
import type { WriteFacts } from "../context/write-facts.ts";
import type { InputNode, KeyValue } from "../input/input-tree.ts";

/** An existing node. */
export interface Existing {
  readonly uid: Uid;
  readonly type: NodeType;
}

export interface ExistingNodes {
  /** The node of that id, whatever its type; undefined when there is none of a type that the input names. */
  byId(uid: Uid): Existing | undefined;
  /** The nodes that hold the key value, among the types for which an object of `type` must ask. */
  byKey(type: NodeType, key: KeyValue): readonly Existing[];
}

/** Object types among which a key value given for `type` is looked for. */
export function keyScope(type: NodeType, { key }: Pick<KeyValue, "key">): readonly NodeType[] {
  if (key.across) return key.across.members;
  return type.members;
}

interface KeySearch {
  readonly field: FieldName;
  readonly types: readonly TypeName[];
  readonly values: Map<string, Value>;
  readonly holders: Map<string, Existing[]>;
}

export function lookUp(transaction: Snapshot, nodes: readonly InputNode[], facts: WriteFacts): MaybePromise<ExistingNodes> {
  const searches = keySearches(nodes);
  const runs = [...searches.values()].map((search) => runSearch(transaction, search, facts));
  return andThen(loadIds(transaction, nodes, facts), (byId) =>
    andThen(allOf(runs), () => ({
      byId: (uid: Uid) => byId.get(uid),
      byKey: (type: NodeType, key: KeyValue) => searches.get(searchName(type, key))?.holders.get(String(key.value)) ?? [],
    })),
  );
}

const noIds: ReadonlyMap<Uid, Existing> = new Map();

function loadIds(transaction: Snapshot, nodes: readonly InputNode[], facts: WriteFacts): MaybePromise<ReadonlyMap<Uid, Existing>> {
  if (!nodes.some(({ reference }) => reference !== undefined)) return noIds;
  const uids = new Set<Uid>();
  const types = new Set<TypeName>();
  for (const { reference, type } of nodes) {
    if (!reference || reference.uid === 0) continue;
    uids.add(reference.uid);
    for (const member of type.members) types.add(member.stored);
  }
  if (uids.size === 0) return noIds;
  return andThen(transaction.load({ uids: [...uids], types: [...types], fields: [] }), (batch) => {
    const found = new Map<Uid, Existing>();
    for (const [i, uid] of batch.uids.entries()) {
      const type = facts.typeOf(batch.types[i] ?? "");
      if (type) found.set(uid, { uid, type });
    }
    return found;
  });
}

function keySearches(nodes: readonly InputNode[]): ReadonlyMap<string, KeySearch> {
  const searches = new Map<string, KeySearch>();
  for (const node of nodes) {
    for (const each of node.keys) {
      // These are looked up when it is known what they are within.
      if (each.scope !== undefined) continue;
      const name = searchName(node.type, each);
      let search = searches.get(name);
      if (!search) {
        search = { field: each.key.field.stored, types: keyScope(node.type, each).map((type) => type.stored), values: new Map(), holders: new Map() };
        searches.set(name, search);
      }
      search.values.set(String(each.value), each.value);
    }
  }
  return searches;
}

export function searchName(type: NodeType, { key }: KeyValue): string {
  return `${key.field.stored}|${(key.across ?? type).name}`;
}

function runSearch(transaction: Snapshot, search: KeySearch, facts: WriteFacts): MaybePromise<void> {
  const { field, types, values } = search;
  const operands = [...values.values()];
  const where: Predicate = { kind: "compare", field, op: operands.length === 1 ? "eq" : "in", operands };
  return andThen(transaction.find({ types, where, fields: [field] }), (batch) => keepHolders(batch, search, facts));
}

function keepHolders(batch: Batch, { holders }: KeySearch, facts: WriteFacts): void {
  for (const [i, uid] of batch.uids.entries()) {
    const type = facts.typeOf(batch.types[i] ?? "");
    const value = batch.columns[0]?.[i];
    if (!type || value === undefined) continue;
    const name = String(value);
    const others = holders.get(name);
    if (others) others.push({ uid, type });
    else holders.set(name, [{ uid, type }]);
  }
}
