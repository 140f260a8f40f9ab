// Conditions that are asked again and again, as those of access rules are. What a storage keeps of them, and whichever way it takes for an order, a page
// and another condition beside them: the answer is that of a scan.

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import {
  afterPlace,
  and,
  type Change,
  type FindRequest,
  lasting,
  not,
  type Order,
  or,
  type Page,
  type Place,
  type Predicate,
  type Snapshot,
  type Storage,
  type Uid,
} from "../../../core/storage.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import { library } from "../../conformance/storage/layouts.ts";
import type { Oracle } from "../../conformance/storage/oracle.ts";
import { type Pick, randomChanges, randomOrder, randomPage, randomPredicate, seeded } from "../../conformance/storage/random.ts";
import { populate } from "../../conformance/storage/random-checks.ts";
import { examples, testSeed } from "../../support/properties.ts";
import { newStorage } from "../../support/storage.ts";

/** So many that walking an order, scanning a column and reading records each pay for some questions. */
const nodes = 900;
const commits = 3;
const questions = 60;

describe("a lasting condition", () => {
  for (let seed = testSeed; seed < testSeed + examples(5); seed++) {
    it(`selects what a scan does, by every plan and in every reader, before and after commits, seed ${seed}`, async () => {
      const storage = await newStorage();
      await storage.open();
      try {
        await play(storage, seeded(seed * 6_007));
      } finally {
        await storage.close();
      }
    });
  }
});

async function play(storage: Storage, pick: Pick): Promise<void> {
  const bench = new Bench(storage);
  const { oracle, highest } = await populate(bench, pick, nodes);
  const follower = await followerOf(storage);
  const ways: string[] = [];
  try {
    const rules = Array.from({ length: 6 }, () => lasting(randomRule(pick, highest)));
    const asked = Array.from({ length: questions }, () => question(pick, rules, highest));
    for (let commit = 0; commit < commits; commit++) {
      // The second time, of what the first one has left in memory.
      for (let time = 0; time < 2; time++) {
        await bench.read((snapshot) => askAll(snapshot, oracle, asked), { chosen: (way) => ways.push(way) });
        await follower?.bench.read((snapshot) => askAll(snapshot, oracle, asked));
      }
      await change(bench, oracle, pick);
    }
    // Elsewhere the database decides.
    if (follower)
      for (const way of ["its index", "its column", "their records"])
        assert.ok(
          ways.some((each) => each.includes(way)),
          way,
        );
  } finally {
    await follower?.end();
  }
}

interface Follower {
  readonly bench: Bench;
  end(): Promise<void>;
}

/** Another thread's view of the same store, where the storage has such. */
async function followerOf({ readers }: Storage): Promise<Follower | undefined> {
  if (readers === undefined) return undefined;
  const seat = await readers.admit({ cacheBytes: 8 << 20, revoke: async () => undefined });
  const { data } = structuredClone({ data: seat.data }, { transfer: [...seat.transfer] });
  const storage = readers.storage(data);
  await storage.open();
  const bench = new Bench(storage);
  await bench.deploy(library);
  return {
    bench,
    end: async () => {
      await storage.close();
      seat.leave();
    },
  };
}

/** Values of an index, as many rules have them, or anything. */
function randomRule(pick: Pick, highest: Uid): Predicate {
  const among: Predicate = { kind: "compare", field: "Post.title", op: "in", operands: ["", "a", "A", "ab", "é"].slice(pick(4)) };
  switch (pick(5)) {
    case 0:
      return among;
    case 1:
      return { kind: "linked", end: "Post.author", where: { kind: "compare", field: "Author.age", op: "ge", operands: [pick(5)] }, atLeast: 1 };
    case 2:
      return and(among, randomPredicate(pick, 1, highest));
    default:
      return randomPredicate(pick, 2, highest);
  }
}

interface Question {
  readonly types: readonly string[];
  readonly where: Predicate;
  readonly order: Order;
  readonly page: Page;
  /** The page comes behind this row of the whole list. */
  readonly behind: number | undefined;
}

function question(pick: Pick, rules: readonly Predicate[], highest: Uid): Question {
  const rule = rules[pick(rules.length)] ?? { kind: "all" };
  const other = rules[pick(rules.length)] ?? { kind: "all" };
  const filter = randomPredicate(pick, 1, highest);
  const wheres = [
    rule,
    rule,
    and(filter, rule),
    and(filter, rule),
    and({ kind: "uids", uids: [1, 2, 3, 5, 8, 13, 21] }, rule),
    not(rule),
    or(rule, other),
  ];
  const order = randomOrder(pick);
  return {
    types: [["Post"], ["Post"], ["Post", "PostTag"], ["Author", "Post", "PostTag"]][pick(4)] ?? ["Post"],
    where: wheres[pick(wheres.length)] ?? rule,
    order,
    page: randomPage(pick, order),
    behind: pick(3) === 0 ? pick(40) : undefined,
  };
}

async function askAll(snapshot: Snapshot, oracle: Oracle, asked: readonly Question[]): Promise<void> {
  for (const each of asked) await ask(snapshot, oracle, each);
}

async function ask(snapshot: Snapshot, oracle: Oracle, { types, where, order, page, behind }: Question): Promise<void> {
  const text = JSON.stringify({ types, where, order, page, behind }, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  const after = behind === undefined || "last" in page ? undefined : placeOf(oracle, oracle.find({ types, where, order })[behind], order);
  const request: FindRequest = { types, where, order, page, fields: [], ...(after && { after }) };
  const expected = oracle.find({ types, where: after ? and(where, afterPlace(order, after)) : where, order, page });
  assert.deepEqual((await snapshot.find(request)).uids, expected, `find ${text}`);
  const [row] = await snapshot.aggregate({ over: { types, where }, measures: [{ kind: "count" }] });
  assert.equal(row?.[0], oracle.find({ types, where }).length, `count ${text}`);
}

function placeOf(oracle: Oracle, uid: Uid | undefined, order: Order): Place | undefined {
  return uid === undefined ? undefined : { uid, keys: order.map(({ field }) => oracle.nodes.get(uid)?.fields.get(field)) };
}

/** Writes nodes anew, among others those that rules let through. */
async function change(bench: Bench, oracle: Oracle, pick: Pick): Promise<void> {
  const removed: Change[] = [...oracle.nodes].filter(() => pick(12) === 0).map(([uid, { type }]) => ({ kind: "remove", uid, type }));
  await bench.write((transaction) => transaction.write(removed));
  oracle.apply(removed);
  const added = await bench.write(async (transaction) => {
    const changes = randomChanges(pick, await transaction.uids(60));
    await transaction.write(changes);
    return changes;
  });
  oracle.apply(added);
}
