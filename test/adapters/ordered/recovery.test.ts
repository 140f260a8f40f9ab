// A store that has failed a write: it is opened again until it works, and says meanwhile what does not.

import assert from "node:assert/strict";
import { expect, it, onTestFinished } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { QuernError, type Storage, type StoreTrouble, type Uid } from "../../../core/storage.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { eventually } from "../../support/eventually.ts";
import { FaultyStore } from "../../support/faulty-store.ts";
import { MemoryStore } from "./memory-store.ts";

interface Bench {
  readonly store: FaultyStore;
  readonly storage: Storage;
  readonly version: number;
  /** What the storage has reported, in order. */
  readonly heard: readonly (StoreTrouble | undefined)[];
  add(): Promise<Uid>;
  /** The uids of all posts. */
  posts(): Promise<readonly Uid[]>;
}

async function bench(): Promise<Bench> {
  const store = Object.assign(new FaultyStore(new MemoryStore()), { follower: () => new MemoryStore() });
  const storage = orderedStorage(store);
  const heard: (StoreTrouble | undefined)[] = [];
  await storage.open({ troubled: (trouble) => heard.push(trouble) });
  onTestFinished(() => storage.close());
  const { version } = await storage.migrate(library, "type Post { title: String }");
  const add = async () => {
    const { result } = await storage.transact(
      async (transaction) => {
        const [uid = 0] = await transaction.uids(1);
        await transaction.write([{ kind: "create", uid, type: "Post", fields: { "Post.title": "t" } }]);
        return uid;
      },
      { version },
    );
    return result;
  };
  const posts = async () => {
    const snapshot = storage.snapshot({ version });
    try {
      return [...(await snapshot.find({ types: ["Post"], fields: [] })).uids];
    } finally {
      snapshot.close();
    }
  };
  return { store, storage, version, heard, add, posts };
}

const noSpace = { code: "STORE_UNAVAILABLE", message: "the store is not open: the disk is full; it is opened again as soon as that is possible" };
const diskFull = () =>
  new QuernError("STORE_UNAVAILABLE", "the data folder /srv/secret cannot be opened: the disk is full", { details: { reason: "the disk is full" } });

it("a store that cannot be written stays open for reads, says so, and takes writes again without anybody writing", async () => {
  const { store, storage, heard, add, posts } = await bench();
  const first = await add();
  expect(storage.trouble).toBeUndefined();
  store.writes("fail");
  await assert.rejects(add(), { code: "OUTCOME_UNKNOWN" });
  expect(storage.trouble).toMatchObject({ kind: "read-only", reason: "the system refuses" });
  expect(await posts()).toEqual([first]);
  await assert.rejects(add(), { code: "STORE_UNAVAILABLE" });
  expect(store.openings).toBe(1);
  store.writes("pass");
  await eventually(() => expect(storage.trouble).toBeUndefined());
  expect(store.openings).toBe(2);
  const second = await add();
  expect(await posts()).toEqual([first, second]);
  expect(heard.map((each) => each?.kind)).toEqual(["read-only", undefined]);
});

it("a store that is closed for it and does not open is opened again until it does, and refuses meanwhile without naming a place", async () => {
  const { store, storage, version, heard, add, posts } = await bench();
  const first = await add();
  store.writes("fail");
  await assert.rejects(add(), { code: "OUTCOME_UNKNOWN" });
  store.unopened = diskFull();
  store.writes("pass");
  await eventually(() => expect(storage.trouble).toMatchObject({ kind: "lost", reason: "the disk is full" }));
  const lostAt = storage.trouble?.since;
  const { openings } = store;
  await eventually(() => expect(store.openings).toBeGreaterThan(openings + 1));
  expect(storage.trouble?.since).toBe(lostAt);
  await assert.rejects(async () => storage.snapshot({ version }), noSpace);
  await assert.rejects(add(), noSpace);
  await assert.rejects(storage.metaNames({ prefix: "", first: 1 }), noSpace);
  await assert.rejects(async () => await storage.statistics(), noSpace);
  await assert.rejects(storage.verify(), noSpace);
  store.unopened = undefined;
  await eventually(() => expect(storage.trouble).toBeUndefined());
  const second = await add();
  expect(await posts()).toEqual([first, second]);
  expect(heard.map((each) => each?.kind)).toEqual(["read-only", "lost", undefined]);
});

it("a store that is closed meanwhile stays closed, and opens as usual", async () => {
  const { store, storage, add, posts } = await bench();
  const first = await add();
  store.writes("fail");
  await assert.rejects(add(), { code: "OUTCOME_UNKNOWN" });
  store.unopened = diskFull();
  store.writes("pass");
  await eventually(() => expect(storage.trouble?.kind).toBe("lost"));
  await storage.close();
  expect(storage.trouble).toBeUndefined();
  const { openings } = store;
  store.unopened = undefined;
  await storage.open();
  expect(store.openings).toBe(openings + 1);
  await storage.migrate(library, "type Post { title: String }");
  expect(await posts()).toEqual([first]);
  expect(storage.trouble).toBeUndefined();
});

it("admits no reader while the store is closed: that one would open the store alone", async () => {
  const { store, storage, add } = await bench();
  store.writes("fail");
  await assert.rejects(add(), { code: "OUTCOME_UNKNOWN" });
  store.unopened = diskFull();
  store.writes("pass");
  await eventually(() => expect(storage.trouble?.kind).toBe("lost"));
  await assert.rejects(async () => await storage.readers?.admit({ cacheBytes: 1 << 20, revoke: async () => undefined }), noSpace);
});

it("a store that turns out to be damaged says so, and since when", async () => {
  const { store, storage, posts } = await bench();
  Object.assign(store, { fault: new QuernError("STORE_CORRUPT", "files of the store are damaged") });
  const found = storage.trouble;
  expect(found).toEqual({ kind: "damaged", reason: "files of the store are damaged", since: expect.any(Number) });
  await assert.rejects(posts(), { code: "STORE_CORRUPT" });
  expect(storage.trouble).toEqual(found);
});
