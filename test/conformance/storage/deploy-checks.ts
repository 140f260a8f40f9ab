// Deploying over existing data: what stays, what is built, what is refused with which words.

import assert from "node:assert/strict";
import type { EdgeLayout, Layout, Predicate, Stored } from "../../../core/storage.ts";
import type { Bench, Check } from "./kit.ts";
import { boats, byValue, edge, end, field, library } from "./layouts.ts";

const name = field("Boat.name", "string");

async function refused(bench: Bench, layout: Layout, message: RegExp): Promise<void> {
  const { obstacles } = await bench.storage.compare(layout);
  assert.match(obstacles.join("\n"), message);
  const before = await bench.storage.deployed();
  await assert.rejects(
    bench.storage.migrate(layout, "refused"),
    (error: unknown) => error instanceof Error && "code" in error && error.code === "MIGRATION_REFUSED" && message.test(error.message),
  );
  assert.deepEqual(await bench.storage.deployed(), before, "the old one stays");
}

async function column(bench: Bench, fieldName: string): Promise<readonly (Stored | undefined)[] | undefined> {
  return (await bench.read((snapshot) => snapshot.find({ types: ["Boat"], fields: [fieldName] }))).columns[0];
}

const crew = end("Boat.crew", ["Boat"], ["Boat"], "many");
const ship = end("Boat.ship", ["Boat"], ["Boat"], "many");

export const deployChecks: readonly Check[] = [
  {
    id: "deploy.index",
    level: "MUST",
    title: "an index added over data is built, with progress; an index that was omitted and returns is correct",
    why: "A half-built index answers with less than there is.",
    async run(bench) {
      const rank = field("Boat.rank", "int");
      const plain = boats({ fields: [name, rank] });
      const indexed = boats({ fields: [name, rank], indexes: [byValue("Boat.rank", { ordered: true }), byValue("Boat.name", { ordered: false })] });
      await bench.deploy(plain);
      const uids = await bench.create(
        "Boat",
        Array.from({ length: 700 }, (_, i) => ({ "Boat.rank": i % 9, "Boat.name": `n${i % 3}` })),
      );
      const { work, obstacles } = await bench.storage.compare(indexed);
      assert.deepEqual(obstacles, []);
      assert.match(work.join("\n"), /build index Boat.rank\/value over 700 nodes/);
      const steps: number[] = [];
      bench.version = (await bench.storage.migrate(indexed, "2", { progress: ({ done }) => steps.push(done) })).version;
      assert.equal(Math.max(...steps), 700);
      assert.deepEqual((await bench.storage.compare(indexed)).work, []);
      const ranked = async () =>
        (
          await bench.read((snapshot) =>
            snapshot.find({ types: ["Boat"], where: { kind: "compare", field: "Boat.rank", op: "eq", operands: [8] }, fields: [] }),
          )
        ).uids;
      assert.deepEqual(
        await ranked(),
        uids.filter((_, i) => i % 9 === 8),
      );
      await bench.deploy(plain, "3");
      await bench.write((transaction) => transaction.write([{ kind: "set", uid: uids[8] ?? 0, type: "Boat", fields: { "Boat.rank": 1 } }]));
      await bench.deploy(indexed, "4");
      assert.deepEqual(
        await ranked(),
        uids.filter((_, i) => i % 9 === 8 && i !== 8),
      );
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.while-writing",
    level: "MUST",
    title: "reads and writes go on while a deploy builds, and what they write is in the new index",
    why: "Deploys over much data take minutes, in which the server keeps answering.",
    async run(bench) {
      const plain = boats({ fields: [name] });
      const indexed = boats({ fields: [name], indexes: [byValue("Boat.name", { ordered: true })], keys: ["Boat.name"] });
      await bench.deploy(plain);
      const uids = await bench.create(
        "Boat",
        Array.from({ length: 2_000 }, (_, i) => ({ "Boat.name": `n${i}` })),
      );
      let deployed = false;
      const migration = bench.storage.migrate(indexed, "2").then((result) => {
        deployed = true;
        return result;
      });
      let writes = 0;
      for (let i = 0; !deployed; i++) {
        const uid = uids[(i * 37) % uids.length] ?? 0;
        await bench
          .write((transaction) => transaction.write([{ kind: "set", uid, type: "Boat", fields: { "Boat.name": `w${i}` } }]))
          .then(
            () => writes++,
            (error) => assert.equal(error.code, "STALE_LAYOUT"),
          );
        if (!deployed) await bench.create("Boat", [{ "Boat.name": `x${i}` }]).catch((error) => assert.equal(error.code, "STALE_LAYOUT"));
        // A write that is refused at once lets nobody else run: the deploy has to end.
        await new Promise((resolve) => setImmediate(resolve));
      }
      bench.version = (await migration).version;
      assert.ok(writes > 0, "somebody wrote meanwhile");
      assert.deepEqual((await bench.storage.verify()).faults, []);
      const where: Predicate = { kind: "compare", field: "Boat.name", op: "ge", operands: [""] };
      const [all, found] = await bench.read(async (snapshot) => [
        await snapshot.find({ types: ["Boat"], fields: [] }),
        await snapshot.find({ types: ["Boat"], where, fields: [] }),
      ]);
      assert.deepEqual(found.uids, all.uids);
    },
  },
  {
    id: "deploy.key",
    level: "MUST",
    title: "a key that data violate refuses the deploy and names field, value and holders; nodes without a value are allowed",
    why: "A key over data that contradict it would be none; people must learn which data.",
    async run(bench) {
      await bench.deploy(boats({ fields: [name] }));
      const [a = 0, b = 0] = await bench.create("Boat", [{ "Boat.name": "ghost" }, { "Boat.name": "ghost" }, { "Boat.name": "other" }, {}, {}]);
      const keyed = boats({ fields: [name], keys: ["Boat.name"] });
      await refused(bench, keyed, new RegExp(`Boat\\.name.*"ghost".*0x${a.toString(16)}.*0x${b.toString(16)}`));
      await bench.create("Boat", [{ "Boat.name": "ghost" }]);
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: a, type: "Boat" }]));
      await refused(bench, keyed, /ghost/);
      await bench.write(async (transaction) => {
        const { uids } = await transaction.find({
          types: ["Boat"],
          where: { kind: "compare", field: "Boat.name", op: "eq", operands: ["ghost"] },
          fields: [],
        });
        await transaction.write(uids.slice(1).map((uid) => ({ kind: "remove", uid, type: "Boat" })));
      });
      await bench.deploy(keyed, "2");
      await assert.rejects(bench.create("Boat", [{ "Boat.name": "ghost" }]), { code: "KEY_TAKEN" });
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.kept",
    level: "MUST",
    title: "data that a layout omits are hidden and return with the name; removing a node removes its hidden links",
    why: "A field that is taken out by mistake must come back with its data.",
    async run(bench) {
      await bench.deploy(library);
      const [p = 0, q = 0] = await bench.create("Post", [{ "Post.title": "t" }, {}]);
      const [a = 0] = await bench.create("Author", [{ "Author.age": 7 }]);
      await bench.write((transaction) =>
        transaction.write([p, q].map((uid) => ({ kind: "link", end: "Post.author", from: uid, fromType: "Post", to: a, toType: "Author" }))),
      );
      await bench.deploy(
        { types: [{ name: "Post", fields: ["Post.plain"] }], fields: [field("Post.plain", "string")], edges: [], indexes: [], keys: [] },
        "2",
      );
      await bench.write((transaction) =>
        transaction.write([
          { kind: "set", uid: p, type: "Post", fields: { "Post.plain": "new" } },
          { kind: "remove", uid: q, type: "Post" },
        ]),
      );
      await bench.deploy(library, "3");
      await bench.read(async (snapshot) => {
        const found = await snapshot.find({ types: ["Post", "Author"], fields: ["Post.title", "Post.plain", "Post.author", "Author.age"] });
        assert.deepEqual(
          [found.uids, found.columns],
          [
            [p, a],
            [
              ["t", undefined],
              ["new", undefined],
              [a, undefined],
              [undefined, 7],
            ],
          ],
        );
        const links = await snapshot.follow({ from: [a], end: "Author.posts", fields: [] });
        assert.deepEqual(links.nodes.uids, [p]);
      });
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.hidden-links",
    level: "MUST",
    title: "a link that one layout hides moves along when a later layout separates its ends, and the next layout shows it again",
    why: "A type leaves an interface for a day; its links must be there when it is back, whatever was deployed in between.",
    async run(bench) {
      const types = ["Boat", "Dock"].map((type) => ({ name: type, fields: [] }));
      const fleet = (edges: readonly EdgeLayout[]): Layout => ({ types, fields: [], edges, indexes: [], keys: [] });
      const joined = (holders: readonly string[]) =>
        fleet([edge("Boat.at|holds", end("Boat.at", ["Boat"], holders, "many"), end("holds", holders, ["Boat"], "many"))]);
      const apart = (holders: readonly string[]) =>
        fleet([
          edge("Boat.at", end("Boat.at", ["Boat"], holders, "many"), end("~Boat.at", holders, ["Boat"], "many")),
          edge("holds", end("holds", holders, ["Boat"], "many"), end("~holds", ["Boat"], holders, "many")),
        ]);
      await bench.deploy(joined(["Boat", "Dock"]));
      const [a = 0, b = 0] = await bench.create("Boat", [{}, {}]);
      const [dock = 0] = await bench.create("Dock", [{}]);
      await bench.write((transaction) =>
        transaction.write([
          { kind: "link", end: "Boat.at", from: a, fromType: "Boat", to: dock, toType: "Dock" },
          { kind: "link", end: "holds", from: a, fromType: "Boat", to: b, toType: "Boat" },
        ]),
      );
      const seen = (from: number, name: string) =>
        bench.read(async (snapshot) => (await snapshot.follow({ from: [from], end: name, fields: [] })).nodes.uids);
      await bench.deploy(joined(["Boat"]), "2");
      assert.deepEqual([await seen(a, "Boat.at"), await seen(b, "Boat.at")], [[], [a]]);
      await bench.deploy(apart(["Boat"]), "3");
      assert.deepEqual([await seen(a, "Boat.at"), await seen(b, "Boat.at"), await seen(a, "holds")], [[], [a], [b]]);
      await bench.deploy(apart(["Boat", "Dock"]), "4");
      assert.deepEqual(
        [await seen(a, "Boat.at"), await seen(b, "Boat.at"), await seen(a, "holds"), await seen(dock, "holds")],
        [[dock], [a], [b], [a]],
      );
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.types",
    level: "MUST",
    title:
      "a scalar that becomes another is converted when read, compared and ordered; a value that cannot be converted is returned as stored and matches nothing",
    why: "Data of an old type must neither vanish nor break a request.",
    async run(bench) {
      await bench.deploy(boats({ fields: [field("Boat.v", "string")], indexes: [byValue("Boat.v", { ordered: true })] }));
      const uids = await bench.create("Boat", [{ "Boat.v": "12" }, { "Boat.v": "9" }, { "Boat.v": "many" }, {}]);
      await bench.deploy(boats({ fields: [field("Boat.v", "int")], indexes: [byValue("Boat.v", { ordered: true })] }), "2");
      assert.deepEqual(await column(bench, "Boat.v"), [12, 9, "many", undefined]);
      await bench.read(async (snapshot) => {
        const greater = await snapshot.find({ types: ["Boat"], where: { kind: "compare", field: "Boat.v", op: "gt", operands: [1] }, fields: [] });
        assert.deepEqual(greater.uids, uids.slice(0, 2));
        const ordered = await snapshot.find({
          types: ["Boat"],
          where: { kind: "compare", field: "Boat.v", op: "gt", operands: [1] },
          order: [{ field: "Boat.v", direction: "asc" }],
          fields: ["Boat.v"],
        });
        assert.deepEqual(ordered.columns, [[9, 12]]);
        const [row] = await snapshot.aggregate({ over: { types: ["Boat"] }, measures: [{ kind: "sum", field: "Boat.v" }] });
        assert.deepEqual(row, [21]);
      });
      await bench.deploy(boats({ fields: [field("Boat.v", "int", { list: true })] }), "3");
      assert.deepEqual(await column(bench, "Boat.v"), [[12], [9], ["many"], undefined]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.refusals",
    level: "MUST",
    title: "list to single, scalar to link, password to other are refused with data, with this text, and succeed without",
    why: "Data would be lost in silence; the words are the same on every storage.",
    async run(bench) {
      const tags = field("Boat.tags", "string", { list: true });
      const reverse = end("~Boat.crew", ["Boat"], ["Boat"], "many");
      const before = boats({ fields: [name, tags, field("Boat.secret", "password")], edges: [edge("Boat.crew", crew, reverse)] });
      await bench.deploy(before);
      const single = boats({ fields: [name, field("Boat.tags", "string")] });
      const one = boats({ fields: [name], edges: [edge("Boat.crew", { ...crew, many: false }, reverse)] });
      const scalar = boats({ fields: [field("Boat.crew", "string")] });
      const link = boats({
        fields: [],
        edges: [edge("Boat.name", end("Boat.name", ["Boat"], ["Boat"], "many"), end("~Boat.name", ["Boat"], ["Boat"], "many"))],
      });
      const open = boats({ fields: [field("Boat.secret", "string")] });
      for (const layout of [single, one, scalar, link, open]) assert.deepEqual((await bench.storage.compare(layout)).obstacles, []);
      const [a = 0, b = 0] = await bench.create("Boat", [{ "Boat.name": "n", "Boat.tags": ["x"], "Boat.secret": "s" }, {}]);
      await bench.write((transaction) => transaction.write([{ kind: "link", end: "Boat.crew", from: a, fromType: "Boat", to: b, toType: "Boat" }]));
      await refused(bench, single, /^Schema change not allowed from \[string\] => string without deleting pred: Boat\.tags$/);
      await refused(bench, one, /^Schema change not allowed from \[uid\] => uid without deleting pred: Boat\.crew$/);
      await refused(bench, scalar, /^Schema change not allowed from scalar to uid or vice versa while there is data for pred: Boat\.crew$/);
      await refused(bench, link, /^Schema change not allowed from scalar to uid or vice versa while there is data for pred: Boat\.name$/);
      await refused(bench, open, /Schema change not allowed from password to string/);
      await bench.storage.erase({ kind: "field", name: "Boat.tags" });
      await bench.storage.erase({ kind: "field", name: "Boat.crew" });
      assert.deepEqual(await column(bench, "Boat.tags"), [undefined, undefined]);
      await bench.deploy({ ...single, edges: one.edges }, "2");
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.edges",
    level: "MUST",
    title:
      "two fields joined to one edge show the links of both; separated again, each keeps the links that it showed; two links in a single end refuse the deploy",
    why: "Inverses are often declared later, over links that are there.",
    async run(bench) {
      const apart = boats({
        fields: [name],
        edges: [
          edge("Boat.crew", crew, end("~Boat.crew", ["Boat"], ["Boat"], "many")),
          edge("Boat.ship", ship, end("~Boat.ship", ["Boat"], ["Boat"], "many")),
        ],
      });
      const joined = boats({ fields: [name], edges: [edge("Boat.crew|Boat.ship", crew, ship)] });
      await bench.deploy(apart);
      const [a = 0, b = 0, c = 0] = await bench.create("Boat", [{}, {}, {}]);
      const link = (name: string, from: number, to: number) => ({ kind: "link" as const, end: name, from, fromType: "Boat", to, toType: "Boat" });
      await bench.write((transaction) => transaction.write([link("Boat.crew", a, b), link("Boat.ship", c, a), link("Boat.ship", b, a)]));
      const shown = async (name: string) => {
        const links = await bench.read((snapshot) => snapshot.follow({ from: [a, b, c], end: name, fields: [] }));
        return [0, 1, 2].map((i) => links.rows.slice(links.starts[i], links.starts[i + 1]).map((row) => links.nodes.uids[row]));
      };
      await bench.deploy(joined, "2");
      assert.deepEqual(await shown("Boat.crew"), [[b, c], [], []]);
      assert.deepEqual(await shown("Boat.ship"), [[], [a], [a]]);
      await bench.deploy(apart, "3");
      await bench.write((transaction) => transaction.write([{ ...link("Boat.crew", a, b), kind: "unlink" }]));
      assert.deepEqual(
        [await shown("Boat.crew"), await shown("Boat.ship")],
        [
          [[c], [], []],
          [[], [a], [a]],
        ],
      );
      await bench.write((transaction) => transaction.write([link("Boat.ship", c, b)]));
      const single = boats({ fields: [name], edges: [edge("Boat.crew|Boat.master", crew, end("Boat.master", ["Boat"], ["Boat"], "one"))] });
      await bench.write((transaction) => transaction.write([link("Boat.crew", b, c)]));
      await refused(bench, single, new RegExp(`Boat\\.master.*0x${c.toString(16)}.*0x${a.toString(16)}.*0x${b.toString(16)}`));
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.derived",
    level: "MUST",
    title: "a derived field is built for old nodes, maintained for new ones, and built again under another id",
    why: "Search and sorting read it instead of the value.",
    async run(bench) {
      const derived = (id: string, suffix: string) => ({
        ...field("Boat.upper", "string"),
        derived: {
          id,
          from: ["Boat.name"],
          derive: ([value]: readonly (Stored | undefined)[]) => (typeof value === "string" ? value.toUpperCase() + suffix : undefined),
        },
      });
      await bench.deploy(boats({ fields: [name] }));
      const [a = 0] = await bench.create("Boat", [{ "Boat.name": "ann" }, {}]);
      await bench.deploy(boats({ fields: [name, derived("upper 1", "")], indexes: [byValue("Boat.upper", { ordered: true })] }), "2");
      await bench.write((transaction) => transaction.write([{ kind: "set", uid: a, type: "Boat", fields: { "Boat.name": "bob" } }]));
      assert.deepEqual(await column(bench, "Boat.upper"), ["BOB", undefined]);
      await bench.deploy(boats({ fields: [name, derived("upper 2", "!")], indexes: [byValue("Boat.upper", { ordered: true })] }), "3");
      await bench.create("Boat", [{ "Boat.name": "cat" }]);
      assert.deepEqual(await column(bench, "Boat.upper"), ["BOB!", undefined, "CAT!"]);
      const found = await bench.read((snapshot) =>
        snapshot.find({ types: ["Boat"], where: { kind: "compare", field: "Boat.upper", op: "eq", operands: ["BOB!"] }, fields: [] }),
      );
      assert.deepEqual(found.uids, [a]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.erase",
    level: "MUST",
    title: "erasing data keeps the schema and reuses no uid; erasing all leaves nothing deployed",
    why: "Ids of erased objects are still in clients' hands.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0] = await bench.create("Post", [{ "Post.code": "x", "Post.rank": 1 }]);
      const held = bench.storage.snapshot({ version: bench.version });
      await bench.write((transaction) => transaction.setMeta("kept", 1));
      await bench.storage.erase({ kind: "data" });
      assert.equal((await bench.storage.deployed())?.document, "document");
      assert.deepEqual((await held.find({ types: ["Post"], fields: ["Post.rank"] })).columns, [[1]], "a view that was open stands still");
      held.close();
      await bench.read(async (snapshot) => {
        assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, []);
        assert.equal(await snapshot.meta("kept"), 1);
      });
      const [b = 0] = await bench.create("Post", [{ "Post.code": "x" }]);
      assert.ok(b > a);
      await bench.storage.erase({ kind: "all" });
      assert.equal(await bench.storage.deployed(), undefined);
      await bench.deploy(library, "new");
      await bench.read(async (snapshot) => {
        assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, []);
        assert.equal(await snapshot.meta("kept"), undefined);
      });
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.interrupted",
    level: "MUST",
    title: "an interrupted deploy leaves the old one in force, and a repetition succeeds",
    why: "A server whose long deploy was interrupted must go on serving, and must be able to try again.",
    async run(bench) {
      const plain = boats({ fields: [name] });
      const indexed = boats({ fields: [name], indexes: [byValue("Boat.name", { ordered: true })], keys: ["Boat.name"] });
      await bench.deploy(plain, "1");
      const uids = await bench.create(
        "Boat",
        Array.from({ length: 3_000 }, (_, i) => ({ "Boat.name": `n${i}` })),
      );
      const before = await bench.storage.deployed();
      const progress = () => {
        throw new Error("broken off");
      };
      await assert.rejects(bench.storage.migrate(indexed, "2", { progress }), /broken off/);
      assert.deepEqual(await bench.storage.deployed(), before);
      await bench.write((transaction) => transaction.write([{ kind: "set", uid: uids[7] ?? 0, type: "Boat", fields: { "Boat.name": "later" } }]));
      await bench.storage.close();
      await bench.storage.open();
      await bench.deploy(plain, "1");
      await bench.deploy(indexed, "2");
      const where = { kind: "compare", field: "Boat.name", op: "in", operands: ["n7", "later"] } as const;
      assert.deepEqual((await bench.read((snapshot) => snapshot.find({ types: ["Boat"], where, fields: [] }))).uids, [uids[7]]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.at-once",
    level: "MUST",
    title: "concurrent deploys run one after another, and the last one is in force",
    why: "Two that build side by side would each switch to a catalogue without the other's work.",
    async run(bench) {
      await bench.deploy(boats({ fields: [name] }), "0");
      const [uid] = await bench.create("Boat", [{ "Boat.name": "n" }]);
      const versions = [true, false, true].map((ordered, i) =>
        bench.storage.migrate(boats({ fields: [name], indexes: [byValue("Boat.name", { ordered })] }), String(i + 1)),
      );
      const last = (await Promise.all(versions)).at(-1);
      assert.deepEqual(await bench.storage.deployed(), last);
      assert.equal(last?.document, "3");
      bench.version = last.version;
      const where = { kind: "compare", field: "Boat.name", op: "ge", operands: ["n"] } as const;
      assert.deepEqual((await bench.read((snapshot) => snapshot.find({ types: ["Boat"], where, fields: [] }))).uids, [uid]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.tokens",
    level: "MUST",
    title: "a token index whose tokenizer has another id is built again: no old token is found, and each new one is",
    why: "A tokenizer that was mended must find what the old one missed.",
    async run(bench) {
      const tokenized = (id: string, tokens: (value: unknown) => string[]) =>
        boats({ fields: [name], indexes: [{ name: "Boat.name/words", field: "Boat.name", by: "tokens", id, tokens }] });
      await bench.deploy(tokenized("whole 1", (value) => [String(value)]));
      const [uid] = await bench.create("Boat", [{ "Boat.name": "Ann" }, {}]);
      const next = tokenized("small 1", (value) => [String(value).toLowerCase()]);
      assert.match((await bench.storage.compare(next)).work.join("\n"), /Boat\.name\/words/);
      await bench.deploy(next, "2");
      const lookup = (token: string) => bench.find("Boat", { kind: "lookup", index: "Boat.name/words", match: "any", tokens: [token] });
      assert.deepEqual([await lookup("Ann"), await lookup("ann")], [[], [uid]]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.compare",
    level: "MUST",
    title: "compare changes neither the deployed layout nor any result, and the same layout needs no work",
    why: "People ask beforehand, on the database that serves.",
    async run(bench) {
      const plain = boats({ fields: [name] });
      await bench.deploy(plain);
      const [uid] = await bench.create("Boat", [{ "Boat.name": "n" }]);
      const before = { deployed: await bench.storage.deployed(), latest: bench.storage.latest() };
      const { work } = await bench.storage.compare(boats({ fields: [name], indexes: [byValue("Boat.name", { ordered: true })] }));
      assert.equal(work.length, 1);
      await bench.storage.compare(boats({ fields: [field("Boat.other", "int")] }));
      assert.deepEqual({ deployed: await bench.storage.deployed(), latest: bench.storage.latest() }, before);
      assert.deepEqual(await bench.storage.compare(plain), { obstacles: [], work: [] });
      assert.deepEqual(await bench.find("Boat", { kind: "compare", field: "Boat.name", op: "eq", operands: ["n"] }), [uid]);
    },
  },
  {
    id: "deploy.many-offenders",
    level: "MUST",
    title: "an obstacle names ten offending nodes at most",
    why: "A message with a million ids is read by nobody, and fills the log.",
    async run(bench) {
      const plain = boats({ fields: [name] });
      await bench.deploy(plain);
      await bench.create(
        "Boat",
        Array.from({ length: 90 }, (_, i) => ({ "Boat.name": `ghost ${i % 30}` })),
      );
      const { obstacles } = await bench.storage.compare(boats({ fields: [name], keys: ["Boat.name"] }));
      assert.equal(obstacles.length, 1);
      const values = new Set(obstacles[0]?.match(/ghost \d+/g));
      assert.ok(values.size >= 1 && values.size <= 10, `${values.size} values are named`);
    },
  },
  {
    id: "deploy.document",
    level: "MUST",
    title: "another document of the same layout is kept exactly, without work and without a new version",
    why: "A comment in the schema is a change that people want back, and no reason to refuse writers.",
    async run(bench) {
      const layout = boats({ fields: [name], indexes: [byValue("Boat.name", { ordered: true })] });
      await bench.deploy(layout, "one");
      await bench.create("Boat", [{ "Boat.name": "n" }]);
      const before = bench.version;
      const steps: string[] = [];
      const document = "# \u{1f600}\r\n\ttwo \u0000";
      const deployed = await bench.storage.migrate(layout, document, { progress: ({ what }) => steps.push(what) });
      assert.deepEqual([deployed, await bench.storage.deployed(), steps], [{ version: before, document }, { version: before, document }, []]);
      await bench.storage.close();
      await bench.storage.open();
      assert.deepEqual(await bench.storage.deployed(), { version: before, document });
    },
  },
  {
    id: "deploy.take-over",
    level: "MUST",
    title:
      "a document that is taken over and is deployed no longer changes nothing, with STALE_LAYOUT; `start` builds, `follow` refuses another layout",
    why: "A server that comes up late would take back the deploy of another, and two with different plugins would undo each other's work.",
    async run(bench) {
      const plain = boats({ fields: [name] });
      const indexed = boats({ fields: [name], indexes: [byValue("Boat.name", { ordered: true })] });
      await bench.deploy(plain, "one");
      await bench.deploy(plain, "two");
      const before = await bench.storage.deployed();
      for (const takeOver of ["start", "follow"] as const) {
        for (const layout of [plain, indexed])
          await assert.rejects(bench.storage.migrate(layout, "one", { takeOver }), { code: "STALE_LAYOUT" }, `"one" is not deployed (${takeOver})`);
        assert.deepEqual(await bench.storage.deployed(), before);
      }
      await assert.rejects(bench.storage.migrate(indexed, "two", { takeOver: "follow" }), { code: "MIGRATION_REFUSED" });
      assert.deepEqual(await bench.storage.deployed(), before);
      assert.deepEqual(await bench.storage.migrate(plain, "two", { takeOver: "follow" }), before);
      const built = await bench.storage.migrate(indexed, "two", { takeOver: "start" });
      assert.ok(built.version > (before?.version ?? 0));
      assert.deepEqual(await bench.storage.deployed(), built);
      assert.deepEqual((await bench.storage.compare(indexed)).work, []);
    },
  },
  {
    id: "deploy.before-first",
    level: "MUST",
    title: "nothing deployed counts as the empty document: a layout is taken over under it, and the first deploy keeps the nodes",
    why: "What plugins store before the first schema is deployed could not be laid out, or would be gone with that schema.",
    async run(bench) {
      const plain = boats({ fields: [name] });
      await bench.deploy(plain, "", { takeOver: "start" });
      const [uid] = await bench.create("Boat", [{ "Boat.name": "n" }]);
      assert.deepEqual(await bench.storage.deployed(), { version: bench.version, document: "" });
      assert.deepEqual(await bench.storage.migrate(plain, "", { takeOver: "follow" }), { version: bench.version, document: "" });
      await bench.deploy(boats({ fields: [name], indexes: [byValue("Boat.name", { ordered: false })] }), "first");
      assert.deepEqual(await bench.find("Boat", { kind: "compare", field: "Boat.name", op: "eq", operands: ["n"] }), [uid]);
      await assert.rejects(bench.storage.migrate(plain, "", { takeOver: "start" }), { code: "STALE_LAYOUT" });
    },
  },
];
