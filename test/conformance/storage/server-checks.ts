// Several servers on one database: each holds what the others have committed, hears of it, and notices that another has deployed.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { ChangeRecord, Deployed, Gap, Storage } from "../../../core/storage.ts";
import { Bench, type CheckOf, whileOpen } from "./kit.ts";
import { library } from "./layouts.ts";

/** Two storages over one new, empty database, not open yet. */
export type Servers = readonly [Storage, Storage];

const document = "library";
const patienceMs = 60_000;

async function onServers([first, second]: Servers, run: (here: Bench, there: Bench) => Promise<void>): Promise<void> {
  await whileOpen(first, () =>
    whileOpen(second, async () => {
      const [here, there] = [new Bench(first), new Bench(second)];
      await here.deploy(library, document);
      there.version = (await second.migrate(library, document)).version;
      assert.equal(there.version, here.version, "both servers know one version of one layout");
      await run(here, there);
    }),
  );
}

/** The other server hears in its own time. */
async function eventually(expected: string, holds: () => boolean): Promise<void> {
  for (const until = performance.now() + patienceMs; !holds(); await pause(10))
    assert.ok(performance.now() < until, `after ${patienceMs / 1_000} seconds there was still nothing of this: ${expected}`);
}

export const serverChecks: readonly CheckOf<Servers>[] = [
  {
    id: "servers.after",
    level: "MUST",
    title: "a view that must hold a commit of another server shows all of it",
    why: "A client that writes through one server and reads through another must find what it wrote.",
    async run(servers) {
      await onServers(servers, async (here, there) => {
        for (let i = 0; i < 10; i++) {
          const { result, token } = await here.storage.transact(
            async (transaction) => {
              const uids = await transaction.uids(3);
              await transaction.write(uids.map((uid) => ({ kind: "create", uid, type: "Post", fields: { "Post.title": `round ${i}` } })));
              return uids;
            },
            { version: here.version },
          );
          const where = { kind: "compare", field: "Post.title", op: "eq", operands: [`round ${i}`] } as const;
          const found = await there.read((snapshot) => snapshot.find({ types: ["Post"], where, fields: [] }), { after: token });
          assert.deepEqual(found.uids, result);
        }
        assert.deepEqual((await there.storage.verify()).faults, []);
      });
    },
  },
  {
    id: "servers.changes",
    level: "MUST",
    title: "every server receives the commits of all servers, each once, in one order",
    why: "Live queries of one server show what was written through another; two orders would show two histories.",
    async run(servers) {
      await onServers(servers, async (here, there) => {
        const heard: (ChangeRecord | Gap)[][] = [[], []];
        const stops = [here, there].map(({ storage }, i) => storage.changes((event) => heard[i]?.push(event)));
        const writers = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? here : there));
        const commits = await Promise.all(
          writers.map(({ storage, version }, i) =>
            storage.transact(
              async (transaction) => {
                const [uid = 0] = await transaction.uids(1);
                await transaction.write([{ kind: "create", uid, type: "Author", fields: { "Author.age": i } }]);
                return uid;
              },
              { version },
            ),
          ),
        );
        const tokens = commits.map(({ token }) => token).sort();
        await eventually(`${tokens.length} commits on both`, () => heard.every((events) => events.length >= tokens.length));
        for (const stop of stops) stop();
        for (const events of heard)
          assert.deepEqual(
            events.map(({ token }) => token),
            tokens,
          );
        assert.equal(new Set(commits.map(({ result }) => result)).size, commits.length, "no uid is given by both");
      });
    },
  },
  {
    id: "servers.keys",
    level: "MUST",
    title: "keys and single ends hold between servers: of all concurrent writers of one, one succeeds",
    why: "A check that looks at this server's own memory lets in what another has just written.",
    async run(servers) {
      await onServers(servers, async (here, there) => {
        const benches = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? here : there));
        const keyed = await Promise.allSettled(benches.map((bench) => bench.create("Post", [{ "Post.code": "one" }])));
        assert.equal(keyed.filter(({ status }) => status === "fulfilled").length, 1);
        for (const each of keyed) if (each.status === "rejected") assert.equal(each.reason.code, "KEY_TAKEN");
        const [post = 0] = await here.create("Post", [{}]);
        const authors = await here.create(
          "Author",
          benches.map(() => ({})),
        );
        const linked = await Promise.allSettled(
          benches.map((bench, i) =>
            bench.write((transaction) =>
              transaction.write([{ kind: "link", end: "Author.posts", from: authors[i] ?? 0, fromType: "Author", to: post, toType: "Post" }]),
            ),
          ),
        );
        assert.equal(linked.filter(({ status }) => status === "fulfilled").length, 1);
        for (const each of linked) if (each.status === "rejected") assert.equal(each.reason.code, "END_TAKEN");
        assert.deepEqual((await there.storage.verify()).faults, []);
      });
    },
  },
  {
    id: "servers.deploys",
    level: "MUST",
    title: "a deploy on one server reaches the other, whose old writes fail with STALE_LAYOUT and which takes it over without work",
    why: "A write planned for the old schema would leave the new one's indexes wrong.",
    async run(servers) {
      await onServers(servers, async (here, there) => {
        const [uid = 0] = await here.create("Post", [{ "Post.rank": 1 }]);
        const heard: Deployed[] = [];
        const stop = there.storage.deploys((deployed) => heard.push(deployed));
        const layout = { ...library, indexes: library.indexes.slice(1) };
        await here.deploy(layout, "next");
        const deployed = { version: here.version, document: "next" };
        await eventually("the deploy is announced", () => heard.some((each) => each.version === here.version));
        stop();
        assert.deepEqual([heard.at(-1), await there.storage.deployed()], [deployed, deployed]);
        await assert.rejects(there.create("Post", [{}]), { code: "STALE_LAYOUT" });
        await assert.rejects(there.storage.migrate(library, document, { takeOver: "follow" }), { code: "STALE_LAYOUT" });
        await assert.rejects(there.storage.migrate(library, "next", { takeOver: "follow" }), { code: "MIGRATION_REFUSED" });
        const steps: string[] = [];
        const progress = ({ what }: { readonly what: string }) => void steps.push(what);
        assert.deepEqual(await there.storage.migrate(layout, "next", { takeOver: "follow", progress }), deployed);
        assert.deepEqual(steps, []);
        there.version = here.version;
        await there.write((transaction) => transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.rank": 2 } }]));
        assert.deepEqual((await there.storage.verify()).faults, []);
      });
    },
  },
];
