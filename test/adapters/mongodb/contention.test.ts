// Many transactions that want to write the same node or the same key value: none is lost, none runs more than a few times, and those
// that want something else do not wait for them.

import assert from "node:assert/strict";
import { describe, it, onTestFinished } from "vitest";
import type { Storage, Transaction } from "../../../core/storage.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";

/** Storages of one database, open, with the library deployed. */
async function servers(count: number): Promise<{ readonly storages: readonly [Storage, ...Storage[]]; readonly version: number }> {
  const place = await mongodbPlace();
  const [first, ...others] = Array.from({ length: count }, () => place.storage());
  assert.ok(first);
  const storages = [first, ...others] as const;
  onTestFinished(async () => {
    await Promise.all(storages.map((each) => each.close()));
    await place.remove();
  });
  let version = 0;
  for (const each of storages) {
    await each.open();
    ({ version } = await each.migrate(library, "library"));
  }
  return { storages: [...storages], version };
}

/** Adds one to the rank of the post with this code; who comes first makes it. */
async function count(transaction: Transaction, code: string): Promise<void> {
  const where = { kind: "compare" as const, field: "Post.code", op: "eq" as const, operands: [code] };
  const { uids, columns } = await transaction.find({ types: ["Post"], where, fields: ["Post.rank"] });
  const [known] = uids;
  if (known === undefined) {
    const [uid = 0] = await transaction.uids(1);
    await transaction.write([{ kind: "create", uid, type: "Post", fields: { "Post.code": code, "Post.rank": 1 } }]);
  } else await transaction.write([{ kind: "set", uid: known, type: "Post", fields: { "Post.rank": Number(columns[0]?.[0]) + 1 } }]);
}

async function ranks(storage: Storage, version: number, after: string): Promise<readonly unknown[]> {
  const snapshot = storage.snapshot({ version, after });
  const { columns } = await snapshot.find({ types: ["Post"], fields: ["Post.rank"] });
  snapshot.close();
  return columns[0] ?? [];
}

const newest = (commits: readonly { readonly token: string }[]) =>
  commits
    .map(({ token }) => token)
    .sort()
    .at(-1) ?? "";

describe("transactions that count by one key", () => {
  it("200 at once on one server are all counted, each after two or three runs", async () => {
    const { storages, version } = await servers(1);
    const [storage] = storages;
    let runs = 0;
    const begun = performance.now();
    const commits = await Promise.all(
      Array.from({ length: 200 }, () =>
        storage.transact(
          (transaction) => {
            runs++;
            return count(transaction, "one");
          },
          { version },
        ),
      ),
    );
    console.log(`200 writers of one key: ${Math.round(performance.now() - begun)} ms, ${runs} runs`);
    assert.deepEqual(await ranks(storage, version, newest(commits)), [200]);
    assert.ok(runs <= 200 * 3, `${runs} runs`);
  });

  it("64 at once on three servers are all counted", async () => {
    const { storages, version } = await servers(3);
    const commits = await Promise.all(
      Array.from({ length: 64 }, (_, i) => (storages[i % 3] ?? storages[0]).transact((transaction) => count(transaction, "one"), { version })),
    );
    assert.deepEqual(await ranks(storages[0], version, newest(commits)), [64]);
    assert.deepEqual((await storages[0].verify()).faults, []);
  });

  it("on several keys in different orders do not wait for each other in a circle", async () => {
    const { storages, version } = await servers(2);
    const codes = ["a", "b", "c", "d"];
    const commits = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (storages[i % 2] ?? storages[0]).transact(
          async (transaction) => {
            for (let k = 0; k < 3; k++) await count(transaction, codes[(i + k * (i % 2 ? 1 : 3)) % 4] ?? "");
          },
          { version },
        ),
      ),
    );
    const all = await ranks(storages[0], version, newest(commits));
    assert.equal(
      all.reduce<number>((sum, rank) => sum + Number(rank), 0),
      120,
    );
  });

  it("let those pass who write something else", async () => {
    const { storages, version } = await servers(1);
    const [storage] = storages;
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let runs = 0;
    const fighting = Array.from({ length: 20 }, () =>
      storage.transact(
        async (transaction) => {
          // The first ones to come in their turn stay there.
          if (++runs > 20) await gate;
          await count(transaction, "one");
        },
        { version },
      ),
    );
    for (let i = 0; i < 5; i++) await storage.transact((transaction) => count(transaction, `other ${i}`), { version });
    open();
    await Promise.all(fighting);
    const all = await ranks(storage, version, storage.latest());
    assert.deepEqual(
      all.map(Number).toSorted((a, b) => a - b),
      [1, 1, 1, 1, 1, 20],
    );
  });
});
