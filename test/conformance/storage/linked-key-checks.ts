// Keys over values and links: what two posts of one author cannot share.

import assert from "node:assert/strict";
import { type Change, type Layout, QuernError, type Uid } from "../../../core/storage.ts";
import { type Bench, type Check, createOf, linkOf } from "./kit.ts";
import { seeded } from "./random.ts";

const slug = { name: "Post.slug", kind: "string", list: false } as const;
const key = { name: "Post(author, slug)", fields: ["Post.slug"], ends: ["Post.author"], types: ["Post"] };

/** @param joined whether the author's list is the other side of `Post.author`, or a link of its own */
function blog({ keyed = true, joined = true }: { readonly keyed?: boolean; readonly joined?: boolean } = {}): Layout {
  const author = { name: "Post.author", types: ["Post"], partners: ["Author"], many: false };
  const posts = { name: "Author.posts", types: ["Author"], partners: ["Post"], many: true };
  const unnamed = { name: "~Post.author", types: ["Author"], partners: ["Post"], many: true };
  return {
    types: [
      { name: "Post", fields: [slug.name] },
      { name: "Author", fields: [] },
    ],
    fields: [slug],
    edges: joined
      ? [{ name: "Author.posts|Post.author", sides: [{ ends: [posts] }, { ends: [author] }] }]
      : [
          {
            name: "Author.posts",
            sides: [{ ends: [posts] }, { ends: [{ ...unnamed, name: "~Author.posts", types: ["Post"], partners: ["Author"] }] }],
          },
          { name: "Post.author", sides: [{ ends: [author] }, { ends: [unnamed] }] },
        ],
    indexes: [],
    keys: keyed ? [key] : [],
  };
}

const toAuthor = (kind: "link" | "unlink", post: Uid, author: Uid): Change => linkOf(kind, "Post.author", ["Post", post], ["Author", author]);
const setSlug = (uid: Uid, text: string | null): Change => ({ kind: "set", uid, type: "Post", fields: { "Post.slug": text } });
const write = (bench: Bench, ...changes: readonly Change[]) => bench.write((transaction) => transaction.write(changes));
const taken = { code: "KEY_TAKEN" };

async function posts(bench: Bench, count: number, text?: string): Promise<readonly Uid[]> {
  return await bench.create(
    "Post",
    Array.from({ length: count }, () => (text === undefined ? {} : { "Post.slug": text })),
  );
}

export const linkedKeyChecks: readonly Check[] = [
  {
    id: "key.link",
    level: "MUST",
    title:
      "a key over a link is unique for each partner, through either side; nodes without a partner or a value take no key; the error names the holder",
    why: "A slug that is unique for each author is the combination that people ask for first.",
    async run(bench) {
      await bench.deploy(blog());
      const [a = 0, b = 0] = await bench.create("Author", [{}, {}]);
      const [p = 0, q = 0, r = 0] = await posts(bench, 3, "x");
      await write(bench, toAuthor("link", p, a), toAuthor("link", q, b));
      await assert.rejects(write(bench, toAuthor("link", r, a)), (error: unknown) => {
        assert.ok(error instanceof QuernError && error.code === "KEY_TAKEN", String(error));
        assert.equal(error.details.holder, p);
        assert.deepEqual(error.details.ends, ["Post.author"]);
        return true;
      });
      await assert.rejects(write(bench, linkOf("link", "Author.posts", ["Author", b], ["Post", r])), taken);
      await write(bench, setSlug(r, "y"), toAuthor("link", r, a));
      await assert.rejects(write(bench, setSlug(r, "x")), taken);
      await write(bench, setSlug(p, null), setSlug(r, "x"));
      await assert.rejects(write(bench, setSlug(p, "x")), taken);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-result",
    level: "MUST",
    title: "a key over a link is checked against the result of a write: values and links may pass through combinations that others have",
    why: "A move sets the value and the link one after the other, and must not be refused for what lies between.",
    async run(bench) {
      await bench.deploy(blog());
      const [a = 0, b = 0] = await bench.create("Author", [{}, {}]);
      const [p = 0, q = 0] = await posts(bench, 2, "x");
      await write(bench, toAuthor("link", p, a), toAuthor("link", q, b), setSlug(q, "y"));
      // Between: q with the slug of p, then p and q with the author a.
      const swap = [toAuthor("unlink", p, a), toAuthor("unlink", q, b), toAuthor("link", p, b), toAuthor("link", q, a)];
      await write(bench, setSlug(q, "x"), setSlug(p, "y"), ...swap, setSlug(p, "x"), setSlug(q, "x"));
      const [s = 0] = await posts(bench, 1, "x");
      for (const author of [a, b]) await assert.rejects(write(bench, toAuthor("link", s, author)), taken);
      // What is removed or led away from gives its combination up in the same write.
      await write(bench, toAuthor("link", s, a), { kind: "remove", uid: q, type: "Post" });
      await write(bench, toAuthor("unlink", s, a), toAuthor("link", s, b), toAuthor("unlink", p, b));
      await write(bench, { kind: "remove", uid: b, type: "Author" });
      const [c = 0] = await bench.create("Author", [{}]);
      await write(bench, toAuthor("link", s, c));
      await assert.rejects(write(bench, toAuthor("link", p, c)), taken);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-refused",
    level: "MUST",
    title: "a transaction that goes on after a refused key over a link commits nothing",
    why: "A duplicate that is written although it was refused stays for ever.",
    async run(bench) {
      await bench.deploy(blog());
      const [a = 0] = await bench.create("Author", [{}]);
      const [p = 0, q = 0] = await posts(bench, 2, "x");
      await write(bench, toAuthor("link", p, a));
      const carriesOn = bench.write(async (transaction) => {
        // A storage may say why only when the transaction has ended.
        await assert.rejects(async () => await transaction.write([toAuthor("link", q, a)]));
      });
      await assert.rejects(carriesOn, taken);
      await write(bench, { kind: "remove", uid: p, type: "Post" }, toAuthor("link", q, a));
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-race",
    level: "MUST",
    title: "of concurrent writers one gets a combination of value and partner, whether they write the value or the link",
    why: "Uniqueness that is checked outside the transaction is lost under load.",
    async run(bench) {
      await bench.deploy(blog());
      const [a = 0] = await bench.create("Author", [{}]);
      const linked = await posts(bench, 12);
      for (const uid of linked) await write(bench, toAuthor("link", uid, a));
      const named = await posts(bench, 12, "x");
      const race = await Promise.allSettled([
        ...linked.map((uid) => write(bench, setSlug(uid, "x"))),
        ...named.map((uid) => write(bench, toAuthor("link", uid, a))),
      ]);
      const lost = race.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      assert.equal(lost.length, 23);
      for (const error of lost) assert.equal(error.code, "KEY_TAKEN", String(error));
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-random",
    level: "MUST",
    title: "random writes of values and links are refused exactly when two nodes would hold the same",
    why: "Moves, swaps and removals meet in ways that nobody lists.",
    async run(bench) {
      await bench.deploy(blog());
      const pick = seeded(11);
      const authors = await bench.create("Author", [{}, {}, {}]);
      const uids = await posts(bench, 8);
      type State = ReadonlyMap<Uid, { readonly slug: string | undefined; readonly author: Uid | undefined }>;
      let state: State = new Map(uids.map((uid) => [uid, { slug: undefined, author: undefined }]));
      for (let round = 0; round < 120; round++) {
        const next = new Map(state);
        const changes: Change[] = [];
        for (let i = pick(4); i >= 0; i--) {
          const uid = uids[pick(uids.length)] ?? 0;
          const now = next.get(uid) ?? { slug: undefined, author: undefined };
          if (pick(2) === 0) {
            const text = pick(5) === 0 ? undefined : "xyz"[pick(3)];
            changes.push(setSlug(uid, text ?? null));
            next.set(uid, { ...now, slug: text });
          } else {
            const author = pick(5) === 0 ? undefined : authors[pick(authors.length)];
            if (now.author !== undefined) changes.push(toAuthor("unlink", uid, now.author));
            if (author !== undefined) changes.push(toAuthor("link", uid, author));
            next.set(uid, { ...now, author });
          }
        }
        const held = [...next.values()].flatMap(({ slug: text, author }) =>
          text === undefined || author === undefined ? [] : [`${text} ${author}`],
        );
        const isFree = new Set(held).size === held.length;
        const outcome = await write(bench, ...changes).then(
          () => "written",
          (error: unknown) => (error instanceof QuernError ? error.code : String(error)),
        );
        assert.equal(outcome, isFree ? "written" : "KEY_TAKEN", `round ${round}: ${JSON.stringify(changes)}`);
        if (isFree) state = next;
      }
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-deploy",
    level: "MUST",
    title:
      "a deploy builds a key over a link, and is refused over duplicates with the partner and the holders; other fields of the key build it again",
    why: "A key over data that contradict it would be none; people must learn which data.",
    async run(bench) {
      await bench.deploy(blog({ keyed: false }));
      const [a = 0] = await bench.create("Author", [{}]);
      const [p = 0, q = 0, r = 0] = await posts(bench, 3, "x");
      await write(bench, toAuthor("link", p, a), toAuthor("link", q, a));
      const message = new RegExp(`Post\\.slug and Post\\.author.*"x", 0x${a.toString(16)} is held by 0x${p.toString(16)} and 0x${q.toString(16)}`);
      assert.match((await bench.storage.compare(blog())).obstacles.join("\n"), message);
      await assert.rejects(bench.storage.migrate(blog(), "refused"), { code: "MIGRATION_REFUSED", message });
      await write(bench, setSlug(q, "y"));
      await bench.deploy(blog(), "keyed");
      await assert.rejects(write(bench, toAuthor("link", r, a)), taken);
      const alone = { ...blog(), keys: [{ ...key, fields: [] }] };
      await assert.rejects(bench.storage.migrate(alone, "one post"), { code: "MIGRATION_REFUSED" });
      await write(bench, { kind: "remove", uid: q, type: "Post" });
      await bench.deploy(alone, "one post");
      await write(bench, setSlug(r, "z"));
      await assert.rejects(write(bench, toAuthor("link", r, a)), taken);
      await bench.deploy(blog({ keyed: false }), "plain");
      await write(bench, toAuthor("link", r, a));
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-joined",
    level: "MUST",
    title: "a deploy that joins the links of two fields judges the key by the joined links",
    why: "Two posts that are duplicates only together would stay for ever.",
    async run(bench) {
      await bench.deploy(blog({ joined: false }));
      const [a = 0] = await bench.create("Author", [{}]);
      const [p = 0, q = 0] = await posts(bench, 2, "x");
      await write(bench, toAuthor("link", p, a), linkOf("link", "Author.posts", ["Author", a], ["Post", q]));
      await assert.rejects(bench.storage.migrate(blog(), "joined"), { code: "MIGRATION_REFUSED" });
      await write(bench, setSlug(q, "y"));
      await bench.deploy(blog(), "joined");
      await assert.rejects(write(bench, setSlug(q, "x")), taken);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-beside-writes",
    level: "MUST",
    title: "a key over a link that is built while others write has what they wrote, and is refused when they make a duplicate",
    why: "A build takes long, and nobody waits for it.",
    async run(bench) {
      await bench.deploy(blog({ keyed: false }));
      const authors = await bench.create("Author", [{}, {}]);
      const uids = await bench.create(
        "Post",
        Array.from({ length: 900 }, (_, i) => ({ "Post.slug": `s${i}` })),
      );
      const [a = 0, b = 0] = authors;
      await write(bench, ...uids.map((uid) => toAuthor("link", uid, a)));
      const [first = 0, second = 0] = uids;
      const deploying = bench.storage.migrate(blog(), "keyed");
      await write(bench, toAuthor("unlink", first, a), toAuthor("link", first, b), setSlug(second, "s0"));
      bench.version = (await deploying).version;
      await assert.rejects(write(bench, toAuthor("unlink", first, b), toAuthor("link", first, a)), taken);
      await write(bench, setSlug(uids[2] ?? 0, "s1"));
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "key.link-types",
    level: "MUST",
    title: "a key over a link of several types is unique over all of them",
    why: "A combination of an interface holds between all its types.",
    async run(bench) {
      const owner = { name: "Vessel.owner", types: ["Ketch", "Yawl"], partners: ["Owner"], many: false };
      await bench.deploy({
        types: ["Ketch", "Owner", "Yawl"].map((name) => ({ name, fields: name === "Owner" ? [] : ["Vessel.name"] })),
        fields: [{ name: "Vessel.name", kind: "string", list: false }],
        edges: [
          {
            name: owner.name,
            sides: [{ ends: [owner] }, { ends: [{ ...owner, name: "~Vessel.owner", types: ["Owner"], partners: owner.types, many: true }] }],
          },
        ],
        indexes: [],
        keys: [{ name: "Vessel(owner, name)", fields: ["Vessel.name"], ends: [owner.name], types: ["Ketch", "Yawl"] }],
      });
      const [o = 0] = await bench.create("Owner", [{}]);
      const [k = 0] = await bench.create("Ketch", [{ "Vessel.name": "n" }]);
      await write(bench, linkOf("link", owner.name, ["Ketch", k], ["Owner", o]));
      const launch = () =>
        bench.write(async (transaction) => {
          const [uid = 0] = await transaction.uids(1);
          await transaction.write([createOf(uid, "Yawl", { "Vessel.name": "n" }), linkOf("link", owner.name, ["Yawl", uid], ["Owner", o])]);
        });
      await assert.rejects(launch(), taken);
      await write(bench, linkOf("unlink", owner.name, ["Ketch", k], ["Owner", o]));
      await launch();
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
