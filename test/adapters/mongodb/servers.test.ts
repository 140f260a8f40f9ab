// Several Quern servers on one database: what one commits the other reports to its subscribers, keys and links hold between them, a schema deployed on one is
// served by all.

import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { describe, it, onTestFinished, vi } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import type { ChangeRecord, Gap } from "../../../core/plugin.ts";
import type { Change, Storage, Transaction } from "../../../core/storage.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";
import { eventually } from "./eventually.ts";

/** Storages of one database, open, with the library deployed. */
async function servers(count: number): Promise<{ readonly storages: readonly Storage[]; readonly version: number }> {
  const place = await mongodbPlace();
  const storages = Array.from({ length: count }, () => place.storage());
  onTestFinished(async () => {
    await Promise.all(storages.map((each) => each.close()));
    await place.remove();
  });
  let version = 0;
  for (const each of storages) {
    await each.open();
    ({ version } = await each.migrate(library, "library"));
  }
  return { storages, version };
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  assert.ok(one !== undefined);
  return one;
}

const addPost = (storage: Storage, version: number, fields: Record<string, string | number>) =>
  storage.transact(
    async (transaction) => {
      const uid = first(await transaction.uids(1));
      await transaction.write([{ kind: "create", uid, type: "Post", fields }]);
      return uid;
    },
    { version },
  );

const createTags = (storage: Storage, version: number, count: number) =>
  storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(count);
      await transaction.write(uids.map((uid) => ({ kind: "create", uid, type: "PostTag", fields: {} })));
      return uids;
    },
    { version },
  );

describe("two servers on one database", () => {
  it("receive each other's commits in one order, each once", async () => {
    const { storages, version } = await servers(2);
    const heard = storages.map(() => [] as (ChangeRecord | Gap)[]);
    for (const [i, storage] of storages.entries()) storage.changes((event) => heard[i]?.push(event));
    const commits = await Promise.all(
      Array.from({ length: 60 }, (_, i) => addPost(storages[i % 2] ?? first(storages), version, { "Post.rank": i, "Post.code": `c${i}` })),
    );
    await eventually(() => heard.every((events) => events.length >= 60));
    const expected = commits.map((each) => each.token).sort();
    for (const events of heard)
      assert.deepEqual(
        events.map((event) => event.token),
        expected,
      );
    assert.deepEqual(heard[0], heard[1], "also what was done, index entries included");
  });

  it("show a commit of the other to a reader that names it", async () => {
    const { storages, version } = await servers(2);
    const [one = first(storages), other = first(storages)] = storages;
    for (let i = 0; i < 20; i++) {
      const { result, token } = await addPost(one, version, { "Post.rank": i });
      const snapshot = other.snapshot({ version, after: token });
      assert.deepEqual((await snapshot.load({ uids: [result], types: ["Post"], fields: ["Post.rank"] })).columns, [[i]]);
      snapshot.close();
    }
  });

  it("give no uid twice", async () => {
    const { storages, version } = await servers(3);
    const added = await Promise.all(Array.from({ length: 90 }, (_, i) => addPost(storages[i % 3] ?? first(storages), version, {})));
    assert.equal(new Set(added.map((each) => each.result)).size, 90);
  });

  it("accept one of 64 writers of a key, whichever server they use", async () => {
    const { storages, version } = await servers(3);
    const race = await Promise.allSettled(
      Array.from({ length: 64 }, (_, i) => addPost(storages[i % 3] ?? first(storages), version, { "Post.code": "one" })),
    );
    const lost = race.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    assert.deepEqual(lost, new Array(63).fill("KEY_TAKEN"));
    assert.deepEqual((await first(storages).verify()).faults, []);
  });

  it("leave no link to a node that the other removes concurrently", async () => {
    const { storages, version } = await servers(2);
    const [one = first(storages), other = first(storages)] = storages;
    let linked = 0;
    let removed = 0;
    for (let round = 0; round < 12; round++) {
      const { result } = await one.transact(
        async (transaction) => {
          const [author = 0, ...posts] = await transaction.uids(5);
          await transaction.write([
            { kind: "create", uid: author, type: "Author", fields: {} },
            ...posts.map((uid) => ({ kind: "create" as const, uid, type: "Post", fields: {} })),
          ]);
          return { author, posts };
        },
        { version },
      );
      const links = result.posts.map((from) =>
        one
          .transact(
            async (transaction) => {
              const { uids } = await transaction.load({ uids: [result.author], types: ["Author"], fields: [] });
              if (uids.length === 0) return;
              await transaction.write([{ kind: "link", end: "Post.author", from, fromType: "Post", to: result.author, toType: "Author" }]);
              linked++;
            },
            { version },
          )
          .catch((error) => assert.equal(error.code, "CONFLICT")),
      );
      const removal = other
        .transact((transaction) => transaction.write([{ kind: "remove", uid: result.author, type: "Author" }]), { version })
        .then(() => removed++);
      await Promise.all([...links, removal]);
      const snapshot = one.snapshot({ version, after: one.latest() > other.latest() ? one.latest() : other.latest() });
      assert.deepEqual((await snapshot.load({ uids: result.posts, types: ["Post"], fields: ["Post.author"] })).columns, [
        result.posts.map(() => undefined),
      ]);
      snapshot.close();
    }
    assert.equal(removed, 12);
    assert.ok(linked > 0, "some links were made before the node was gone");
    assert.deepEqual((await one.verify()).faults, []);
  });

  it.each([
    [1, "new"],
    [1, "linked before"],
    [60, "new"],
    [60, "linked before"],
  ] as const)("leave no link to nodes that the other removes between the read and the write, or the other way round: %s, %s", async (count, kind) => {
    const { storages, version } = await servers(2);
    const [one = first(storages), other = first(storages)] = storages;
    for (const slower of ["link", "removal"]) {
      const { result: tags } = await createTags(one, version, count);
      const { result: post } = await addPost(one, version, {});
      const { result: earlier } = await addPost(one, version, {});
      const linkFrom = (from: number) => (to: number) =>
        ({ kind: "link", end: "Post.tagged", from, fromType: "Post", to, toType: "PostTag" }) as const;
      const removal = (uid: number) => ({ kind: "remove", uid, type: "PostTag" }) as const;
      /** Does `meanwhile` between the read and the writes of the first attempt. */
      const write = (storage: Storage, changeOf: (uid: number) => Change, meanwhile?: () => Promise<unknown>) => {
        let attempts = 0;
        const work = async (transaction: Transaction) => {
          const { uids } = await transaction.load({ uids: tags, types: ["PostTag"], fields: [] });
          if (attempts++ === 0) await meanwhile?.();
          await transaction.write(uids.map(changeOf));
        };
        return storage.transact(work, { version });
      };
      if (kind === "linked before") await write(one, linkFrom(earlier));
      if (slower === "link") await write(one, linkFrom(post), () => write(other, removal));
      else await write(other, removal, () => write(one, linkFrom(post)));
      assert.deepEqual((await other.verify()).faults, [], `the slower one is the ${slower}`);
    }
  });
});

/** Kernels on one database. */
async function kernels(count: number): Promise<readonly Kernel[]> {
  const place = await mongodbPlace();
  const all = Array.from({ length: count }, () =>
    createKernel({ storage: place.storage(), plugins: [identityPlugin(), searchPlugin()], log: { level: "silent" } }),
  );
  onTestFinished(async () => {
    await Promise.all(all.map((each) => each.close()));
    await place.remove();
  });
  for (const each of all) await each.open();
  return all;
}

async function data(kernel: Kernel, query: string): Promise<unknown> {
  const { body } = await kernel.execute({ query });
  const { extensions: _, ...answer } = JSON.parse(body);
  return answer;
}

const boats = "type Boat { id: ID! name: String! @id }";
const longer = "type Boat { id: ID! name: String! @id length: Int }";
const older = "type Boat { id: ID! name: String! @id year: Int }";

describe("a schema deployed on one server", () => {
  it("is served by the others without a restart", async () => {
    const [one, other] = await kernels(2);
    assert.ok(one && other);
    await one.deploy(boats);
    await eventually(() => other.deployment?.document === boats);
    await data(other, `mutation { addBoat(input: [{ name: "ann" }]) { numUids } }`);
    await other.deploy(longer);
    await eventually(() => one.deployment?.document === longer);
    await data(one, `mutation { addBoat(input: [{ name: "bob", length: 7 }]) { numUids } }`);
    const wanted = {
      data: {
        queryBoat: [
          { name: "ann", length: null },
          { name: "bob", length: 7 },
        ],
      },
    };
    await eventually(async () => isDeepStrictEqual(await data(other, "{ queryBoat(order: { asc: name }) { name length } }"), wanted));
  });

  it("and another on a second concurrently end in one of the two everywhere, and all servers can write", async () => {
    const all = await kernels(3);
    const [one, other, third] = all;
    assert.ok(one && other && third);
    await one.deploy(boats);
    await eventually(() => all.every((each) => each.deployment?.document === boats));
    for (let round = 0; round < 3; round++) {
      await Promise.all([one.deploy(longer), other.deploy(older)]);
      await eventually(() => new Set(all.map((each) => each.deployment?.version)).size === 1);
      const documents = new Set(all.map((each) => each.deployment?.document));
      assert.equal(documents.size, 1);
      assert.ok(documents.has(longer) || documents.has(older));
      const added = await Promise.all(all.map((each, i) => data(each, `mutation { addBoat(input: [{ name: "n${round}-${i}" }]) { numUids } }`)));
      assert.deepEqual(
        added,
        all.map(() => ({ data: { addBoat: { numUids: 1 } } })),
      );
    }
  });

  it("succeeds when another server deploys before it is noted, whose schema then counts", async () => {
    const [one, other] = await kernels(2);
    assert.ok(one && other);
    await one.deploy(boats);
    await eventually(() => other.deployment?.document === boats);
    const transact = one.storage.transact.bind(one.storage);
    const noted = vi.spyOn(one.storage, "transact").mockImplementationOnce(async (work, options) => {
      await other.deploy(older);
      return await transact(work, options);
    });
    await one.deploy(longer);
    assert.equal(noted.mock.calls.length, 1);
    await eventually(() => one.deployment?.document === older);
    const added = await data(one, `mutation { addBoat(input: [{ name: "ann", year: 1999 }]) { numUids } }`);
    assert.deepEqual(added, { data: { addBoat: { numUids: 1 } } });
  });

  it("interrupts no writer: the new index has the concurrent writes", async () => {
    const [one, other] = await kernels(2);
    assert.ok(one && other);
    await one.deploy("type Boat { id: ID! name: String! code: String }");
    await eventually(() => other.deployment !== undefined);
    const names = Array.from({ length: 3_000 }, (_, i) => `{ name: "n${i}", code: "c${i}" }`);
    await data(one, `mutation { addBoat(input: [${names}]) { numUids } }`);
    let deployed = false;
    const deploy = one.deploy("type Boat { id: ID! name: String! @id code: String! @id }").then(() => (deployed = true));
    let written = 0;
    for (let i = 0; !deployed; i++) {
      const answer = JSON.stringify(await data(other, `mutation { addBoat(input: [{ name: "m${i}", code: "d${i}" }]) { numUids } }`));
      if (answer.includes('"numUids":1')) written++;
      // What is refused is refused at once: the deploy needs a turn too.
      await nextTurn();
    }
    await deploy;
    await eventually(() => other.deployment?.version === one.deployment?.version);
    const refused = JSON.stringify(await data(other, `mutation { addBoat(input: [{ name: "n7", code: "new" }]) { numUids } }`));
    assert.match(refused, /already/);
    if (written > 0)
      assert.match(JSON.stringify(await data(one, `mutation { addBoat(input: [{ name: "m0", code: "new" }]) { numUids } }`)), /already/);
    assert.deepEqual((await one.storage.verify()).faults, []);
  });
});
