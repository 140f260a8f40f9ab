// Whose a link is that some layout hides: what an end takes along to another edge, and what stays with the end that shows it.

import assert from "node:assert/strict";
import type { Uid } from "../../../core/storage.ts";
import { type Bench, type Check, linkOf } from "./kit.ts";
import { edge, end, fleet, ketches, owner, parted, shared, yawls } from "./layouts.ts";

export interface Moored {
  readonly o: Uid;
  readonly k: Uid;
  readonly y: Uid;
}

/** An owner with a ketch and a yawl, linked by whichever fields the deployed layout has. */
export async function moor(bench: Bench): Promise<Moored> {
  const [o = 0] = await bench.create("Owner", [{}]);
  const [k = 0] = await bench.create("Ketch", [{}]);
  const [y = 0] = await bench.create("Yawl", [{}]);
  await bench.write((transaction) =>
    transaction.write([
      linkOf("link", "Owner.ketches", ["Owner", o], ["Ketch", k]),
      linkOf("link", "Owner.yawls", ["Owner", o], ["Yawl", y]),
      linkOf("link", "Vessel.owner", ["Ketch", k], ["Owner", o]),
      linkOf("link", "Vessel.owner", ["Yawl", y], ["Owner", o]),
    ]),
  );
  return { o, k, y };
}

const vessels = ["Ketch", "Yawl"];

export const hiddenLinkChecks: readonly Check[] = [
  {
    id: "deploy.parted-side",
    level: "MUST",
    title: "ends of one side that are separated each keep the links that they showed, and get no link that only the other showed",
    why: "A field that takes its neighbour's links along shows relations that nobody made.",
    async run(bench) {
      await bench.deploy(shared(vessels));
      const { o, k, y } = await moor(bench);
      await bench.deploy(parted(ketches, yawls, owner(vessels)), "2");
      const all = async () => [await bench.partners("Owner.ketches", o), await bench.partners("Owner.yawls", o)];
      assert.deepEqual(await all(), [[k], [y]]);
      assert.deepEqual([await bench.partners("Vessel.owner", k), await bench.partners("Vessel.owner", y)], [[o], [o]]);
      await bench.write((transaction) => transaction.write([linkOf("unlink", "Vessel.owner", ["Yawl", y], ["Owner", o])]));
      const wide = [end("Owner.ketches", ["Owner"], vessels, "many"), end("Owner.yawls", ["Owner"], vessels, "many")];
      await bench.deploy(parted(...wide, owner(vessels)), "3");
      assert.deepEqual(await all(), [[k], [y]], "each has its own links, and edges that are apart know nothing of each other");
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.other-ends-links",
    level: "MUST",
    title: "a link that an end's layout hides while another end shows it stays with the other end when the two are separated",
    why: "It would be doubled: removed through one field, it would still be there through the other.",
    async run(bench) {
      await bench.deploy(shared(vessels));
      const { o, k, y } = await moor(bench);
      await bench.deploy(shared(["Ketch"]), "2");
      assert.deepEqual([await bench.partners("Owner.yawls", o), await bench.partners("Vessel.owner", k)], [[y], [o]]);
      await bench.deploy(parted(ketches, yawls, owner(["Ketch"])), "3");
      await bench.deploy(parted(ketches, yawls, owner(vessels)), "4");
      assert.deepEqual([await bench.partners("Owner.ketches", o), await bench.partners("Owner.yawls", o)], [[k], [y]]);
      assert.deepEqual([await bench.partners("Vessel.owner", k), await bench.partners("Vessel.owner", y)], [[o], []]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.hidden-end",
    level: "MUST",
    title: "an end that a layout omits keeps its links while other ends of its edge are separated and joined, and shows them when it returns",
    why: "A field that is taken out by mistake must come back with its links, whatever was deployed in between.",
    async run(bench) {
      await bench.deploy(shared(vessels));
      const { o, k, y } = await moor(bench);
      const without = fleet([edge("Owner.ketches|Vessel.owner", ketches, owner(["Ketch"]))]);
      await bench.deploy(without, "2");
      assert.deepEqual([await bench.partners("Owner.ketches", o), await bench.partners("Vessel.owner", k)], [[k], [o]]);
      await bench.deploy(parted(ketches, owner(["Ketch"])), "3");
      await bench.deploy(without, "4");
      await bench.deploy(parted(ketches, yawls, owner(["Ketch"])), "5");
      assert.deepEqual([await bench.partners("Owner.ketches", o), await bench.partners("Owner.yawls", o)], [[k], [y]]);
      assert.deepEqual(await bench.partners("Vessel.owner", k), [o]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.hidden-link-removed",
    level: "MUST",
    title: "removing a node removes its hidden links: neither side shows them after they become visible",
    why: "A link to a node that is gone leads nowhere, and a later node never has its uid.",
    async run(bench) {
      await bench.deploy(shared(vessels));
      const { o, k, y } = await moor(bench);
      await bench.deploy(parted(ketches, owner(["Ketch"])), "2");
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: y, type: "Yawl" }]));
      await bench.deploy(fleet([]), "3");
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: k, type: "Ketch" }]));
      await bench.deploy(shared(vessels), "4");
      assert.deepEqual([await bench.partners("Owner.ketches", o), await bench.partners("Owner.yawls", o)], [[], []]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.hidden-gives-way",
    level: "MUST",
    title: "a hidden link is removed when its single end is set: widened again, the end shows only the new link, from both sides",
    why: "A single end with two partners is seen differently from either side, and nobody knows which one is meant.",
    async run(bench) {
      const vessel = (partners: readonly string[]) =>
        fleet([edge("Owner.vessel", end("Owner.vessel", ["Owner"], partners, "one"), end("~Owner.vessel", partners, ["Owner"], "many"))]);
      await bench.deploy(vessel(vessels));
      const [o = 0] = await bench.create("Owner", [{}]);
      const [k = 0] = await bench.create("Ketch", [{}]);
      const [y = 0] = await bench.create("Yawl", [{}]);
      const link = (type: string, uid: Uid) =>
        bench.write((transaction) => transaction.write([linkOf("link", "Owner.vessel", ["Owner", o], [type, uid])]));
      await link("Yawl", y);
      await bench.deploy(vessel(["Ketch"]), "2");
      assert.deepEqual(await bench.partners("Owner.vessel", o), []);
      await link("Ketch", k);
      assert.deepEqual(await bench.partners("Owner.vessel", o), [k]);
      await bench.deploy(vessel(vessels), "3");
      assert.deepEqual(await bench.partners("Owner.vessel", o), [k]);
      const back = await bench.read((snapshot) => snapshot.follow({ from: [k, y], end: "~Owner.vessel", fields: [] }));
      assert.deepEqual(back.starts, [0, 1, 1], "the records of both sides name one link");
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.hidden-to-single",
    level: "MUST",
    title: "a list end with hidden links becomes a single end when each node has one link, and is refused when a node has several",
    why: "What nobody sees at the moment is still there, and a single end with two partners is corrupt data.",
    async run(bench) {
      const owned = (types: readonly string[], count: "one" | "many") =>
        fleet([edge("Owner.vessel", end("Owner.vessel", types, ["Ketch"], count), end("~Owner.vessel", ["Ketch"], types, "many"))]);
      await bench.deploy(owned(["Owner"], "many"));
      const [o = 0] = await bench.create("Owner", [{}]);
      const [k = 0, l = 0] = await bench.create("Ketch", [{}, {}]);
      const change = (kind: "link" | "unlink", uid: Uid) =>
        bench.write((transaction) => transaction.write([linkOf(kind, "Owner.vessel", ["Owner", o], ["Ketch", uid])]));
      await change("link", k);
      await change("link", l);
      await bench.deploy(owned([], "many"), "2");
      assert.ok((await bench.storage.compare(owned(["Owner"], "one"))).obstacles.length > 0, "compare says so beforehand");
      await assert.rejects(bench.storage.migrate(owned(["Owner"], "one"), "3"), { code: "MIGRATION_REFUSED" });
      await bench.deploy(owned(["Owner"], "many"), "4");
      assert.deepEqual(await bench.partners("Owner.vessel", o), [k, l]);
      await change("unlink", k);
      await bench.deploy(owned([], "many"), "5");
      await bench.deploy(owned(["Owner"], "one"), "6");
      assert.deepEqual(await bench.partners("Owner.vessel", o), [l]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "deploy.hidden-second",
    level: "MUST",
    title: "a narrowed single end cannot get its old types back while one of their nodes has several links through the other end",
    why: "A single end with two partners is seen differently from either side, and nobody knows which one is meant.",
    async run(bench) {
      await bench.deploy(shared(vessels));
      const { o, y } = await moor(bench);
      const [second = 0] = await bench.create("Owner", [{}]);
      await bench.deploy(shared(["Ketch"]), "2");
      const change = (kind: "link" | "unlink", from: Uid) =>
        bench.write((transaction) => transaction.write([linkOf(kind, "Owner.yawls", ["Owner", from], ["Yawl", y])]));
      await change("link", second);
      assert.deepEqual([await bench.partners("Owner.yawls", o), await bench.partners("Owner.yawls", second)], [[y], [y]]);
      assert.ok((await bench.storage.compare(shared(vessels))).obstacles.length > 0, "compare says so beforehand");
      await assert.rejects(bench.storage.migrate(shared(vessels), "3"), { code: "MIGRATION_REFUSED" });
      await change("unlink", o);
      await bench.deploy(shared(vessels), "4");
      assert.deepEqual(await bench.partners("Vessel.owner", y), [second]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
