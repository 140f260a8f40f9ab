// Several storages over one place: what one stores the next one has, and no two have it open at a time.

import assert from "node:assert/strict";
import { Bench, type CheckOf, linkOf, type Place, whileOpen } from "./kit.ts";
import { library } from "./layouts.ts";

const locked = { code: "STORE_LOCKED" };

/** A storage of a database that several processes may open stays usable for both. */
async function opensTwice(place: Place): Promise<void> {
  const [first, second] = [place(), place()];
  await whileOpen(first, () =>
    whileOpen(second, async () => {
      const [here, there] = [new Bench(first), new Bench(second)];
      await here.deploy(library, "document");
      await there.deploy(library, "document");
      const uids = await here.create("Post", [{ "Post.title": "t" }]);
      const { uids: seen } = await there.read((snapshot) => snapshot.find({ types: ["Post"], fields: [] }), { after: first.latest() });
      assert.deepEqual(seen, uids);
    }),
  );
}

async function opensOnce(place: Place): Promise<void> {
  const [first, second, third] = [place(), place(), place()];
  await whileOpen(first, async () => {
    const bench = new Bench(first);
    await bench.deploy(library);
    const [kept] = await bench.create("Post", [{ "Post.title": "t" }]);
    await assert.rejects(second.open(), locked, "a second storage over a place that is open must not open");
    await second.close();
    await assert.rejects(third.open(), locked, "closing the storage that did not open must not free the place");
    const [next] = await bench.create("Post", [{}]);
    await bench.read(async (snapshot) => assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, [kept, next]));
  });
  await whileOpen(second, async () => assert.equal((await second.deployed())?.document, "document", "a place that was closed can be opened"));
}

export const placeChecks: readonly CheckOf<Place>[] = [
  {
    id: "place.locked",
    level: "MUST",
    title:
      "opening a place that is open fails with STORE_LOCKED until it is closed; where `supports.shared` is set it succeeds, and both have the same data",
    why: "Two processes that each count uids and cache lists overwrite each other's data, and nobody sees it happen.",
    async run(place) {
      await (place().supports.shared ? opensTwice(place) : opensOnce(place));
    },
  },
  {
    id: "place.kept",
    level: "MUST",
    title:
      "another storage over the same place has the data, the names, the document and the version, finds by every index, and goes on with the uids",
    why: "What a storage keeps in its object is lost with the process, also what it has acknowledged.",
    async run(place) {
      const first = place();
      const before = await whileOpen(first, async () => {
        const bench = new Bench(first);
        await bench.deploy(library);
        const [author = 0] = await bench.create("Author", [{ "Author.age": 7 }]);
        const [post = 0, gone = 0] = await bench.create("Post", [
          { "Post.code": "c", "Post.text": "two words", "Post.nums": [2, 1] },
          { "Post.code": "d" },
        ]);
        await bench.write(async (transaction) => {
          await transaction.write([linkOf("link", "Post.author", ["Post", post], ["Author", author]), { kind: "remove", uid: gone, type: "Post" }]);
          await transaction.setMeta("name", ["value"]);
        });
        return { author, post, gone, latest: first.latest() };
      });
      const second = place();
      await whileOpen(second, async () => {
        assert.equal(second.latest(), before.latest);
        const deployed = await second.deployed();
        assert.equal(deployed?.document, "document");
        const bench = new Bench(second);
        await bench.deploy(library);
        assert.equal(bench.version, deployed.version, "the same layout is no new version");
        assert.deepEqual(await bench.find("Post", { kind: "lookup", index: "Post.text/words", match: "all", tokens: ["words"] }), [before.post]);
        assert.deepEqual(await bench.partners("Author.posts", before.author), [before.post]);
        await bench.read(async (snapshot) => {
          assert.deepEqual(await snapshot.find({ types: ["Post"], fields: ["Post.code", "Post.nums"] }), {
            uids: [before.post],
            types: ["Post"],
            columns: [["c"], [[2, 1]]],
          });
          assert.deepEqual(await snapshot.meta("name"), ["value"]);
        });
        await assert.rejects(bench.create("Post", [{ "Post.code": "c" }]), { code: "KEY_TAKEN" });
        const [next = 0] = await bench.create("Post", [{ "Post.code": "d" }]);
        assert.ok(next > before.gone, `uid ${next} may be given twice`);
        assert.deepEqual((await second.verify()).faults, []);
      });
    },
  },
];
