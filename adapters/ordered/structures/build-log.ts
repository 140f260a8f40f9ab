// What a build of indexes and keys keeps of itself in the store, so that the next one goes on after a kill: how far it is, and the nodes that others
// changed meanwhile. It is written in the commits that it describes.

import type { Json, Uid } from "../../../core/storage.ts";
import { jsonCodec } from "../keyspaces/codec.ts";
import { uidFromText, uidText } from "../keyspaces/keys.ts";
import { type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { type NodeRecord, Records } from "./records.ts";

/**
 * What became of a changed node. `followed`: its entries are there. `missed`: they are still those of the record that is kept, because nobody maintained
 * them when it changed. `new`: it has none, for the same reason.
 */
export type Changed = "followed" | "missed" | "new";

export class BuildLog {
  readonly #notes: Keyspace<string, Json>;
  readonly #changed: Keyspace<Uid, Json>;
  /** The records that nodes had before they changed. */
  readonly #before: Records;

  constructor(host: KeyspaceHost, prefix: string) {
    this.#notes = new Keyspace(host, { prefix: `${prefix}n`, textOf: (text) => text, codec: jsonCodec });
    this.#changed = new Keyspace<Uid, Json>(host, { prefix: `${prefix}q`, textOf: uidText, codec: jsonCodec });
    this.#before = new Records(host, `${prefix}b`);
  }

  note(name: string, view: EntryView): Json | undefined {
    return this.#notes.read(name, view);
  }

  putNote(name: string, note: Json): void {
    this.#notes.put(name, note);
  }

  /** A writer changed a node and its entries. */
  followed(uid: Uid, view: EntryView): void {
    if (this.#changed.read(uid, view) === undefined) this.#changed.put(uid, "followed");
  }

  /** The entries of a node follow from its record again. */
  caughtUp(uid: Uid): void {
    this.#changed.put(uid, "followed");
    this.#before.keyspace.put(uid, undefined);
  }

  /** A writer changed a node, but not its entries. @param before undefined for a new node */
  missed(uid: Uid, before: NodeRecord | undefined, view: EntryView): void {
    const known = this.#changed.read(uid, view);
    if (known === "missed" || known === "new") return;
    this.#changed.put(uid, before === undefined ? "new" : "missed");
    if (before !== undefined) this.#before.keyspace.put(uid, before);
  }

  /** The record to which the entries of a node belong. */
  recordBefore(uid: Uid, view: EntryView): NodeRecord | undefined {
    return this.#before.keyspace.read(uid, view);
  }

  /** All changed nodes, by ascending uid. */
  async *all(view: EntryView): AsyncGenerator<readonly [uid: Uid, what: Changed]> {
    for await (const [text, what] of this.#changed.scan(view)) yield [uidFromText(text), what === "missed" || what === "new" ? what : "followed"];
  }

  close(): void {
    this.#notes.close();
    this.#changed.close();
    this.#before.close();
  }
}
