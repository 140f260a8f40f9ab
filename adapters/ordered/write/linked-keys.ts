// The keys with ends of a transaction. A node gets its values and its links by separate changes: what it holds is checked and moved when all of
// them are applied.

import type { TypeName, Uid } from "../../../core/storage.ts";
import { keyTaken } from "../../storage-kit/index.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { LinkStoreRuntime } from "../layout/layout-runtime.ts";
import { keyPartsOf, keyTextOf, type PartnerAt, partnersIn } from "./entries.ts";
import type { MaintainedKey, Maintenance } from "./maintenance.ts";

export class LinkedKeys {
  readonly #maintenance: Maintenance;
  readonly #view: EntryView;
  /** The texts that changed nodes had before, by key. */
  #before: Map<MaintainedKey, Map<Uid, string | undefined>> | undefined;
  #refused: unknown;

  constructor(maintenance: Maintenance, view: EntryView) {
    this.#maintenance = maintenance;
    this.#view = view;
  }

  /** Whether the layout has such keys. */
  get isEmpty(): boolean {
    return this.#maintenance.linkedKeys.length === 0;
  }

  /** Call it before values of the node change. */
  beforeValues(uid: Uid, type: TypeName, properties: readonly string[]): void {
    for (const each of this.#maintenance.linkedKeys) {
      if (each.key.types.has(type) && each.key.fields.some(({ property }) => properties.includes(property))) this.#note(each, uid);
    }
  }

  /** Call it before a link of the node changes; its pending additions must be settled. */
  beforeLink(uid: Uid, type: TypeName, store: LinkStoreRuntime): void {
    for (const each of this.#maintenance.linkedKeys) {
      if (!each.key.types.has(type)) continue;
      // The links of a key that is being built may come from several stores.
      if (!each.enforced || each.key.ends.some(({ edge }) => edge.store.id === store.id)) this.#note(each, uid);
    }
  }

  /** Call it before the node is removed. */
  beforeRemoval(uid: Uid, type: TypeName): void {
    for (const each of this.#maintenance.linkedKeys) if (each.key.types.has(type)) this.#note(each, uid);
  }

  #note(each: MaintainedKey, uid: Uid): void {
    this.#before ??= new Map();
    let texts = this.#before.get(each);
    if (texts === undefined) {
      texts = new Map();
      this.#before.set(each, texts);
    }
    if (!texts.has(uid)) texts.set(uid, this.#textOf(each, uid));
  }

  #textOf({ key }: MaintainedKey, uid: Uid): string | undefined {
    const record = this.#maintenance.schema.nodes.records.keyspace.read(uid, this.#view);
    return record && keyTextOf(key, record, this.#partnersOf(uid));
  }

  #partnersOf(uid: Uid): PartnerAt {
    return partnersIn(this.#view, uid, (partner) => this.#typeOf(partner));
  }

  #typeOf(uid: Uid): TypeName | undefined {
    return this.#maintenance.typeNames.get(this.#maintenance.schema.nodes.types.of(uid, this.#view));
  }

  /** Moves the keys of the changed nodes. Throws `KEY_TAKEN`; then the transaction cannot be committed. */
  settle(): void {
    if (this.#before === undefined) return;
    for (const [each, texts] of this.#before) {
      const moved = [...texts].map(([uid, old]) => ({ uid, old, now: this.#textOf(each, uid) })).filter(({ old, now }) => old !== now);
      for (const { uid, old } of moved) if (old !== undefined) each.key.lists.remove(old, uid, this.#view);
      for (const { uid, now } of moved) if (now !== undefined) this.#take(each, uid, now);
    }
    this.#before.clear();
  }

  #take({ key, enforced }: MaintainedKey, uid: Uid, text: string): void {
    const holder = key.lists.short(text, this.#view)?.find((each) => each !== uid);
    if (enforced && holder !== undefined) {
      const record = this.#maintenance.schema.nodes.records.keyspace.read(uid, this.#view) ?? {};
      this.#refused = keyTaken(key.layout, keyPartsOf(key, record, this.#partnersOf(uid)), { uid, holder, type: this.#typeOf(holder) });
      throw this.#refused;
    }
    key.lists.add(text, uid, this.#view);
    if (key.lists.count(text, this.#view) > 1) this.#maintenance.observer?.duplicate(key, text);
  }

  /** Throws again what `settle` threw: the nodes it refused are in the transaction's view. */
  assertWhole(): void {
    if (this.#refused !== undefined) throw this.#refused;
  }
}
