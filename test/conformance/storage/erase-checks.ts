// Erasing one field or one end: what goes with it, in every type and from both sides, and what stays.

import assert from "node:assert/strict";
import type { Layout, Predicate, Stored } from "../../../core/storage.ts";
import { moor } from "./hidden-link-checks.ts";
import { type Bench, type Check, createOf, linkOf } from "./kit.ts";
import { boats, field, fleet, ketches, library, owner, parted, shared, yawls } from "./layouts.ts";

function equal(field: string, operand: string): Predicate {
  return { kind: "compare", field, op: "eq", operands: [operand] };
}

async function values(bench: Bench, type: string, field: string): Promise<readonly (Stored | undefined)[] | undefined> {
  return (await bench.read((snapshot) => snapshot.find({ types: [type], fields: [field] }))).columns[0];
}

/** `library` without `PostTag`, which holds `Named.label` too. */
const withoutTags: Layout = {
  ...library,
  types: library.types.filter((type) => type.name !== "PostTag"),
  fields: library.fields.filter((field) => field.name !== "PostTag.title"),
  edges: library.edges.filter((edge) => edge.name !== "Post.tagged"),
};

export const eraseChecks: readonly Check[] = [
  {
    id: "erase.field",
    level: "MUST",
    title: "erasing a field removes its values, index entries and keys; other fields and open views keep theirs",
    why: "To erase one field means that field alone; a key that stays refuses a value that no node has.",
    async run(bench) {
      await bench.deploy(library);
      const [post = 0] = await bench.create("Post", [{ "Post.title": "t", "Post.code": "c", "Post.left": 1, "Post.right": "r", "Post.tags": ["x"] }]);
      const [tag] = await bench.create("PostTag", [{ "PostTag.title": "t" }]);
      const held = bench.storage.snapshot({ version: bench.version });
      for (const name of ["Post.title", "Post.code", "Post.right", "Post.tags"]) await bench.storage.erase({ kind: "field", name });
      assert.deepEqual((await held.find({ types: ["Post"], where: equal("Post.code", "c"), fields: ["Post.title"] })).columns, [["t"]], "as it was");
      held.close();
      for (const name of ["Post.title", "Post.code", "Post.right", "Post.tags"])
        assert.deepEqual(await values(bench, "Post", name), [undefined], name);
      assert.deepEqual([await values(bench, "Post", "Post.left"), await values(bench, "PostTag", "PostTag.title")], [[1], ["t"]], "neighbours stay");
      assert.deepEqual(await bench.find("Post", equal("Post.title", "t")), []);
      assert.deepEqual(await bench.find("Post", equal("Post.tags", "x")), []);
      assert.deepEqual(await bench.find("PostTag", equal("PostTag.title", "t")), [tag]);
      const [second] = await bench.create("Post", [{ "Post.code": "c", "Post.left": 1, "Post.right": "r" }]);
      assert.deepEqual(await bench.find("Post", equal("Post.code", "c")), [second], "what was erased is free");
      await bench.write((transaction) => transaction.write([{ kind: "set", uid: post, type: "Post", fields: { "Post.title": "again" } }]));
      assert.deepEqual(await values(bench, "Post", "Post.title"), ["again", undefined]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "erase.shared-field",
    level: "MUST",
    title: "a field that two types share is erased in both, with its index entries, also in a type that the layout hides; their other fields stay",
    why: "What is left of an erased field comes back with the type, or is found in an index and is nowhere else.",
    async run(bench) {
      for (const hidden of [false, true]) {
        await bench.deploy(library);
        const [post = 0, other = 0] = await bench.create("Post", [{ "Named.label": "l", "Post.title": "l" }, {}]);
        const [tag = 0] = await bench.create("PostTag", [{ "Named.label": "l", "PostTag.title": "l" }]);
        if (hidden) await bench.deploy(withoutTags);
        await bench.storage.erase({ kind: "field", name: "Named.label" });
        await bench.create("Post", [{ "Named.label": "l" }]);
        await bench.deploy(library);
        const [found] = await bench.read(async (snapshot) => [
          await snapshot.find({ types: ["Post", "PostTag"], where: equal("Named.label", "l"), fields: ["Named.label"] }),
        ]);
        assert.deepEqual(found?.columns, [["l"]], `only what was written since is found (${hidden ? "one type hidden" : "both shown"})`);
        assert.ok((found?.uids[0] ?? 0) > tag);
        const fields = ["Named.label", "Post.title", "PostTag.title"];
        const { columns } = await bench.read((snapshot) => snapshot.load({ uids: [post, other, tag], types: ["Post", "PostTag"], fields }));
        assert.deepEqual(columns, [
          [undefined, undefined, undefined],
          ["l", undefined, undefined],
          [undefined, undefined, "l"],
        ]);
        assert.deepEqual(
          [await bench.find("Post", equal("Post.title", "l")), await bench.find("PostTag", equal("PostTag.title", "l"))],
          [[post], [tag]],
          "the other fields' index entries stay",
        );
        assert.deepEqual((await bench.storage.verify()).faults, [], "an index entry without a value, or the other way round");
        await bench.storage.erase({ kind: "data" });
      }
    },
  },
  {
    id: "erase.hidden-field",
    level: "MUST",
    title: "a field that the layout no longer names can be erased, and is empty when it is named again",
    why: "People take a field out of the schema first, and erase its data then.",
    async run(bench) {
      const named = (...names: string[]) => boats({ fields: names.map((each) => field(each, "string")) });
      await bench.deploy(named("Boat.old", "Boat.older"));
      await bench.create("Boat", [{ "Boat.old": "o", "Boat.older": "r" }]);
      await bench.deploy(named("Boat.older"));
      await bench.storage.erase({ kind: "field", name: "Boat.old" });
      await bench.deploy(named("Boat.old", "Boat.older"));
      assert.deepEqual([await values(bench, "Boat", "Boat.old"), await values(bench, "Boat", "Boat.older")], [[undefined], ["r"]]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "erase.unknown",
    level: "MUST",
    title: "erasing a field that no layout ever had fails with REQUEST_INVALID",
    why: "A misspelt name that is taken for success leaves data that people believe gone.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create("Post", [{ "Post.title": "t" }]);
      await assert.rejects(bench.storage.erase({ kind: "field", name: "Post.titl" }), { code: "REQUEST_INVALID" });
      assert.deepEqual(await values(bench, "Post", "Post.title"), ["t"]);
    },
  },
  {
    id: "erase.end",
    level: "MUST",
    title: "erasing an end removes the links that it shows, from both sides; links that only another end of its side shows stay",
    why: "Two fields may show parts of one relation; erasing one field must not empty the other.",
    async run(bench) {
      await bench.deploy(shared(["Ketch", "Yawl"]));
      const { o, k, y } = await moor(bench);
      await bench.storage.erase({ kind: "field", name: "Owner.ketches" });
      assert.deepEqual([await bench.partners("Owner.ketches", o), await bench.partners("Vessel.owner", k)], [[], []], "gone from both sides");
      assert.deepEqual([await bench.partners("Owner.yawls", o), await bench.partners("Vessel.owner", y)], [[y], [o]], "the other end's link stays");
      await bench.write((transaction) => transaction.write([linkOf("link", "Owner.ketches", ["Owner", o], ["Ketch", k])]));
      await bench.storage.erase({ kind: "field", name: "Vessel.owner" });
      for (const name of ["Owner.ketches", "Owner.yawls"]) assert.deepEqual(await bench.partners(name, o), [], `${name}: the inverse took all`);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "erase.symmetric-end",
    level: "MUST",
    title:
      "erasing an end that is its own inverse removes each link from both nodes, including a link from a node to itself, and no link of another end",
    why: "One list serves both directions; half of a link that is left is corrupt data.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0, b = 0, c = 0] = await bench.create("Author", [{}, {}, {}]);
      const link = (name: string, from: number, to: number) => linkOf("link", name, ["Author", from], ["Author", to]);
      await bench.write((transaction) =>
        transaction.write([link("Author.friends", b, a), link("Author.friends", a, c), link("Author.friends", b, b), link("Author.spouse", a, b)]),
      );
      await bench.storage.erase({ kind: "field", name: "Author.friends" });
      for (const uid of [a, b, c]) assert.deepEqual(await bench.partners("Author.friends", uid), []);
      assert.deepEqual(await bench.partners("Author.spouse", b), [a]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "erase.other-ends-links",
    level: "MUST",
    title:
      "an end whose layout hides a link that another end still shows keeps that link when it is erased, and shows it when the layout allows it again",
    why: "The link is the other field's; a field that was narrowed for a day must not take it along.",
    async run(bench) {
      await bench.deploy(shared(["Ketch", "Yawl"]));
      const { o, k, y } = await moor(bench);
      await bench.deploy(shared(["Ketch"]));
      assert.deepEqual(await bench.partners("Owner.yawls", o), [y]);
      await bench.storage.erase({ kind: "field", name: "Vessel.owner" });
      assert.deepEqual(
        [await bench.partners("Owner.ketches", o), await bench.partners("Owner.yawls", o)],
        [[], [y]],
        "Vessel.owner no longer shows yawls: Owner.yawls alone does",
      );
      await bench.deploy(shared(["Ketch", "Yawl"]));
      assert.deepEqual([await bench.partners("Vessel.owner", k), await bench.partners("Vessel.owner", y)], [[], [o]]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "erase.hidden-links",
    level: "MUST",
    title: "erasing an end also removes links that the layout hides from every end, even if it hides the end itself; none is shown later",
    why: "What was erased must not come back with the next schema.",
    async run(bench) {
      const apart = (holders: readonly string[]) => parted(ketches, yawls, owner(holders));
      for (const layout of [apart(["Ketch"]), fleet([])]) {
        await bench.deploy(apart(["Ketch", "Yawl"]));
        const { o, k, y } = await moor(bench);
        await bench.deploy(layout);
        await bench.storage.erase({ kind: "field", name: "Vessel.owner" });
        await bench.deploy(apart(["Ketch", "Yawl"]));
        assert.deepEqual([await bench.partners("Vessel.owner", k), await bench.partners("Vessel.owner", y)], [[], []]);
        assert.deepEqual(
          [await bench.partners("Owner.ketches", o), await bench.partners("Owner.yawls", o)],
          [[k], [y]],
          "links of edges that are apart stay",
        );
        assert.deepEqual((await bench.storage.verify()).faults, []);
        await bench.storage.erase({ kind: "data" });
      }
    },
  },
  {
    id: "erase.while-writing",
    level: "MUST",
    title: "erasing waits for running transactions: each is stored as a whole, or erased as a whole",
    why: "Half a mutation that outlives an erasure is data that nobody wrote.",
    async run(bench) {
      await bench.deploy(library);
      const parts = 40;
      for (let round = 0; round < 3; round++) {
        const writing = Array.from({ length: 6 }, (_, i) => {
          const rows = Array.from({ length: parts }, () => ({ "Post.title": `${round} ${i}` }));
          return bench.write(async (transaction) => {
            const uids = await transaction.uids(parts);
            for (const [at, row] of rows.entries()) await transaction.write([createOf(uids[at] ?? 0, "Post", row)]);
          });
        });
        // Whatever an erasure does to a writer beside it, it says so.
        const settled = Promise.allSettled(writing);
        await bench.storage.erase(round === 1 ? { kind: "field", name: "Post.title" } : { kind: "data" });
        for (const each of await settled)
          if (each.status === "rejected") assert.ok(["STALE_LAYOUT", "CONFLICT"].includes(each.reason.code), String(each.reason));
        bench.version = (await bench.storage.deployed())?.version ?? 0;
        const titles = (await values(bench, "Post", "Post.title")) ?? [];
        for (const title of new Set(titles.filter((each) => each !== undefined)))
          assert.equal(titles.filter((each) => each === title).length, parts, `transaction ${title} is there in part`);
        assert.deepEqual((await bench.storage.verify()).faults, []);
      }
    },
  },
];
