// A bit that flips in a value, where the files' own checksums do not see it: no read answers with it, and the check finds it.

import assert from "node:assert/strict";
import { beforeAll, describe, expect, it } from "vitest";
import { type OrderedStore, orderedStorage } from "../../../adapters/ordered/index.ts";
import { type Change, type Predicate, QuernError, type Snapshot, type Storage } from "../../../core/storage.ts";
import { library } from "../../conformance/storage/layouts.ts";
import fc from "../../support/properties.ts";
import { MemoryStore } from "./memory-store.ts";

/** More than one chunk of a list and one block of an ordered index hold. */
const posts = 700;
const flips = 300;
const store = new MemoryStore();
let values: readonly (readonly [key: string, value: Uint8Array])[];
/** What each question is answered by the sound store. */
let answers: ReadonlyMap<string, string>;

beforeAll(async () => {
  await onStorage(store, async (storage, version) => {
    await storage.transact(
      async (transaction) => {
        const uids = await transaction.uids(posts + 1);
        const author = uids[0] ?? 0;
        const changes: Change[] = [{ kind: "create", uid: author, type: "Author", fields: { "Author.name": "Ada", "Author.age": 5 } }];
        for (const [i, uid] of uids.slice(1).entries()) {
          const fields = { "Post.code": `c${i}`, "Post.title": `t${i % 2}`, "Post.rank": i, "Post.text": `one ${i % 3 === 0 ? "three" : "two"}` };
          changes.push({ kind: "create", uid, type: "Post", fields });
          changes.push({ kind: "link", end: "Post.author", from: uid, fromType: "Post", to: author, toType: "Author" });
        }
        await transaction.write(changes);
        await transaction.setMeta("note", { of: "a plugin" });
      },
      { version },
    );
    // Edits beside a block and a chunk that were written whole.
    await storage.transact(
      async (transaction) => {
        const { uids } = await transaction.find({ types: ["Post"], fields: [], page: { first: 5 } });
        await transaction.write(uids.map((uid, i) => ({ kind: "set", uid, type: "Post", fields: { "Post.rank": 10_000 + i } })));
      },
      { version },
    );
    answers = new Map(await Promise.all(questions.map(async ([name, ask]) => [name, await asked(storage, version, ask)] as const)));
  });
  const cursor = store.cursor({ from: "", to: "\u{10ffff}" });
  values = await cursor.next(100_000);
}, 60_000);

async function onStorage(on: OrderedStore, work: (storage: Storage, version: number) => Promise<void>): Promise<void> {
  const storage = orderedStorage(on);
  await storage.open();
  try {
    await work(storage, (await storage.migrate(library, "document")).version);
  } finally {
    await storage.close();
  }
}

type Question = (snapshot: Snapshot) => unknown;

const rank = { field: "Post.rank", direction: "desc" } as const;
const found =
  (where: Predicate): Question =>
  (snapshot) =>
    snapshot.find({ types: ["Post"], where, fields: [] });
const questions: readonly (readonly [name: string, ask: Question])[] = [
  ["every value of every node", (snapshot) => snapshot.find({ types: ["Post"], fields: ["Post.code", "Post.title", "Post.rank", "Post.text"] })],
  ["a key", found({ kind: "compare", field: "Post.code", op: "eq", operands: ["c77"] })],
  ["an index by value", found({ kind: "compare", field: "Post.title", op: "eq", operands: ["t1"] })],
  ["an index by tokens", found({ kind: "lookup", index: "Post.text/words", match: "any", tokens: ["three"] })],
  ["a range", found({ kind: "compare", field: "Post.rank", op: "between", operands: [100, 650] })],
  ["an order", (snapshot) => snapshot.find({ types: ["Post"], order: [rank], page: { first: 650 }, fields: [] })],
  ["a link", (snapshot) => snapshot.follow({ from: Array.from({ length: posts }, (_, i) => i + 2), end: "Post.author", fields: ["Author.name"] })],
  ["links", (snapshot) => snapshot.follow({ from: [1], end: "Author.posts", fields: [] })],
  ["metadata", (snapshot) => snapshot.meta("note")],
];

/** The answer as text, or the code of the refusal. */
async function asked(storage: Storage, version: number, ask: Question): Promise<string> {
  const snapshot = storage.snapshot({ version });
  try {
    return JSON.stringify(await ask(snapshot));
  } catch (reason) {
    if (!(reason instanceof QuernError)) throw reason;
    return reason.code;
  } finally {
    snapshot.close();
  }
}

type Entry = (typeof values)[number];

/** Entries of one structure of one index have keys that begin alike: a record, a list, its directory, its chunks. */
function kindsOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const kinds = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [key] = entry;
    const kind = key.slice(0, key.indexOf("/") + 3);
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry]);
  }
  return [...kinds.values()];
}

/** Whether opening refuses the store, some answer is `STORE_CORRUPT`, or the check reports a fault. Every other answer is the right one. */
async function isTold(): Promise<boolean> {
  let isReported = false;
  try {
    await onStorage(store, async (storage, version) => {
      for (const [name, ask] of questions) {
        const answer = await asked(storage, version, ask);
        if (answer === "STORE_CORRUPT") isReported = true;
        else assert.equal(answer, answers.get(name), name);
      }
      if (!isReported) isReported = (await storage.verify()).faultCount > 0;
    });
    return isReported;
  } catch (reason) {
    if (reason instanceof QuernError && reason.code === "STORE_CORRUPT") return true;
    throw reason;
  }
}

describe("a bit that flips in a value", () => {
  it(`is reported, and no answer is wrong, in ${flips} places`, async () => {
    // Nearly all entries are records and lists of one node: half of the places are shared among the kinds of entry.
    const entry = fc.oneof(
      fc.constantFrom(...values),
      fc.constantFrom(...kindsOf(values)).chain((kind) => fc.constantFrom(...kind)),
    );
    const place = fc.tuple(entry, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(place, async ([[key, value], part]) => {
        const bit = Math.floor(part * value.length * 8);
        const damaged = Uint8Array.from(value);
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        await store.batch([{ type: "put", key, value: damaged }], { sync: true });
        try {
          assert.ok(await isTold(), `${JSON.stringify(key)}: bit ${bit} of ${value.length * 8}`);
        } finally {
          await store.batch([{ type: "put", key, value }], { sync: true });
        }
      }),
      { numRuns: flips },
    );
  }, 300_000);
});

describe("a value under the key of another", () => {
  it("is reported", async () => {
    const records = values.filter(([key]) => /^x[a-z0-9]+\/nr/.test(key));
    const [[key = "", value = new Uint8Array()] = [], [, other = new Uint8Array()] = []] = records.slice(5);
    await store.batch([{ type: "put", key, value: other }], { sync: true });
    assert.ok(await isTold());
    await store.batch([{ type: "put", key, value }], { sync: true });
  });
});

/** What an answer is and what the check finds when an entry is not there. */
async function without([key, value]: Entry): Promise<{
  readonly wrong: readonly string[];
  readonly refused: readonly string[];
  readonly isFound: boolean;
}> {
  await store.batch([{ type: "del", key }], { sync: true });
  const wrong: string[] = [];
  const refused: string[] = [];
  let isFound = false;
  try {
    await onStorage(store, async (storage, version) => {
      for (const [name, ask] of questions) {
        const answer = await asked(storage, version, ask);
        if (answer === "STORE_CORRUPT") refused.push(name);
        else if (answer !== answers.get(name)) wrong.push(name);
      }
      isFound = (await storage.verify()).faultCount > 0;
    });
  } catch (reason) {
    if (!(reason instanceof QuernError) || reason.code !== "STORE_CORRUPT") throw reason;
    isFound = true;
  } finally {
    await store.batch([{ type: "put", key, value }], { sync: true });
  }
  return { wrong, refused, isFound };
}

describe("an entry that is missing", () => {
  const parts = [
    ["a chunk of a list", /^x[a-z0-9]+\/.*c.*\0/],
    ["the directory of a list", /^x[a-z0-9]+\/(uda1|[01]da1|d=.*)$/],
    ["a block of an ordered index", /^x[a-z0-9]+\/ob/],
  ] as const;
  it.each(parts)("is an error of each read that needs it, and no answer is wrong: %s", async (_what, pattern) => {
    const entries = values.filter(([key]) => pattern.test(key));
    assert.ok(entries.length > 1, `${entries.length} entries`);
    let refusals = 0;
    for (const entry of entries) {
      const { wrong, refused, isFound } = await without(entry);
      assert.deepEqual(wrong, [], JSON.stringify(entry[0]));
      assert.ok(isFound, JSON.stringify(entry[0]));
      refusals += refused.length;
    }
    assert.ok(refusals > 0);
  });

  // Only the files know whether there was metadata under a name.
  const kinds = () => kindsOf(values.filter(([key]) => !key.startsWith("m/")));

  it("is found at the opening, by a read or by the check, whatever it holds", async () => {
    for (const kind of kinds()) {
      for (const entry of new Set([kind[0], kind[kind.length >> 1], kind.at(-1)])) {
        if (entry !== undefined) assert.ok((await without(entry)).isFound, JSON.stringify(entry[0]));
      }
    }
  });
});

describe("the message of a damaged value", () => {
  const named: readonly (readonly [what: string, cell: RegExp, ask: number, message: RegExp])[] = [
    ["a record", /\/nra2$/, 0, /^the record of 0x2, a Post cannot be read/],
    ["a list of an index", /\/h=three$/, 3, /^the index Post\.text\/words cannot be read/],
    ["a key", /\/h=c77$/, 1, /^the key Post\.code cannot be read/],
    ["a list of links", /\/1ha1$/, 7, /^the list of links of 0x1, a Author in Author\.posts cannot be read/],
  ];
  it.each(named)("names %s", async (_what, cell, ask, message) => {
    const [key = "", value = new Uint8Array()] = values.find(([name]) => cell.test(name)) ?? [];
    assert.notEqual(key, "", `no entry ${cell}`);
    await store.batch([{ type: "put", key, value: value.map((byte) => byte ^ 1) }], { sync: true });
    await onStorage(store, async (storage, version) => {
      const snapshot = storage.snapshot({ version });
      await expect((async () => await questions[ask]?.[1](snapshot))()).rejects.toMatchObject({
        code: "STORE_CORRUPT",
        message: expect.stringMatching(message),
      });
      snapshot.close();
    });
    await store.batch([{ type: "put", key, value }], { sync: true });
  });
});
