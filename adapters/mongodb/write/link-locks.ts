// Keeps linked nodes there. A link shares the lock of each node that the transaction does not write itself, and a removal takes it: both write the lock's
// document, so of two such transactions one conflicts. The documents lie in the collection of changes: few are written in the command that writes the
// record of the commit.

import type { TypeName, Uid } from "../../../core/storage.ts";
import { collectionOf, stripedProperty } from "../layout/names.ts";
import type { SessionSource } from "../session/source.ts";
import { setAt } from "./link-states.ts";
import { isStriped, type NodeState, type NodeStates } from "./node-states.ts";

/** How many locks a striped node has, one for each of so many concurrent links. */
const stripes = 16;

/** Nodes that are to be linked, by type. */
export interface LinkedNodes {
  readonly plain: Map<TypeName, Set<Uid>>;
  readonly striped: Map<TypeName, Set<Uid>>;
  /** Those that do not exist. */
  readonly lost: Uid[];
}

export class LinkLocks {
  readonly #source: SessionSource;
  readonly #nodes: NodeStates;
  /** With the node of each. */
  readonly #ids = new Map<string, Uid>();

  constructor(source: SessionSource, nodes: NodeStates) {
    this.#source = source;
    this.#nodes = nodes;
  }

  /** How many documents are to be written. */
  get size(): number {
    return this.#ids.size;
  }

  /** What is known of nodes that are to be linked. Reads those that the transaction has not read. */
  async look(nodes: ReadonlyMap<TypeName, ReadonlySet<Uid>>): Promise<LinkedNodes> {
    const found: LinkedNodes = { plain: new Map(), striped: new Map(), lost: [] };
    for (const [type, uids] of nodes) {
      const unknown = new Set<Uid>();
      for (const uid of uids) {
        const state = this.#nodes.get(uid, type);
        if (state === undefined) unknown.add(uid);
        else if (state.doc === undefined) found.lost.push(uid);
        else setAt(isStriped(state.stored) ? found.striped : found.plain, type).add(uid);
      }
      if (unknown.size > 0) await this.#read(type, unknown, found);
    }
    return found;
  }

  async #read(type: TypeName, uids: Set<Uid>, { plain, striped, lost }: LinkedNodes): Promise<void> {
    await this.#source.project(collectionOf(type), { _id: { $in: [...uids] } }, { [stripedProperty]: 1 }, (doc) => {
      uids.delete(Number(doc._id));
      setAt(isStriped(doc) ? striped : plain, type).add(Number(doc._id));
    });
    lost.push(...uids);
  }

  /** For links to nodes that are not striped. */
  share(nodes: ReadonlyMap<TypeName, ReadonlySet<Uid>>): void {
    for (const uids of nodes.values()) for (const uid of uids) this.#ids.set(lockOf(uid), uid);
  }

  /** For links to striped nodes: one of the stripes. */
  shareStripe(nodes: ReadonlyMap<TypeName, ReadonlySet<Uid>>): void {
    for (const uids of nodes.values()) for (const uid of uids) this.#ids.set(stripeOf(uid, Math.floor(Math.random() * stripes)), uid);
  }

  /** For the removal of these nodes. */
  take(removed: readonly NodeState[]): void {
    for (const { uid, stored } of removed) {
      this.#ids.set(lockOf(uid), uid);
      if (isStriped(stored)) for (let i = 0; i < stripes; i++) this.#ids.set(stripeOf(uid, i), uid);
    }
  }

  /** The ids of the documents, each with its node. They need not be written again. */
  takeIds(): Map<string, Uid> {
    const ids = new Map(this.#ids);
    this.#ids.clear();
    return ids;
  }
}

function lockOf(uid: Uid): string {
  return `lock:${uid}`;
}

function stripeOf(uid: Uid, stripe: number): string {
  return `lock:${uid}:${stripe}`;
}
