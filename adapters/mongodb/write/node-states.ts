// The nodes that a transaction writes: as they lie in the database, and as they shall be.

import type { Document } from "mongodb";
import type { TypeName, Uid } from "../../../core/index.ts";
import type { Doc } from "../connection.ts";
import { collectionOf, stripedProperty } from "../names.ts";
import type { SessionSource } from "../read/source.ts";

export interface NodeState {
  readonly uid: Uid;
  readonly type: TypeName;
  /** As it lies there now; undefined: it does not. */
  stored: Doc | undefined;
  /** As it shall be; undefined: not at all. */
  doc: Doc | undefined;
}

export class NodeStates {
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

  get size(): number {
    return this.#states.size;
  }

  all(): Iterable<NodeState> {
    return this.#states.values();
  }

  /** What is written can be read again. */
  forgetUnchanged(): void {
    for (const [uid, state] of this.#states) if (state.stored === state.doc) this.#states.delete(uid);
  }

  /** Reads the nodes that are not at hand, in one query a type. */
  async load(wanted: ReadonlyMap<TypeName, ReadonlySet<Uid>>): Promise<void> {
    for (const [type, uids] of wanted) {
      const missing = [...uids].filter((uid) => !this.#states.has(uid));
      if (missing.length === 0) continue;
      const filter = { _id: missing.length === 1 ? missing[0] : { $in: missing } };
      await this.#source.find(collectionOf(type), filter, (doc) => {
        const uid = Number(doc._id);
        this.#states.set(uid, { uid, type, stored: doc, doc });
      });
    }
  }
}

/** What turns the stored document into the wanted one; undefined: nothing. */
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
