// Damage done to single cells, behind the storage's back: found, mended, gone.

import assert from "node:assert/strict";
import { Level } from "level";
import { describe, it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { seal, unseal } from "../../../adapters/ordered/keyspaces/checksum.ts";
import { QuernError } from "../../../core/index.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { temporaryFolder } from "./folders.ts";

async function filled(): Promise<string> {
  const path = await temporaryFolder();
  const storage = leveldbStorage({ path, durability: "os-crash-may-lose-commits" });
  await storage.open();
  const { version } = await storage.migrate(library, "");
  await storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(700);
      const author = uids[0] ?? 0;
      await transaction.write([
        { kind: "create", uid: author, type: "Author", fields: { "Author.age": 5 } },
        ...uids.slice(1).map((uid) => ({
          kind: "create" as const,
          uid,
          type: "Post",
          fields: { "Post.code": `c${uid}`, "Post.title": `t${uid % 2}`, ...(uid % 9 > 0 && { "Post.rank": uid }) },
        })),
        ...uids.slice(1).map((uid) => ({ kind: "link" as const, end: "Post.author", from: uid, fromType: "Post", to: author, toType: "Author" })),
      ]);
    },
    { version },
  );
  await storage.close();
  return path;
}

/** Deletes the first cell whose key is matched, or fills it with `bytes`. */
async function damage(path: string, cell: RegExp, bytes?: Uint8Array): Promise<void> {
  const db = new Level<string, Uint8Array>(path, { valueEncoding: "view" });
  await db.open();
  let found: string | undefined;
  for await (const key of db.keys()) if (found === undefined && cell.test(key)) found = key;
  assert.ok(found, `no cell ${cell}`);
  if (bytes === undefined) await db.del(found);
  else await db.put(found, bytes);
  await db.close();
}

const cells: readonly { readonly what: string; readonly cell: RegExp; readonly kinds: readonly string[] }[] = [
  { what: "an index list", cell: /^x[a-z0-9]+\/h=t1$/, kinds: ["index"] },
  { what: "a chunk of an index list", cell: /^x[a-z0-9]+\/c=t1\0b/, kinds: ["counter", "index"] },
  { what: "a key", cell: /^x[a-z0-9]+\/h=c77$/, kinds: ["key"] },
  { what: "a block of an ordered index", cell: /^x[a-z0-9]+\/ob/, kinds: ["index"] },
  { what: "a chunk of a column", cell: /^x[a-z0-9]+\/v/, kinds: ["column"] },
  { what: "types of nodes", cell: /^x[a-z0-9]+\/t/, kinds: ["type", "edge"] },
  { what: "the list of a type", cell: /^x[a-z0-9]+\/uc/, kinds: ["counter", "type"] },
  { what: "one side of a link", cell: /^x[a-z0-9]+\/0h/, kinds: ["edge"] },
  { what: "a chunk of the other side", cell: /^x[a-z0-9]+\/1c/, kinds: ["counter", "edge"] },
  { what: "a record", cell: /^x[a-z0-9]+\/nr/, kinds: ["column", "edge", "index", "key", "record", "type"] },
  { what: "the directory of an index list", cell: /^x[a-z0-9]+\/d=t1$/, kinds: ["counter", "index"] },
  { what: "the directory of a list of a compound index", cell: /^x[a-z0-9]+\/gd/, kinds: ["index"] },
  { what: "a block of a list of a compound index", cell: /^x[a-z0-9]+\/gb/, kinds: ["index"] },
  { what: "the nodes of a compound index without a value", cell: /^x[a-z0-9]+\/mh/, kinds: ["index"] },
  { what: "the directory of an ordered index", cell: /^x[a-z0-9]+\/od/, kinds: ["index"] },
];

const damages: readonly { readonly how: string; readonly bytes?: Uint8Array }[] = [
  { how: "is gone" },
  { how: "ends too soon", bytes: Uint8Array.of(0, 200) },
  { how: "is filled with other bytes", bytes: new Uint8Array(40).fill(0xff) },
  { how: "is empty", bytes: new Uint8Array() },
];
const cases = cells.flatMap((each) => damages.map((damage) => ({ ...each, ...damage })));

describe("the check", () => {
  for (const { what, cell, kinds, how, bytes } of cases) {
    it(`finds ${what} that ${how}, mends it, and is clean after`, async () => {
      const path = await filled();
      await damage(path, cell, bytes);
      const storage = leveldbStorage({ path, durability: "os-crash-may-lose-commits" });
      await storage.open();
      await storage.migrate(library, "");
      const found = await storage.verify();
      const foundKinds = new Set(found.faults.map((fault) => fault.kind));
      for (const kind of foundKinds)
        assert.ok(kinds.includes(kind), `${kind} beside ${kinds}: ${found.faults.find((fault) => fault.kind === kind)?.message}`);
      assert.ok(found.faultCount > 0);
      assert.equal(found.repaired, 0);
      assert.ok((await storage.verify({ repair: true })).repaired > 0);
      assert.deepEqual((await storage.verify()).faults, []);
      await storage.close();
      await storage.open();
      await storage.migrate(library, "");
      assert.deepEqual((await storage.verify()).faults, []);
      await storage.close();
    });
  }
});

describe("entries of no record", () => {
  /** Gives the first cell that is matched another key, or a second one. */
  async function respell(path: string, cell: RegExp, spelling: string, { keep }: { readonly keep: boolean }): Promise<void> {
    const db = new Level<string, Uint8Array>(path, { valueEncoding: "view" });
    await db.open();
    for await (const [key, bytes] of db.iterator()) {
      if (!cell.test(key)) continue;
      const other = key.replace(/=.*$/, `=${spelling}`);
      await db.put(other, seal(other, unseal(key, bytes)));
      if (!keep) await db.del(key);
      return void (await db.close());
    }
    assert.fail(`no cell ${cell}`);
  }

  for (const [what, cell, kind] of [
    ["an index", /^x[a-z0-9]+\/h=one$/, "index"],
    ["a key", /^x[a-z0-9]+\/h=c1$/, "key"],
  ] as const)
    for (const keep of [true, false])
      it(`are found in ${what} ${keep ? "beside the right ones" : "in the place of the right ones"}, and mended`, async () => {
        const path = await temporaryFolder();
        const storage = leveldbStorage({ path, durability: "os-crash-may-lose-commits" });
        await storage.open();
        const { version } = await storage.migrate(library, "");
        await storage.transact(
          async (transaction) => {
            const [a = 0, b = 0, c = 0] = await transaction.uids(3);
            await transaction.write([
              { kind: "create", uid: a, type: "Post", fields: { "Post.code": "c1", "Post.title": "one" } },
              { kind: "create", uid: b, type: "Post", fields: { "Post.tags": ["one", "one", "none"] } },
              { kind: "create", uid: c, type: "Post", fields: { "Post.code": "c3", "Post.title": "three" } },
            ]);
          },
          { version },
        );
        assert.deepEqual((await storage.verify()).faults, []);
        await storage.close();
        await respell(path, cell, "none", { keep });
        await storage.open();
        await storage.migrate(library, "");
        const { faults } = await storage.verify();
        assert.deepEqual(new Set(faults.map((fault) => fault.kind)), new Set([kind]));
        assert.equal(faults.filter(({ message }) => message.includes("does not belong")).length, 1);
        assert.equal(faults.length, keep ? 1 : 2);
        assert.equal((await storage.verify({ repair: true })).repaired, faults.length);
        assert.deepEqual((await storage.verify()).faults, []);
        await storage.close();
      });
});

it("refuses to read a damaged entry, and names the check", async () => {
  const path = await filled();
  await damage(path, /^x[a-z0-9]+\/nr/, Uint8Array.of(0xc1));
  const storage = leveldbStorage({ path, durability: "os-crash-may-lose-commits" });
  await storage.open();
  const { version } = await storage.migrate(library, "");
  const snapshot = storage.snapshot({ version });
  const read = async () => await snapshot.find({ types: ["Author"], fields: ["Author.age"] });
  await assert.rejects(read, (reason) => reason instanceof QuernError && reason.code === "STORE_CORRUPT" && /--repair/.test(reason.hint ?? ""));
  snapshot.close();
  await storage.close();
});

it("stores a lone surrogate as U+FFFD, in the record and in every index", async () => {
  const path = await temporaryFolder();
  const storage = leveldbStorage({ path, durability: "os-crash-may-lose-commits" });
  await storage.open();
  const { version } = await storage.migrate(library, "");
  const half = "a\ud800b";
  const { result: uid } = await storage.transact(
    async (transaction) => {
      const [first = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "create", uid: first, type: "Post", fields: { "Post.code": half, "Post.title": half } }]);
      return first;
    },
    { version },
  );
  for (const pass of ["as written", "read back"]) {
    const snapshot = storage.snapshot({ version });
    for (const field of ["Post.code", "Post.title"]) {
      for (const operand of [half, "a\ufffdb"]) {
        const found = await snapshot.find({ types: ["Post"], where: { kind: "compare", field, op: "eq", operands: [operand] }, fields: [field] });
        assert.deepEqual([found.uids, found.columns[0]], [[uid], ["a\ufffdb"]], `${field} ${pass}`);
      }
    }
    snapshot.close();
    assert.deepEqual((await storage.verify()).faults, []);
    await storage.close();
    await storage.open();
    await storage.migrate(library, "");
  }
  await storage.close();
});
