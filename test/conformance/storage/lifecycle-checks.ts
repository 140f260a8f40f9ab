// Every method in every state.

import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type PartSize, QuernError, type Snapshot, type Storage, type Uid } from "../../../core/storage.ts";
import { type Bench, type Check, type CheckOf, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";

const closed = { code: "STORE_CLOSED" };

/** Every method that asks or changes something. */
const calls: Readonly<Record<string, (storage: Storage) => unknown>> = {
  snapshot: (storage) => storage.snapshot({ version: 0 }),
  transact: (storage) => storage.transact(() => undefined, { version: 0 }),
  changes: (storage) => storage.changes(() => undefined),
  latest: (storage) => storage.latest(),
  deployed: (storage) => storage.deployed(),
  compare: (storage) => storage.compare(library),
  migrate: (storage) => storage.migrate(library, ""),
  erase: (storage) => storage.erase({ kind: "data" }),
  verify: (storage) => storage.verify(),
  statistics: (storage) => storage.statistics(),
  sizes: (storage) => storage.sizes?.() ?? storage.statistics(),
};

function assertClosed(error: unknown, what: string): void {
  assert.ok(error instanceof QuernError && error.code === "STORE_CLOSED", `${what} may fail with STORE_CLOSED alone, not with ${error}`);
}

async function reopen(bench: Bench): Promise<void> {
  await bench.storage.close();
  await bench.storage.open();
  await bench.deploy(library);
}

/** An author with more posts than are read at once. */
async function manyPosts(bench: Bench): Promise<{ readonly author: Uid; readonly uids: readonly Uid[] }> {
  await bench.deploy(library);
  const [author = 0] = await bench.create("Author", [{}]);
  const rows = Array.from({ length: 700 }, (_, i) => ({
    "Post.rank": i % 50,
    "Post.title": i % 2 === 0 ? "even" : "odd",
    "Post.plain": `plain ${i}`,
  }));
  const uids = await bench.create("Post", rows);
  await bench.write((transaction) => transaction.write(uids.map((uid) => linkOf("link", "Post.author", ["Post", uid], ["Author", author]))));
  return { author, uids };
}

/** A read of each kind, most of them longer than a turn of the event loop. */
function questions(author: Uid, uids: readonly Uid[]): readonly ((snapshot: Snapshot) => unknown)[] {
  const even = { kind: "compare", field: "Post.title", op: "eq", operands: ["even"] } as const;
  return [
    (snapshot) => snapshot.find({ types: ["Post"], fields: ["Post.plain"] }),
    (snapshot) =>
      snapshot.find({ types: ["Post"], where: even, order: [{ field: "Post.plain", direction: "desc" }], page: { first: 9 }, fields: [] }),
    (snapshot) => snapshot.follow({ from: [author], end: "Author.posts", where: even, fields: ["Post.rank"] }),
    (snapshot) => snapshot.load({ uids: uids.toReversed(), types: ["Post"], fields: ["Post.plain"] }),
    (snapshot) => snapshot.aggregate({ over: { types: ["Post"] }, measures: [{ kind: "sum", field: "Post.rank" }] }),
  ];
}

async function refusesEverything(storage: Storage): Promise<void> {
  for (const [name, call] of Object.entries(calls))
    await assert.rejects(async () => await call(storage), closed, `${name}() on a storage that is not open must fail with STORE_CLOSED`);
}

export const unopenedChecks: readonly CheckOf<Storage>[] = [
  {
    id: "life.unopened",
    level: "MUST",
    title: "before open every call fails with STORE_CLOSED, close does nothing, and two opens at once are one",
    why: "A mistake in the order of a start must be one clear sentence.",
    async run(storage) {
      await refusesEverything(storage);
      await storage.close();
      await Promise.all([storage.open(), storage.open()]);
      await storage.open();
      assert.equal(await storage.deployed(), undefined);
      await Promise.all([storage.close(), storage.close()]);
      await refusesEverything(storage);
    },
  },
];

export const lifecycleChecks: readonly Check[] = [
  {
    id: "life.nothing-deployed",
    level: "MUST",
    title: "a new storage has nothing deployed and no names",
    why: "The kernel asks a new store first what is deployed, and takes an answer for a schema.",
    async run({ storage }) {
      assert.equal(await storage.deployed(), undefined);
      const snapshot = storage.snapshot({ version: 0 });
      assert.equal(await snapshot.meta("anything"), undefined);
      snapshot.close();
    },
  },
  {
    id: "life.closed",
    level: "MUST",
    title: "after close every call fails with STORE_CLOSED, and closing again does nothing",
    why: "A request that comes while a server stops must fail clearly, whatever it asks.",
    async run({ storage }) {
      await storage.close();
      await storage.close();
      await refusesEverything(storage);
    },
  },
  {
    id: "life.reopen",
    level: "MUST",
    title: "data, names, document and version are there after closing and opening again",
    why: "A restart must show what was acknowledged, under the same version, without building anything.",
    async run(bench) {
      await bench.deploy(library, "type Post { ... } \u{1f600}");
      const [uid = 0] = await bench.create("Post", [{ "Post.code": "one", "Post.rank": 1 }]);
      await bench.write((transaction) => transaction.setMeta("counter", { of: [1, "two", null] }));
      const before = { deployed: await bench.storage.deployed(), latest: bench.storage.latest() };
      assert.equal(before.deployed?.document, "type Post { ... } \u{1f600}");
      await bench.storage.close();
      await bench.storage.open();
      assert.deepEqual({ deployed: await bench.storage.deployed(), latest: bench.storage.latest() }, before);
      await bench.deploy(library, "type Post { ... } \u{1f600}");
      assert.equal(bench.version, before.deployed?.version, "the same layout is no new version");
      await bench.read(async (snapshot) => {
        assert.deepEqual(await snapshot.meta("counter"), { of: [1, "two", null] });
        const found = await snapshot.find({
          types: ["Post"],
          where: { kind: "compare", field: "Post.code", op: "eq", operands: ["one"] },
          fields: ["Post.rank"],
        });
        assert.deepEqual([found.uids, found.columns], [[uid], [[1]]]);
      });
      const [next = 0] = await bench.create("Post", [{}]);
      assert.ok(next > uid, "a uid is never given twice");
    },
  },
  {
    id: "life.uids",
    level: "MUST",
    title: "uids ascend, and those of removed nodes and of failed transactions are not given again",
    why: "An id that clients keep must never mean another object later.",
    async run(bench) {
      await bench.deploy(library);
      const [first = 0, second = 0] = await bench.create("Post", [{}, {}]);
      assert.ok(first >= 1 && second > first);
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: second, type: "Post" }]));
      let lost = 0;
      await assert.rejects(
        bench.write(async (transaction) => {
          [lost = 0] = await transaction.uids(1);
          throw new Error("no");
        }),
        /no/,
      );
      const [third = 0] = await bench.create("Post", [{}]);
      assert.ok(third > second && third > lost);
    },
  },
  {
    id: "life.own-uids",
    level: "MUST",
    title: "an import brings its own uids, up to 2^53 - 2, and later ones are above",
    why: "Imports keep ids; a store that counts in 32 bits, or orders ids as text, mixes them up.",
    async run(bench) {
      await bench.deploy(library);
      const uids = [255, 256, 257, 65_535, 65_536, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 5_000];
      await bench.write((transaction) =>
        transaction.write(uids.map((uid) => ({ kind: "create", uid, type: "Post", fields: { "Post.rank": uid % 7, "Post.title": "t" } }))),
      );
      await bench.read(async (snapshot) => {
        assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, uids);
        assert.deepEqual(
          (await snapshot.find({ types: ["Post"], where: { kind: "compare", field: "Post.title", op: "eq", operands: ["t"] }, fields: [] })).uids,
          uids,
        );
        const ranked = await snapshot.find({ types: ["Post"], order: [{ field: "Post.rank", direction: "asc" }], fields: ["Post.rank"] });
        assert.deepEqual(ranked.columns[0], uids.map((uid) => uid % 7).sort());
        assert.deepEqual((await snapshot.load({ uids: [256, 258, 255, 256], types: ["Post"], fields: [] })).uids, [256, 255, 256]);
      });
      const [next = 0] = await bench.create("Post", [{}]);
      assert.ok(next > 2 ** 53 - 5_000);
    },
  },
  {
    id: "life.meta",
    level: "MUST",
    title: "meta names hold any JSON, null removes a name, and a name with the same prefix stays",
    why: "The kernel and plugins keep settings there; a prefix scan would take a neighbour's.",
    async run(bench) {
      await bench.deploy(library);
      await bench.write(async (transaction) => {
        await transaction.setMeta("a", 1);
        await transaction.setMeta("ab", [true]);
        await transaction.setMeta("", "empty");
        assert.equal(await transaction.meta("a"), 1);
      });
      await bench.write((transaction) => transaction.setMeta("a", null));
      await bench.read(async (snapshot) => {
        assert.deepEqual([await snapshot.meta("a"), await snapshot.meta("ab"), await snapshot.meta("")], [undefined, [true], "empty"]);
      });
    },
  },
  {
    id: "life.empty",
    level: "MUST",
    title: "every read of a store without nodes returns an empty result",
    why: "Absence is a value: the first request after a first deploy is no error.",
    async run(bench) {
      await bench.deploy(library);
      const nothing = { uids: [], types: [], columns: [[]] };
      await bench.read(async (snapshot) => {
        assert.deepEqual(await snapshot.find({ types: ["Post"], fields: ["Post.title"] }), nothing);
        assert.deepEqual(await snapshot.find({ types: ["Post"], where: { kind: "not", of: { kind: "all" } }, page: { last: 1 }, fields: [] }), {
          ...nothing,
          columns: [],
        });
        assert.deepEqual(await snapshot.load({ uids: [1, 255], types: ["Post"], fields: ["Post.title"] }), nothing);
        assert.deepEqual(await snapshot.follow({ from: [], end: "Author.posts", fields: [] }), {
          starts: [0],
          rows: [],
          nodes: { ...nothing, columns: [] },
        });
        assert.deepEqual(await snapshot.aggregate({ over: { types: ["Post"] }, measures: [{ kind: "count" }] }), [[0]]);
      });
      const { nodes, links, entries, faults } = await bench.storage.verify();
      assert.deepEqual([nodes, links, entries, faults], [0, 0, 0, []]);
      assert.deepEqual(await bench.storage.compare(library), { obstacles: [], work: [] });
    },
  },
  {
    id: "life.closing",
    level: "MUST",
    title: "close ends running transactions: each one either resolved and is stored, or failed with STORE_CLOSED and is not",
    why: "Servers are stopped under load; an answer that is not kept is the worst of them.",
    async run(bench) {
      await bench.deploy(library);
      const writing = Array.from({ length: 20 }, (_, rank) => bench.create("Post", [{ "Post.rank": rank }]));
      const settling = Promise.allSettled(writing);
      await bench.storage.close();
      const answers = await settling;
      for (const each of answers) if (each.status === "rejected") assert.equal(each.reason.code, "STORE_CLOSED");
      await bench.storage.open();
      await bench.deploy(library);
      const { columns } = await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: ["Post.rank"] }));
      const kept = answers.flatMap(({ status }, rank) => (status === "fulfilled" ? [rank] : []));
      assert.deepEqual(new Set(columns[0]), new Set(kept));
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "life.closing-reads",
    level: "MUST",
    title: "close ends while reads run: each one answers exactly or fails with STORE_CLOSED, and the store is sound when it is opened again",
    why: "A server stops under load: a read that goes on in closed files crashes the process, and one that answers with less is taken for the truth.",
    async run(bench) {
      const { author, uids } = await manyPosts(bench);
      const asked = questions(author, uids);
      const expected = await bench.read((snapshot) => Promise.all(asked.map((ask) => ask(snapshot))));
      for (let turns = 0; turns < 3; turns++) {
        await reopen(bench);
        const snapshots = Array.from({ length: 4 }, () => bench.storage.snapshot({ version: bench.version }));
        const reading = Promise.allSettled(snapshots.flatMap((snapshot) => asked.map(async (ask) => await ask(snapshot))));
        const verifying = bench.storage.verify().catch((error) => assertClosed(error, "verify()"));
        for (let i = 0; i < turns; i++) await nextTurn();
        await bench.storage.close();
        for (const [i, each] of (await reading).entries()) {
          if (each.status === "fulfilled") assert.deepEqual(each.value, expected[i % asked.length], "a read during close answers exactly");
          else assertClosed(each.reason, "a read during close");
        }
        await verifying;
        for (const snapshot of snapshots) snapshot.close();
        await bench.storage.open();
      }
      await reopen(bench);
      assert.deepEqual(await bench.read((snapshot) => Promise.all(asked.map((ask) => ask(snapshot)))), expected);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "life.held-over-close",
    level: "MUST",
    title:
      "a snapshot that is held when the storage closes fails with STORE_CLOSED or answers as before, can be closed, and does not affect later snapshots",
    why: "A slow reader must neither hold up a stop nor read from files that are gone.",
    async run(bench) {
      await bench.deploy(library);
      const uids = await bench.create("Post", [{ "Post.plain": "p" }]);
      const held = bench.storage.snapshot({ version: bench.version });
      await bench.storage.close();
      try {
        assert.deepEqual((await held.find({ types: ["Post"], fields: ["Post.plain"] })).columns, [["p"]], "it may answer from memory");
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        assert.ok(error instanceof QuernError && error.code === "STORE_CLOSED", `expected STORE_CLOSED, got ${error}`);
      }
      await bench.storage.open();
      await bench.deploy(library);
      held.close();
      await bench.read(async (snapshot) => assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, uids));
    },
  },
  {
    id: "life.verify",
    level: "MUST",
    title: "verify counts nodes and links, reports progress, and finds no fault in a sound store",
    why: "A check that looks at nothing finds no fault either.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0, b = 0] = await bench.create("Author", [{ "Author.age": 1 }, {}]);
      const posts = await bench.create("Post", [{ "Post.title": "t", "Post.code": "c" }, {}, {}]);
      await bench.write((transaction) =>
        transaction.write([
          ...posts.slice(1).map((uid) => linkOf("link", "Post.author", ["Post", uid], ["Author", a])),
          linkOf("link", "Author.friends", ["Author", a], ["Author", b]),
        ]),
      );
      const steps: string[] = [];
      const report = await bench.storage.verify({ progress: ({ what }) => steps.push(what) });
      assert.deepEqual([report.nodes, report.links, report.faults, report.faultCount, report.repaired], [5, 3, [], 0, 0]);
      assert.ok(report.entries >= 3, `an author's age, a title and a code have entries, ${report.entries} were seen`);
      assert.ok(steps.length > 0 && steps.every((what) => what !== ""));
      const before = bench.storage.latest();
      assert.equal((await bench.storage.verify({ repair: true })).repaired, 0);
      assert.equal(bench.storage.latest(), before, "nothing was mended, so there is no commit");
      assert.deepEqual(await bench.partners("Author.posts", a), posts.slice(1));
    },
  },
  {
    id: "life.statistics",
    level: "MUST",
    title: "statistics are numbers; those of nodes are exact or say so; nextUid, where it is given, is above every uid that was given",
    why: "They go into metrics, where text and NaN break the page, and administrators reckon with them.",
    async run(bench) {
      await bench.deploy(library);
      const uids = await bench.create("Post", [{ "Post.title": "t" }, {}]);
      const statistics = await bench.storage.statistics();
      for (const [name, value] of Object.entries(statistics)) assert.ok(Number.isFinite(value), `${name} is ${value}`);
      const counted = statistics["nodes.Post"];
      if (counted !== undefined && statistics.nodesEstimated !== 1) assert.equal(counted, uids.length, "nodes.Post without nodesEstimated");
      if (statistics.nextUid !== undefined) assert.ok(statistics.nextUid > Math.max(...uids), `nextUid is ${statistics.nextUid}`);
    },
  },
  {
    id: "life.sizes",
    level: "MUST",
    title: "sizes name the parts of the deployed layout, with bytes; without a deploy there are none of its names",
    why: "Administrators look for the index that fills the disk.",
    async run(bench) {
      const { storage } = bench;
      if (storage.sizes === undefined) return;
      const names = (kind: string, sizes: readonly PartSize[]) => new Set(sizes.filter((size) => size.kind === kind).map(({ name }) => name));
      const none = await storage.sizes();
      assert.deepEqual([...names("index", none), ...names("key", none)], [], "names of a layout that is not deployed");
      await bench.deploy(library);
      await bench.create("Post", [{ "Post.title": "t" }, {}]);
      const sizes = await storage.sizes();
      for (const { kind, name, bytes } of sizes) assert.ok(Number.isFinite(bytes) && bytes >= 0, `${kind} ${name} has ${bytes} bytes`);
      const known = { index: library.indexes, key: library.keys, edge: library.edges };
      for (const [kind, parts] of Object.entries(known)) assert.ok(parts.length === 0 || names(kind, sizes).size > 0, `no ${kind} is named`);
      assert.ok(names("nodes", sizes).size > 0, "no nodes are named");
    },
  },
  {
    id: "life.cache",
    level: "MUST",
    title: "a cache whose bound changes while the storage is open returns the new bound, and no result changes",
    why: "Operators shrink it on a machine that is short of memory, under load.",
    async run(bench) {
      const { cache } = bench.storage;
      if (cache === undefined) return;
      await bench.deploy(library);
      const uids = await bench.create(
        "Post",
        Array.from({ length: 600 }, (_, i) => ({ "Post.title": "t", "Post.rank": i })),
      );
      const where = { kind: "compare", field: "Post.title", op: "eq", operands: ["t"] } as const;
      for (const bytes of [1 << 16, cache.maxBytes, 1 << 12]) {
        cache.resize(bytes);
        assert.equal(cache.maxBytes, bytes);
        assert.deepEqual(await bench.find("Post", where), uids);
        await bench.write((transaction) => transaction.write([{ kind: "set", uid: uids[0] ?? 0, type: "Post", fields: { "Post.rank": bytes } }]));
        const { columns } = await bench.read((snapshot) => snapshot.load({ uids: uids.slice(0, 2), types: ["Post"], fields: ["Post.rank"] }));
        assert.deepEqual(columns, [[bytes, 1]]);
      }
    },
  },
];
