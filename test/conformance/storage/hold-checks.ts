// Decisions by held nodes: each transaction holds what it decides by and writes something else, so that no two of them write the same node. A storage
// that finds conflicts only where two write the same, or whose `hold` protects nothing, lets both decide by the old state.

import assert from "node:assert/strict";
import type { Change, NodeRef, Transaction, Uid } from "../../../core/storage.ts";
import type { Bench, Check } from "./kit.ts";
import { library } from "./layouts.ts";

const rounds = 12;
/** Reads for which a transaction waits for the other to have read too. Storages that run one transaction after another never see it. */
const waits = 40;

/** Two decisions that are made at the same time, as far as the storage permits. */
class Side {
  readonly #read: Set<Side>;

  /** @param read the sides that have read, of both */
  constructor(read: Set<Side>) {
    this.#read = read;
  }

  static pair(): readonly [Side, Side] {
    const read = new Set<Side>();
    return [new Side(read), new Side(read)];
  }

  /** This one has read. Awaits reads of its own transaction and nothing else, as the contract says. */
  async read(transaction: Transaction, uid: Uid): Promise<void> {
    this.#read.add(this);
    for (let i = 0; i < waits && this.#read.size < 2; i++) await transaction.load({ uids: [uid], types: ["Post"], fields: [] });
  }
}

interface Decision {
  readonly side: Side;
  readonly held: readonly NodeRef[];
  /** What is written, by the ranks of the held nodes; a node that is gone has none. */
  readonly decide: (ranks: readonly (number | undefined)[]) => readonly Change[];
}

function decide(bench: Bench, { side, held, decide: changesFor }: Decision): Promise<void> {
  return bench.write(async (transaction) => {
    await transaction.hold(held);
    const uids = held.map(({ uid }) => uid);
    const found = await transaction.load({ uids, types: ["Post"], fields: ["Post.rank"] });
    await side.read(transaction, uids[0] ?? 0);
    const ranks = uids.map((uid) => found.columns[0]?.[found.uids.indexOf(uid)]);
    const changes = changesFor(ranks.map((rank) => (rank === undefined ? undefined : Number(rank))));
    if (changes.length > 0) await transaction.write(changes);
  });
}

const post = (uid: Uid): NodeRef => ({ uid, type: "Post" });
const rank = (uid: Uid, value: number): Change => ({ kind: "set", uid, type: "Post", fields: { "Post.rank": value } });

async function ranks(bench: Bench, uids: readonly Uid[]): Promise<readonly unknown[]> {
  const { columns } = await bench.read((snapshot) => snapshot.load({ uids, types: ["Post"], fields: ["Post.rank"] }));
  return columns[0] ?? [];
}

export const holdChecks: readonly Check[] = [
  {
    id: "hold.changed",
    level: "MUST",
    title:
      "of two concurrent transactions that hold the same nodes, and each write another of them, the second decides by what the first has written",
    why: "Of two people on call, both may go home at once: each saw the other there. Stock and seats are lost the same way.",
    async run(bench) {
      await bench.deploy(library);
      for (let round = 0; round < rounds; round++) {
        const [a = 0, b = 0] = await bench.create("Post", [{ "Post.rank": 1 }, { "Post.rank": 1 }]);
        const [first, second] = Side.pair();
        const leaves = (side: Side, own: Uid) =>
          decide(bench, { side, held: [post(a), post(b)], decide: (found) => (found.every((each) => each === 1) ? [rank(own, 0)] : []) });
        await Promise.all([leaves(first, a), leaves(second, b)]);
        const left = (await ranks(bench, [a, b])).filter((each) => each === 1);
        assert.equal(left.length, 1, `round ${round}: of two held nodes with rank 1, one is to keep it`);
      }
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "hold.removed",
    level: "MUST",
    title: "a transaction that decides by a held node which is removed concurrently decides again, or the removal does",
    why: "An order is accepted for an article that has just been deleted.",
    async run(bench) {
      await bench.deploy(library);
      for (let round = 0; round < rounds; round++) {
        const [article = 0, ledger = 0] = await bench.create("Post", [{ "Post.rank": 1 }, { "Post.rank": 0 }]);
        const [buyer, owner] = Side.pair();
        const order = decide(bench, { side: buyer, held: [post(article)], decide: ([there]) => (there === 1 ? [rank(ledger, 1)] : []) });
        const remove = decide(bench, {
          side: owner,
          held: [post(ledger)],
          decide: ([orders]) => (orders === 0 ? [{ kind: "remove", ...post(article) }] : []),
        });
        await Promise.all([order, remove]);
        const left = await ranks(bench, [article, ledger]);
        assert.ok(left.length === 2 || left[0] === 0, `round ${round}: the article is gone, and the ledger has an order of it`);
      }
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
