// Finds that name their nodes skip the planner: they answer as the planned ones do.

import { expect, it, onTestFinished, vi } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { and, type FindRequest, lasting, not, type Predicate, type Uid } from "../../../core/storage.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { MemoryStore } from "./memory-store.ts";

async function opened(store = new MemoryStore()): Promise<{ readonly bench: Bench; readonly posts: readonly Uid[]; readonly tags: readonly Uid[] }> {
  const storage = orderedStorage(store);
  await storage.open();
  onTestFinished(() => storage.close());
  const bench = new Bench(storage);
  await bench.deploy(library);
  const posts = await bench.create(
    "Post",
    Array.from({ length: 100 }, (_, i) => ({
      "Post.title": i < 40 ? "many" : i < 43 ? "few" : `post ${i}`,
      "Post.code": `code ${i}`,
      "Named.label": `label ${i}`,
    })),
  );
  const tags = await bench.create("PostTag", [{ "PostTag.title": "tag", "Named.label": "label 50" }]);
  const [from = 0, to = 0] = [posts[41], tags[0]];
  await bench.write((transaction) => transaction.write([{ kind: "link", end: "Post.tagged", from, fromType: "Post", to, toType: "PostTag" }]));
  return { bench, posts, tags };
}

const equal = (field: string, ...operands: readonly string[]): Predicate => ({
  kind: "compare",
  field,
  op: operands.length === 1 ? "eq" : "in",
  operands,
});
const linkedTo = (where: Predicate): Predicate => ({ kind: "linked", end: "Post.tagged", where, atLeast: 1 });
/** The same nodes, planned: a disjunction names none. */
const planned = (where: Predicate): Predicate => ({ kind: "or", of: [where] });

it("answers as a planned find does", async () => {
  const { bench, posts, tags } = await opened();
  const [post = 0, second = 0] = posts;
  const [tag = 0] = tags;
  const wheres: readonly Predicate[] = [
    { kind: "uids", uids: [post] },
    { kind: "uids", uids: [post, second, tag, tag + 1_000] },
    { kind: "uids", uids: [] },
    { kind: "uids", uids: posts },
    equal("Post.title", "few"),
    equal("Post.title", "many"),
    equal("Post.title", "nobody"),
    equal("Post.title", "post 99", "post 50", "few", "post 50"),
    equal("Post.code", "code 7"),
    equal("Post.code", "code 7", "code 3", "no code"),
    equal("Named.label", "label 50"),
    and(equal("Post.title", "few"), equal("Post.code", "code 41")),
    and(equal("Post.title", "many"), equal("Post.code", "code 7", "code 50")),
    and(equal("Post.title", "few"), not(equal("Post.code", "code 41"))),
    and({ kind: "uids", uids: [post, second, tag, tag + 1_000] }, equal("Post.title", "many")),
    and(lasting(equal("Post.title", "many")), { kind: "uids", uids: [post, tag, tag + 1_000] }),
    and(lasting(equal("Post.title", "few")), equal("Post.title", "few", "many"), { kind: "after", uid: post }),
    and(equal("Post.title", "few"), { kind: "none" }, equal("Post.title", "nobody")),
    and(equal("Post.code", "code 41"), linkedTo(equal("PostTag.title", "tag"))),
    and(equal("Post.code", "code 42"), linkedTo(equal("PostTag.title", "tag"))),
  ];
  const cuts: readonly Pick<FindRequest, "page" | "order">[] = [
    {},
    { page: { first: 2 } },
    { page: { first: 0 } },
    { page: { offset: 1 } },
    { page: { first: 1, offset: 2 } },
    { page: { last: 1 } },
    { order: [{ field: "Post.code", direction: "desc" }] },
  ];
  for (const where of wheres) {
    for (const types of [["Post"], ["PostTag"], ["Post", "PostTag"], []]) {
      for (const cut of cuts) {
        const request = { types, where, fields: ["Post.title", "Post.code", "Named.label"], ...cut };
        const [named, same] = await bench.read(async (snapshot) => [
          await snapshot.find(request),
          await snapshot.find({ ...request, where: planned(where) }),
        ]);
        expect(named, JSON.stringify(request)).toEqual(same);
      }
    }
  }
});

it("finds nothing of types without nodes, whatever is asked for besides", async () => {
  const { bench } = await opened();
  for (const request of [{}, { page: { first: 3 } }, { page: { last: 2 } }, { where: equal("Named.label", "label 50") }]) {
    const found = await bench.read((snapshot) => snapshot.find({ types: ["Author"], fields: ["Named.label", "Author.age"], ...request }));
    expect(found).toEqual({ uids: [], types: [], columns: [[], []] });
  }
  await bench.create("Author", [{ "Author.age": 3 }]);
  const { columns } = await bench.read((snapshot) => snapshot.find({ types: ["Author"], fields: ["Author.age"] }));
  expect(columns).toEqual([[3]]);
});

it("loads few nodes as it loads many", async () => {
  const { bench, posts, tags } = await opened();
  const fields = ["Post.title", "Post.code", "Named.label"];
  const [post = 0, second = 0] = posts;
  const [tag = 0] = tags;
  for (const types of [["Post"], ["PostTag"], ["Post", "PostTag"], []]) {
    for (const uids of [[], [post], [tag, second, post, tag + 1_000]]) {
      // Uids of no node make it a long list.
      const many = [...uids, ...Array.from({ length: 100 }, (_, i) => tag + 2_000 + i)];
      const [few, same] = await bench.read(async (snapshot) => [
        await snapshot.load({ uids, types, fields }),
        await snapshot.load({ uids: many, types, fields }),
      ]);
      expect(few, JSON.stringify({ types, uids })).toEqual(same);
    }
  }
});

it("reads the nodes' types and records alone", async () => {
  const store = new MemoryStore();
  const { posts } = await opened(store);
  const storage = orderedStorage(store);
  await storage.open();
  onTestFinished(() => storage.close());
  const again = new Bench(storage);
  await again.deploy(library);
  // A read whose turn is over takes the way that can pause.
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  const read: string[] = [];
  const getSync = store.getSync.bind(store);
  store.getSync = (key, view) => {
    read.push(key.replace(/^x\w+\//, "").slice(0, 2));
    return getSync(key, view);
  };
  await again.read((snapshot) => snapshot.find({ types: ["Post"], where: { kind: "uids", uids: posts.slice(0, 2) }, fields: ["Post.code"] }));
  expect(read.sort()).toEqual(["nr", "nr", "ns", "ta"]);
});
