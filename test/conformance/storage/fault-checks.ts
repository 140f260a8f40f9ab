// A database that is slow, or fails: nothing is acknowledged early, readers go on, and service comes back.

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { QuernError, type Uid } from "../../../core/storage.ts";
import { Bench, type CheckOf, type FaultyStorage, whileOpen } from "./kit.ts";
import { library } from "./layouts.ts";

const comesBackWithinMs = 20_000;

async function posts(bench: Bench): Promise<readonly Uid[]> {
  return (await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: [] }))).uids;
}

/** On a storage with one Post, whose database is well again at the end. */
async function onFaulty({ storage, writes }: FaultyStorage, work: (bench: Bench, kept: Uid) => Promise<void>): Promise<void> {
  await whileOpen(storage, async () => {
    const bench = new Bench(storage);
    await bench.deploy(library);
    const [kept = 0] = await bench.create("Post", [{ "Post.code": "kept" }]);
    try {
      await work(bench, kept);
    } finally {
      writes("pass");
    }
  });
}

/** Long enough for an answer that comes too early. */
const aWhile = () => delay(100);

function hasCode(...codes: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof QuernError, `a write that fails must fail with a QuernError, not ${error}`);
    assert.ok(codes.includes(error.code), `expected ${codes.join(" or ")}, got ${error.code}: ${error.message}`);
    return true;
  };
}

const failed = hasCode("OUTCOME_UNKNOWN", "STORE_UNAVAILABLE");

export const faultChecks: readonly CheckOf<FaultyStorage>[] = [
  {
    id: "fault.slow",
    level: "MUST",
    title: "while the database delays a write, the write is neither acknowledged nor visible, and reads succeed",
    why: "A commit that shows before it is durable may vanish under a reader's eyes; one slow disk must not stop all reads.",
    async run(faulty) {
      await onFaulty(faulty, async (bench, kept) => {
        const before = bench.storage.latest();
        faulty.writes("wait");
        const answered: number[] = [];
        const writing = [1, 2, 3].map((rank) => bench.create("Post", [{ "Post.rank": rank }]).then(([uid = 0]) => void answered.push(uid)));
        await aWhile();
        assert.deepEqual(answered, [], "a write was acknowledged before the database had it");
        assert.deepEqual(await posts(bench), [kept], "a reader saw what the database did not have yet");
        assert.equal(bench.storage.latest(), before, "a commit that is not durable is not the latest");
        faulty.writes("pass");
        await Promise.all(writing);
        assert.deepEqual(await posts(bench), [kept, ...answered.toSorted((a, b) => a - b)]);
      });
    },
  },
  {
    id: "fault.slow-close",
    level: "MUST",
    title: "close waits for running writes; each is stored exactly if it was acknowledged",
    why: "A server that stops must not answer for what it has dropped.",
    async run(faulty) {
      await onFaulty(faulty, async (bench, kept) => {
        faulty.writes("wait");
        const [writing] = [bench.create("Post", [{}])].map((each) => each.catch(() => []));
        const closing = bench.storage.close();
        await aWhile();
        faulty.writes("pass");
        await closing;
        const written = (await writing) ?? [];
        await bench.storage.open();
        await bench.deploy(library);
        assert.deepEqual(await posts(bench), [kept, ...written]);
      });
    },
  },
  {
    id: "fault.fail",
    level: "MUST",
    title: "a write that the database fails is refused with OUTCOME_UNKNOWN or STORE_UNAVAILABLE, and readers see the old data",
    why: "A full disk must not take down what can be read, nor be taken for success.",
    async run(faulty) {
      await onFaulty(faulty, async (bench, kept) => {
        faulty.writes("fail");
        await assert.rejects(bench.create("Post", [{ "Post.code": "lost" }]), failed);
        assert.deepEqual(await posts(bench), [kept]);
        await assert.rejects(bench.create("Post", [{ "Post.code": "lost too" }]), failed);
        assert.deepEqual(await posts(bench), [kept]);
        faulty.writes("pass");
        await bench.storage.close();
        await bench.storage.open();
        await bench.deploy(library);
        const there = await posts(bench);
        assert.ok(there.length <= 3 && there[0] === kept, `what was acknowledged is kept, what failed may be there: ${there}`);
        const [next = 0] = await bench.create("Post", [{ "Post.code": "new" }]);
        assert.deepEqual(await posts(bench), [...there, next]);
        assert.deepEqual((await bench.storage.verify()).faults, [], "after a failed write the store must still agree with itself");
      });
    },
  },
  {
    id: "fault.comes-back",
    level: "SHOULD",
    title: `when the database works again, writes succeed within ${comesBackWithinMs / 1_000} seconds, without a restart`,
    why: "Somebody frees the disk at night; nobody should have to restart servers after that.",
    async run(faulty) {
      await onFaulty(faulty, async (bench, kept) => {
        faulty.writes("fail");
        await assert.rejects(bench.create("Post", [{}]), failed);
        faulty.writes("pass");
        const until = performance.now() + comesBackWithinMs;
        let next: readonly Uid[] | undefined;
        while (next === undefined) {
          next = await bench.create("Post", [{}]).catch((error) => {
            assert.ok(performance.now() < until, `still refused: ${error.message}`);
            return undefined;
          });
          await aWhile();
        }
        const there = await posts(bench);
        assert.deepEqual([there[0], there.at(-1)], [kept, next[0]]);
        assert.deepEqual((await bench.storage.verify()).faults, []);
      });
    },
  },
  {
    id: "fault.deploy",
    level: "MUST",
    title: "a deploy that the database fails is refused, the old schema stays in force, and a repetition succeeds",
    why: "Half a deploy serves an API whose indexes are not there.",
    async run(faulty) {
      await onFaulty(faulty, async (bench, kept) => {
        const { indexes, ...rest } = library;
        const deployed = await bench.storage.deployed();
        faulty.writes("fail");
        await assert.rejects(bench.storage.migrate({ ...rest, indexes: indexes.slice(1) }, "2"), hasCode("OUTCOME_UNKNOWN", "STORE_UNAVAILABLE"));
        assert.deepEqual(await bench.storage.deployed(), deployed);
        assert.deepEqual(await posts(bench), [kept]);
        faulty.writes("pass");
        await bench.storage.close();
        await bench.storage.open();
        await bench.deploy({ ...rest, indexes: indexes.slice(1) }, "2");
        assert.deepEqual([(await bench.storage.deployed())?.document, await posts(bench)], ["2", [kept]]);
        assert.deepEqual((await bench.storage.verify()).faults, []);
      });
    },
  },
];
