// A node with thousands of partners is tested by them in turns, on every way that leads to it, and passes as one with few does.

import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { and, type FindRequest, lasting, not, or, type Predicate, type Snapshot, type Storage, type Uid } from "../../../core/storage.ts";
import { Bench, createOf, linkOf } from "../../conformance/storage/kit.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { MemoryStore } from "./memory-store.ts";
import { storageOptions } from "./with-bench.ts";

/** Posts of each author: one more than are tested at once, thousands, few, none. */
const crowds = [65, 3_000, 64, 3, 0];
const hub = 1;

let storage: Storage;
let bench: Bench;
let authors: readonly Uid[];
let posts: readonly Uid[];

beforeAll(async () => {
  storage = orderedStorage(new MemoryStore(), storageOptions);
  await storage.open();
  bench = new Bench(storage);
  await bench.deploy(library);
  await bench.write(async (transaction) => {
    const uids = await transaction.uids(crowds.length + crowds.reduce((sum, count) => sum + count, 0));
    authors = uids.slice(0, crowds.length);
    posts = uids.slice(crowds.length);
    const free = [...posts];
    await transaction.write(
      authors.flatMap((author, i) => [
        createOf(author, "Author", { "Author.age": 10 - i }),
        ...free
          .splice(0, crowds[i] ?? 0)
          .flatMap((post, n) => [
            createOf(post, "Post", { "Post.rank": n, "Post.plain": `${i}: ${n}` }),
            linkOf("link", "Author.posts", ["Author", author], ["Post", post]),
          ]),
      ]),
    );
  });
});
afterAll(() => storage?.close());

/** Reads the record of each post that it tests, and takes so long for each. */
function posted(text: RegExp, takesMs = 0): Predicate {
  const holds = ([stored]: readonly unknown[]) => {
    const until = performance.now() + takesMs;
    while (performance.now() < until);
    return text.test(String(stored));
  };
  return { kind: "check", field: "Post.plain", test: { id: String(text), holds } };
}
const hasPost = (where: Predicate, atLeast = 1): Predicate => ({ kind: "linked", end: "Author.posts", where, atLeast });
const hasAuthor = (where: Predicate): Predicate => ({ kind: "linked", end: "Post.author", where, atLeast: 1 });

/** How often others had a turn while `work` was done. */
async function turnsBeside<T>(work: Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let [turns, isDone] = [0, false];
  const beside = (async () => {
    for (; !isDone; turns++) await setImmediate();
  })();
  const result = await work;
  isDone = true;
  await beside;
  return { result, turns };
}

const found = (request: Omit<FindRequest, "fields">) => async (snapshot: Snapshot) => (await snapshot.find({ ...request, fields: [] })).uids;
const places = (uids: readonly Uid[]) => uids.map((uid) => authors.indexOf(uid));

describe("nodes with many partners", () => {
  it.each<[string, Predicate, readonly number[]]>([
    ["the last partner of each", hasPost(posted(/: 64$|: 63$|3: 2$/)), [0, 1, 2, 3]],
    ["none of them", hasPost(posted(/x/)), []],
    ["two, of which some have one", hasPost(posted(/: 64$|: 2999$|: 63$/), 2), [0, 1]],
    ["more than they are", hasPost(posted(/./), 65), [0, 1]],
    ["a denial", not(hasPost(posted(/: 64$/))), [2, 3, 4]],
    ["one of two conditions", or(hasPost(posted(/: 2999$/)), hasPost(posted(/^3: 2$/))), [1, 3]],
    ["two conditions", and(hasPost(posted(/: 64$/)), hasPost(posted(/: 2998$/))), [1]],
    ["a condition of a rule", lasting(hasPost(posted(/: 2997$/))), [1]],
    ["partners whose own partner has many", hasPost(hasAuthor(hasPost(posted(/: 2996$/)))), [1]],
  ])("pass by %s as those with few", async (_name, where, expected) => {
    const all = await bench.read(found({ types: ["Author"], where }));
    expect(places(all)).toEqual(expected);
    const ordered = await bench.read(found({ types: ["Author"], where, order: [{ field: "Author.age", direction: "asc" }] }));
    expect(places(ordered)).toEqual(expected.toReversed());
    const first = await bench.read(found({ types: ["Author"], where, order: [{ field: "Author.age", direction: "desc" }], page: { first: 1 } }));
    expect(places(first)).toEqual(expected.slice(0, 1));
    const named = await bench.read(found({ types: ["Author"], where: and({ kind: "uids", uids: authors }, where) }));
    expect(places(named)).toEqual(expected);
    const from = posts.filter((_, i) => i % 700 === 0);
    const { rows, nodes } = await bench.read((snapshot) => snapshot.follow({ end: "Post.author", from, where, fields: [] }));
    const owner = (post: Uid) => crowds.findIndex((_, i) => posts.indexOf(post) < crowds.slice(0, i + 1).reduce((sum, count) => sum + count, 0));
    expect(rows.map((row) => places(nodes.uids)[row])).toEqual(from.map(owner).filter((place) => expected.includes(place)));
  });

  // Another object each time: answers of a lasting one are kept.
  const slow = () => hasPost(posted(/x/, 0.02));
  const byAge: FindRequest["order"] = [{ field: "Author.age", direction: "desc" }];
  it.each<[string, (snapshot: Snapshot) => Promise<unknown>]>([
    ["a scan", found({ types: ["Author"], where: slow() })],
    ["a denial", found({ types: ["Author"], where: not(slow()) })],
    ["a rule", found({ types: ["Author"], where: lasting(and(slow(), { kind: "type", types: ["Author"] })) })],
    ["a walk of an index", found({ types: ["Author"], where: slow(), order: byAge, page: { first: 1 } })],
    ["a name", (snapshot) => found({ types: ["Author"], where: and({ kind: "uids", uids: [authors[hub] ?? 0] }, slow()) })(snapshot)],
    ["partners", async (snapshot) => await snapshot.follow({ end: "Post.author", from: [posts[600] ?? 0], where: slow(), fields: [] })],
    [
      "partners of partners",
      (snapshot) => found({ types: ["Post"], where: and({ kind: "uids", uids: [posts[600] ?? 0] }, hasAuthor(slow())) })(snapshot),
    ],
  ])("let others have their turns: by %s", async (_name, read) => {
    // 3,000 tests of 20 us at least are twelve turns of 5 ms.
    const { turns } = await turnsBeside(bench.read(read));
    expect(turns).toBeGreaterThanOrEqual(8);
  });
});
