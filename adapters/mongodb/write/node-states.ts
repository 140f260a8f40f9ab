// The nodes that a transaction writes: the stored and the new document.

import type { Document } from "mongodb";
import type { TypeName, Uid } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import { collectionOf, stripedProperty } from "../layout/names.ts";
import { isFew, type KeptDocuments } from "../read/kept-documents.ts";
import type { SessionSource } from "../session/source.ts";

export interface NodeState {
  readonly uid: Uid;
  readonly type: TypeName;
  /** The stored document; undefined: none. */
  stored: Doc | undefined;
  /** The new document; undefined: the node is removed. */
  doc: Doc | undefined;
  /** Set when the transaction has written it: no other transaction can, until the commit. */
  written?: true;
}

/** Documents that reads leave here; what is written comes on top. */
const mostKept = 1_000;

export class NodeStates implements KeptDocuments {
  readonly keeps = true;
  readonly #source: SessionSource;
  readonly #states = new Map<Uid, NodeState>();

  constructor(source: SessionSource) {
    this.#source = source;
  }

  get(uid: Uid, type: TypeName): NodeState | undefined {
    const state = this.#states.get(uid);
    return state?.type === type ? state : undefined;
  }

  put(state: NodeState): void {
    this.#states.set(state.uid, state);
  }

  kept(uid: Uid, type: TypeName): Doc | "gone" | undefined {
    const state = this.get(uid, type);
    return state && (state.doc ?? "gone");
  }

  keep(type: TypeName, doc: Doc): void {
    const uid = Number(doc._id);
    if (!this.#states.has(uid) && this.#states.size < mostKept) this.#states.set(uid, { uid, type, stored: doc, doc });
  }

  /** The written documents, as the commit left them. */
  written(): KeptDocuments {
    const kept = (uid: Uid, type: TypeName) => (this.get(uid, type)?.written ? this.kept(uid, type) : undefined);
    return { keeps: false, kept, keep: () => undefined };
  }

  /** One of the nodes that the transaction has written. */
  get someWritten(): Uid | undefined {
    for (const { uid, written } of this.#states.values()) if (written) return uid;
    return undefined;
  }

  get size(): number {
    return this.#states.size;
  }

  all(): Iterable<NodeState> {
    return this.#states.values();
  }

  /** Drops written documents from memory: they can be read again. */
  forgetUnchanged(): void {
    for (const [uid, state] of this.#states) if (state.stored === state.doc) this.#states.delete(uid);
  }

  /** Reads the nodes that are not in memory, one query for each type. */
  async load(wanted: ReadonlyMap<TypeName, ReadonlySet<Uid>>): Promise<void> {
    await Promise.all([...wanted].map(([type, uids]) => this.#loadType(type, uids)));
  }

  async #loadType(type: TypeName, uids: ReadonlySet<Uid>): Promise<void> {
    const missing = [...uids].filter((uid) => !this.#states.has(uid));
    if (missing.length === 0) return;
    const filter = { _id: missing.length === 1 ? missing[0] : { $in: missing } };
    const visit = (doc: Doc) => {
      const uid = Number(doc._id);
      this.#states.set(uid, { uid, type, stored: doc, doc });
    };
    if (isFew(missing)) await this.#source.few(collectionOf(type), filter, visit);
    else await this.#source.find(collectionOf(type), filter, visit);
  }
}

/** The update from the stored to the new document; undefined: no change. */
export function updateOf(stored: Doc, doc: Doc): Document | undefined {
  const set: Document = {};
  const unset: Document = {};
  let changed = false;
  for (const name in doc) {
    if (stored[name] === doc[name]) continue;
    set[name] = doc[name];
    changed = true;
  }
  for (const name in stored) {
    if (name in doc) continue;
    unset[name] = "";
    changed = true;
  }
  if (!changed) return undefined;
  return { ...(Object.keys(set).length > 0 && { $set: set }), ...(Object.keys(unset).length > 0 && { $unset: unset }) };
}

export function isStriped(doc: Doc | undefined): boolean {
  return doc?.[stripedProperty] === true;
}
