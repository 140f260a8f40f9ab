// To how many shards each shape of request would go. No router is at hand: the commands are those that a replica set gets, and their routes follow from the
// shard keys.

import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shardKeyOf } from "../../../../adapters/mongodb/sharding/shard-keys.ts";
import { inputs, type Shape, schema, shapes } from "../growth-shapes.ts";
import { type RecordedSite, recordedSite } from "./recorded-site.ts";
import { routerRules } from "./router-rules.ts";
import { named } from "./routes-of-shapes.ts";
import { shardsOf, union } from "./simulated-shards.ts";

const packages = 100;
const counts = [1, 4, 16] as const;
let site: RecordedSite;

beforeAll(async () => {
  site = await recordedSite();
  await site.deploy(`${schema}\ntype Memo { id: ID!  text: String  about: Topic }\ntype Topic { id: ID!  text: String }`);
  for (const [type, input] of inputs(packages)) {
    const query = `mutation ($input: [Add${type}Input!]!) { add${type}(input: $input, upsert: true) { numUids } }`;
    await site.ask(query, { variables: { input } });
  }
});

afterAll(() => site.close());

/** The shards, of each number of them, to which the commands go together. */
function routesOf(sent: readonly Document[]): readonly number[] {
  return counts.map((count) => union(sent.map((command) => shardsOf(command, count))).size);
}

function brokenBy(sent: readonly Document[]): readonly string[] {
  return sent.flatMap((command) => routerRules.filter((rule) => rule.breaks(command)).map(({ says }) => `${says} ${JSON.stringify(command)}`));
}

const others = shapes.filter(({ what }) => !named.some((each) => each.what === what));

describe("a request that names its nodes", () => {
  const shapeOf = (what: string, query: string | undefined): Shape => shapes.find((each) => each.what === what) ?? { what, query: query ?? "" };
  const stated = named.map((each) => ({ ...each, shape: shapeOf(each.what, each.query) }));

  it.each(stated)(
    "goes to the shards of these nodes and of their keys, and one more at most: $what",
    async ({ nodes, keys, unchanged = 0, shape }) => {
      const sent = await site.sent(() => site.ask(shape.query, { fails: shape.fails }));
      expect(brokenBy(sent)).toEqual([]);
      for (const [i, shards] of routesOf(sent).entries())
        expect(shards, sent.map((command) => JSON.stringify(command)).join("\n")).toBeLessThanOrEqual(
          Math.min(nodes + keys + 1 + unchanged, counts[i] ?? 1),
        );
    },
  );
});

describe("a request that names its nodes by id", () => {
  async function ids(query: string): Promise<readonly string[]> {
    return [...JSON.stringify(await site.ask(query)).matchAll(/"id":"(0x[0-9a-f]+)"/g)].map(([, id = ""]) => id);
  }

  it("moves a to-one link on the shards of the two nodes, and reads and adds one on one shard", async () => {
    const [topic = ""] = await ids(`mutation { addTopic(input: [{ text: "t" }]) { topic { id } } }`);
    const [memo = ""] = await ids(`mutation { addMemo(input: [{ text: "x", about: { text: "u" } }]) { memo { id } } }`);
    const move = `mutation { updateMemo(input: { filter: { id: ["${memo}"] }, set: { about: { id: "${topic}" } } }) { numUids } }`;
    expect(routesOf(await site.sent(() => site.ask(move)))[2]).toBeLessThanOrEqual(2);
    expect(routesOf(await site.sent(() => site.ask(`{ getMemo(id: "${memo}") { text } }`)))).toEqual([1, 1, 1]);
    expect(routesOf(await site.sent(() => site.ask(`mutation { addMemo(input: [{ text: "y" }]) { numUids } }`)))).toEqual([1, 1, 1]);
  });
});

describe("a request that asks for nodes by what they hold", () => {
  it.each(others)("sends nothing that a router refuses: $what", async ({ query, fails }) => {
    const sent = await site.sent(() => site.ask(query, { fails }));
    expect(brokenBy(sent)).toEqual([]);
    expect(routesOf(sent)[0]).toBe(1);
  });
});

it("no unique index lacks the shard key of its collection", async () => {
  const db = site.client.db(site.database);
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const [first] = Object.keys(shardKeyOf(name) ?? {});
    const unique = (await db.collection(name).indexes()).filter((index) => index.unique);
    for (const { key } of unique) expect(Object.keys(key)[0], `${name} ${JSON.stringify(key)}`).toBe(first);
  }
});

it("no document is written by every transaction", async () => {
  const written = async (name: string) => {
    const sent = await site.sent(() => site.ask(`mutation { addHome(input: [{ name: "${name}" }]) { numUids } }`));
    return sent.flatMap((command) => [
      ...(command.documents ?? []).map(({ _id }: Document) => String(_id)),
      ...(command.updates ?? []).map(({ q }: Document) => String(q._id)),
    ]);
  };
  const [first, second] = [await written("first"), await written("second")];
  expect(first.length).toBeGreaterThanOrEqual(3);
  expect(first.filter((id) => second.includes(id))).toEqual([]);
});
