// To how many shards each shape of request would go. No router is at hand: the commands are those that a replica set gets, and their routes follow from the shard keys.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inputs, schema, shapes } from "../growth-shapes.ts";
import { type RecordedSite, recordedSite } from "./recorded-site.ts";
import { routerRules } from "./router-rules.ts";
import { shardsOf, union } from "./simulated-shards.ts";

const packages = 100;
let site: RecordedSite;

beforeAll(async () => {
  site = await recordedSite();
  await site.deploy(schema);
  for (const [type, input] of inputs(packages)) {
    const query = `mutation ($input: [Add${type}Input!]!) { add${type}(input: $input, upsert: true) { numUids } }`;
    await site.ask(query, { variables: { input } });
  }
});

afterAll(() => site.close());

describe("a request on a sharded cluster", () => {
  it.each(shapes)("goes to as many shards as stated: $what", async ({ what, query, fails }) => {
    const sent = await site.sent(() => site.ask(query, { fails }));
    const broken = sent.flatMap((command) =>
      routerRules.filter((rule) => rule.breaks(command)).map(({ says }) => `${says} ${JSON.stringify(command)}`),
    );
    const routes = [1, 4, 16].map((count) => union(sent.map((command) => shardsOf(command, count))).size);
    if (process.env.SHOW?.split(",").includes(what)) for (const c of sent) console.info(JSON.stringify(c, (k, v) => k === "lsid" || k.startsWith("$cl") ? undefined : typeof v === "bigint" ? String(v) : v).slice(0, 700), shardsOf(c, 16).size);
    console.info(`| ${what} | ${routes.join(" | ")} | ${sent.length} |`);
    expect(broken).toEqual([]);
  });
});
