// Holds nodes, so that a commit fails when another transaction changes or removes them: a write to the node, which conflicts with every other
// write. A node with many holders is striped: each holder writes one of sixteen stripes, and a change of the node writes all of them. With 16
// writers that hold one node: 130 commits a second by the node, 840 by stripes.

import type { TypeName, Uid } from "../../../core/storage.ts";
import type { Connection, Doc } from "../connection/connection.ts";
import { collectionOf, heldProperty, stripedProperty, stripesCollection } from "../layout/names.ts";
import type { SessionSource } from "../session/source.ts";
import type { Homes } from "../sharding/homes.ts";
import { setAt } from "./link-states.ts";

const stripes = 16;
/** A transaction that lost a race and holds no more nodes than this makes them striped. */
const stripedAtOnce = 8;

export class Holds {
  readonly #connection: Connection;
  readonly #source: SessionSource;
  /** The transaction is a retry after a conflict. */
  readonly #again: boolean;
  readonly #homes: Homes;
  readonly #held = new Set<Uid>();
  readonly #pending = new Map<TypeName, Set<Uid>>();

  constructor(connection: Connection, source: SessionSource, options: { readonly again: boolean; readonly homes: Homes }) {
    this.#connection = connection;
    this.#source = source;
    this.#again = options.again;
    this.#homes = options.homes;
  }

  /** Nodes that this transaction wrote: no other transaction can change them. */
  owns(uid: Uid): void {
    this.#held.add(uid);
  }

  has(uid: Uid): boolean {
    return this.#held.has(uid);
  }

  /** Holds these nodes before the next write, unless that writes them itself, or else before the commit. */
  later(nodes: ReadonlyMap<TypeName, ReadonlySet<Uid>>): void {
    for (const [type, uids] of nodes) for (const uid of uids) setAt(this.#pending, type).add(uid);
  }

  async holdPending(): Promise<void> {
    if (this.#pending.size === 0) return;
    const pending = new Map(this.#pending);
    this.#pending.clear();
    await this.hold(pending);
  }

  /** Whether held nodes become striped. */
  get makesStripes(): boolean {
    return this.#again;
  }

  /** @returns nodes that do not exist */
  async hold(nodes: ReadonlyMap<TypeName, ReadonlySet<Uid>>): Promise<readonly Uid[]> {
    const lost: Uid[] = [];
    for (const [type, uids] of nodes) {
      const wanted = [...uids].filter((uid) => !this.#held.has(uid));
      if (wanted.length === 0) continue;
      for (const uid of wanted) this.#held.add(uid);
      lost.push(...(await this.#holdType(type, wanted)));
    }
    return lost;
  }

  async #holdType(type: TypeName, uids: readonly Uid[]): Promise<readonly Uid[]> {
    const collection = this.#connection.collection(collectionOf(type));
    const filter = { _id: { $in: [...uids] }, [stripedProperty]: { $exists: false } };
    if (this.#again && uids.length <= stripedAtOnce) return await this.#stripe(type, uids);
    const { matchedCount } = await this.#source.inTurn((session) => collection.updateMany(filter, { $inc: { [heldProperty]: 1 } }, { session }));
    if (matchedCount === uids.length) return [];
    return await this.#holdStripes(type, uids);
  }

  /** Makes these nodes striped. */
  async #stripe(type: TypeName, uids: readonly Uid[]): Promise<readonly Uid[]> {
    const lost = await this.#holdStripes(type, uids);
    const fresh = uids.filter((uid) => !lost.includes(uid) && !this.#striped.has(uid));
    if (fresh.length === 0) return lost;
    const collection = this.#connection.collection(collectionOf(type));
    await this.#source.inTurn(async (session) => {
      await collection.updateMany({ _id: { $in: fresh } }, { $set: { [stripedProperty]: true } }, { session });
      await this.#connection.collection(stripesCollection).insertMany(
        fresh.flatMap((uid) => stripesOf(uid).map((_id): Doc => ({ _id, ...this.#homes.of(uid), n: 1 }))),
        { session },
      );
    });
    return lost;
  }

  readonly #striped = new Set<Uid>();

  async #holdStripes(type: TypeName, uids: readonly Uid[]): Promise<readonly Uid[]> {
    const there = new Set<Uid>();
    await this.#source.project(collectionOf(type), { _id: { $in: [...uids] } }, { [stripedProperty]: 1 }, (doc) => {
      there.add(Number(doc._id));
      if (doc[stripedProperty] === true) this.#striped.add(Number(doc._id));
    });
    const one = uids.filter((uid) => this.#striped.has(uid)).map((uid) => stripesOf(uid)[Math.floor(Math.random() * stripes)] ?? "");
    if (one.length > 0) await this.#writeStripes(one);
    return uids.filter((uid) => !there.has(uid));
  }

  /** Writes all stripes of changed nodes, which conflicts with every holder. */
  async exclude(uids: readonly Uid[]): Promise<void> {
    if (uids.length > 0) await this.#writeStripes(uids.flatMap(stripesOf));
  }

  async #writeStripes(ids: readonly string[]): Promise<void> {
    const collection = this.#connection.collection(stripesCollection);
    await this.#source.inTurn((session) => collection.updateMany(this.#stripesById(ids), { $inc: { n: 1 } }, { session }));
  }

  /** Deletes the stripes of removed nodes. */
  async dropStripes(uids: readonly Uid[]): Promise<void> {
    if (uids.length === 0) return;
    const collection = this.#connection.collection(stripesCollection);
    await this.#source.inTurn((session) => collection.deleteMany(this.#stripesById(uids.flatMap(stripesOf)), { session }));
  }

  #stripesById(ids: readonly string[]) {
    return { _id: { $in: [...ids] }, ...this.#homes.among(ids.map((id) => Number.parseInt(id, 10))) };
  }
}

function stripesOf(uid: Uid): string[] {
  return Array.from({ length: stripes }, (_, i) => `${uid}:${i}`);
}
