// Checks what a store of files promises. The runner is handed in.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ByteRange, FileStore } from "../stores/file-store.ts";
import { isCoded } from "./coded.ts";

/** What the kit tests a store with. */
export interface FileStoreConformanceOptions {
  /** `it` of your runner. */
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** Opens a store, twice on the same place for one check. `remove` ends it. */
  readonly create: () => Promise<{ readonly open: () => FileStore; readonly remove: () => Promise<void> }>;
}

/** Calls `test` for each promise of `FileStore`. */
export function fileStoreConformance({ test, create }: FileStoreConformanceOptions): void {
  for (const { title, run } of checks) {
    test(title, async () => {
      const place = await create();
      try {
        await run(place.open(), place.open);
      } finally {
        await place.remove();
      }
    });
  }
}

interface Check {
  readonly title: string;
  readonly run: (store: FileStore, again: () => FileStore) => Promise<void>;
}

const checks: readonly Check[] = [
  {
    title: "gives back what it keeps, whole and in parts, also to others who share it",
    run: async (store, again) => {
      const [key, other] = [aKey(), aKey()];
      await store.write(key, pieces("0123", "45", "6789"));
      await store.write(other, pieces("another"));
      for (const each of [store, again()]) {
        assert.equal(await each.size(key), 10);
        assert.equal(await text(each, key, { start: 0, end: 10 }), "0123456789");
        assert.equal(await text(each, key, { start: 3, end: 7 }), "3456");
        assert.equal(await text(each, key, { start: 9, end: 10 }), "9");
      }
    },
  },
  {
    title: "keeps a file without bytes",
    run: async (store) => {
      const key = aKey();
      await store.write(key, pieces());
      assert.equal(await store.size(key), 0);
      assert.equal(await text(store, key, { start: 0, end: 0 }), "");
      assert.deepEqual(await listed(store), [{ key, bytes: 0 }]);
    },
  },
  {
    title: "keeps many megabytes, in pieces of any size",
    run: async (store) => {
      const key = aKey();
      const sent = randomBytes(11 * 1024 * 1024 + 1);
      const cuts = [0, 1, 70_000, 70_000, 5 * 1024 * 1024, 5 * 1024 * 1024 + 1, 10 * 1024 * 1024, sent.byteLength];
      await store.write(key, pieces(...cuts.slice(1).map((end, i) => sent.subarray(cuts[i], end))));
      assert.equal(await store.size(key), sent.byteLength);
      assert.ok(Buffer.concat(await read(store, key, { start: 0, end: sent.byteLength })).equals(sent));
      const [start, end] = [5 * 1024 * 1024 - 3, 10 * 1024 * 1024 + 3];
      assert.ok(Buffer.concat(await read(store, key, { start, end })).equals(sent.subarray(start, end)));
    },
  },
  {
    title: "knows nothing of a key that was never written",
    run: async (store) => {
      await store.write(aKey(), pieces("another"));
      const key = aKey();
      assert.equal(await store.size(key), undefined);
      await assert.rejects(read(store, key, { start: 0, end: 1 }), (thrown) => isCoded(thrown, "NOT_FOUND"));
      await store.remove(key);
    },
  },
  {
    title: "forgets what it removes, and nothing else",
    run: async (store) => {
      const [key, other] = [aKey(), aKey()];
      await store.write(key, pieces("goes"));
      await store.write(other, pieces("stays"));
      await store.remove(key);
      await store.remove(key);
      assert.equal(await store.size(key), undefined);
      await assert.rejects(read(store, key, { start: 0, end: 4 }), (thrown) => isCoded(thrown, "NOT_FOUND"));
      assert.deepEqual(await listed(store), [{ key: other, bytes: 5 }]);
    },
  },
  {
    title: "keeps nothing of bytes that end in an error, which the writer gets",
    run: async (store) => {
      for (const bytes of [10, 6 * 1024 * 1024]) {
        const key = aKey();
        const broken = new Error("the client has gone");
        await assert.rejects(store.write(key, breaking(Buffer.alloc(bytes), broken)), (thrown) => thrown === broken);
        assert.equal(await store.size(key), undefined);
        assert.deepEqual(await listed(store), []);
      }
    },
  },
  {
    title: "shows no file before all of it is there",
    run: async (store) => {
      const key = aKey();
      const seen: (number | undefined)[] = [];
      const watched = async function* () {
        yield Buffer.alloc(6 * 1024 * 1024);
        seen.push(await store.size(key));
        yield Buffer.alloc(1);
      };
      await store.write(key, watched());
      assert.deepEqual(seen, [undefined]);
      assert.equal(await store.size(key), 6 * 1024 * 1024 + 1);
    },
  },
  {
    title: "takes and gives many files at once",
    run: async (store) => {
      const keys = Array.from({ length: 16 }, aKey);
      await Promise.all(keys.map((key) => store.write(key, pieces(key))));
      assert.deepEqual(await Promise.all(keys.map((key) => text(store, key, { start: 0, end: 40 }))), keys);
      assert.deepEqual((await listed(store)).map(({ key }) => key).sort(), [...keys].sort());
    },
  },
  {
    title: "lets go of a file whose reader ends early",
    run: async (store) => {
      const key = aKey();
      await store.write(key, pieces(Buffer.alloc(3 * 1024 * 1024)));
      for (let i = 0; i < 20; i++) for await (const _piece of store.read(key, { start: 0, end: 3 * 1024 * 1024 })) break;
      await store.remove(key);
      assert.equal(await store.size(key), undefined);
    },
  },
  {
    title: "lists nothing where nothing was ever kept",
    run: async (store) => assert.deepEqual(await listed(store), []),
  },
];

function aKey(): string {
  return randomBytes(20).toString("hex");
}

async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

async function* breaking(first: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield first;
  throw error;
}

async function read(store: FileStore, key: string, range: ByteRange): Promise<readonly Uint8Array[]> {
  const found: Uint8Array[] = [];
  for await (const piece of store.read(key, range)) found.push(piece);
  return found;
}

async function text(store: FileStore, key: string, range: ByteRange): Promise<string> {
  return Buffer.concat(await read(store, key, range)).toString("utf8");
}

async function listed(store: FileStore): Promise<readonly { readonly key: string; readonly bytes: number }[]> {
  const found: { key: string; bytes: number }[] = [];
  for await (const { key, bytes } of store.list()) found.push({ key, bytes });
  return found;
}
