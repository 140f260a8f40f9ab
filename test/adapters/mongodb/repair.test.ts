// What somebody broke past Quern is found, and mended from what the documents say.

import assert from "node:assert/strict";
import { type Db, MongoClient } from "mongodb";
import { inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import type { Change, Layout, Storage } from "../../../core/storage.ts";
import { harbour, library } from "../../conformance/storage/layouts.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

const uri = inject("mongodbUri");

async function broken(name: string, layout: Layout, changes: readonly Change[]) {
  const database = `repair_${name}_${process.pid}`;
  const client = new MongoClient(uri);
  const storage = mongodbStorage({ uri, database, ...layoutOfRun });
  onTestFinished(async () => {
    await storage.close();
    await client.db(database).dropDatabase();
    await client.close();
  });
  await storage.open();
  const { version } = await storage.migrate(layout, name);
  await storage.transact((transaction) => transaction.write(changes), { version });
  assert.deepEqual((await storage.verify()).faults, []);
  return { storage, db: client.db(database) };
}

const kinds = async (storage: Storage) => (await storage.verify()).faults.map((fault) => fault.kind).sort();

it("repairs index tokens, links to missing nodes, and one-sided links", async () => {
  const { storage, db } = await broken("library", library, [
    { kind: "create", uid: 1, type: "Post", fields: { "Post.text": "stone mill" } },
    { kind: "create", uid: 2, type: "Author", fields: {} },
    { kind: "create", uid: 3, type: "Author", fields: {} },
    { kind: "create", uid: 4, type: "PostTag", fields: {} },
    { kind: "link", end: "Post.author", from: 1, fromType: "Post", to: 2, toType: "Author" },
    { kind: "link", end: "Author.friends", from: 2, fromType: "Author", to: 3, toType: "Author" },
    { kind: "link", end: "Post.tagged", from: 1, fromType: "Post", to: 4, toType: "PostTag" },
  ]);
  const { Post, PostTag } = { Post: db.collection<{ _id: number }>("Post"), PostTag: db.collection<{ _id: number }>("PostTag") };
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map((each) => each.name);
  const friends = db.collection<{ _id: string }>(names.find((name) => name.endsWith("Author.friends")) ?? "");
  await Post.updateOne({ _id: 1 }, { $set: { text: "granite", author: 77 } });
  await PostTag.deleteOne({ _id: 4 });
  await friends.deleteOne({ _id: "3>2" });
  assert.deepEqual(await kinds(storage), ["edge", "edge", "edge", "index"]);
  const report = await storage.verify({ repair: true });
  assert.equal(report.repaired, 4);
  assert.deepEqual(await kinds(storage), []);
  assert.equal(await friends.countDocuments(), 2, "a friendship is there from both sides again");
});

/** Where the keys of a node are: the layout for sharded clusters has a collection for each key. */
async function keysOf(db: Db, uid: number) {
  for (const { name } of await db.listCollections({ name: /^quern\.keys\./ }, { nameOnly: true }).toArray()) {
    const keys = db.collection<{ _id: number }>(name);
    if ((await keys.countDocuments({ _id: uid })) > 0) return keys;
  }
  throw new Error(`no collection of keys has an entry of ${uid}`);
}

it("repairs entries of a key across types", async () => {
  const { storage, db } = await broken("harbour", harbour, [
    { kind: "create", uid: 1, type: "Ketch", fields: { "Vessel.name": "a" } },
    { kind: "create", uid: 2, type: "Yawl", fields: { "Vessel.name": "b" } },
  ]);
  const keys = await keysOf(db, 1);
  await keys.deleteOne({ _id: 1 });
  await db.collection<{ _id: number }>("Yawl").deleteOne({ _id: 2 });
  assert.deepEqual(await kinds(storage), ["key", "key"]);
  await storage.verify({ repair: true });
  assert.deepEqual(await kinds(storage), []);
  assert.equal(await keys.countDocuments(), 1);
});

it("documents of somebody else among the nodes of a type are named, however many nodes there are, and left alone", async () => {
  const many = Array.from({ length: 1_001 }, (_, i): Change => ({ kind: "create", uid: i + 1, type: "Post", fields: { "Post.text": "mill" } }));
  const { storage, db } = await broken("foreign", library, many);
  const Post = db.collection<{ _id: string; text: string }>("Post");
  await Post.insertMany([
    { _id: "a", text: "theirs" },
    { _id: "b", text: "theirs" },
  ]);
  const report = await storage.verify({ repair: true });
  const message = 'the collection "Post" has 2 documents that Quern did not write, such as that with _id a';
  assert.deepEqual([report.nodes, report.repaired, report.faults], [1_001, 0, [{ kind: "record", message }]]);
  assert.deepEqual(await Post.findOne({ _id: "a" }), { _id: "a", text: "theirs" });
});
