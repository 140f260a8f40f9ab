// No request reads what it does not need: what MongoDB examines for each shape of request is the same with ten times the data. What must read more has its reason
// and its figure in the README.

import { readFile } from "node:fs/promises";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { inputs, schema, shapes } from "./growth-shapes.ts";
import { type Examined, profiler } from "./profiler.ts";

const client = new MongoClient(inject("mongodbUri"));
const { examined } = profiler(client);
const small = 300;
const large = 3_000;

interface Site {
  readonly database: string;
  readonly kernel: Kernel;
}

const sites: Site[] = [];

async function filled(packages: number): Promise<Site> {
  const database = `quern_test_growth_${packages}_${process.pid}`;
  const kernel = createKernel({
    storage: mongodbStorage({ uri: inject("mongodbUri"), database }),
    plugins: standardPlugins(),
    log: { level: "silent" },
  });
  await kernel.open();
  await kernel.deploy(schema);
  for (const [type, input] of inputs(packages))
    for (let i = 0; i < input.length; i += 500) {
      const query = `mutation ($input: [Add${type}Input!]!) { add${type}(input: $input, upsert: true) { numUids } }`;
      await ask(kernel, query, { variables: { input: input.slice(i, i + 500) } });
    }
  return { database, kernel };
}

async function ask(
  kernel: Kernel,
  query: string,
  { variables = {}, fails }: { readonly variables?: object; readonly fails?: string | undefined } = {},
) {
  const { errors } = JSON.parse((await kernel.execute({ query, variables: { ...variables } })).body);
  if (errors?.[0]?.extensions?.code !== fails) throw new Error(`${query}\n${JSON.stringify(errors).slice(0, 1_000)}`);
}

beforeAll(async () => {
  for (const packages of [small, large]) sites.push(await filled(packages));
}, 300_000);

afterAll(async () => {
  for (const { kernel, database } of sites) {
    await kernel.close();
    await client.db(database).dropDatabase();
  }
  await client.close();
});

/** Conditions on links look for 500 nodes and links at first, then try some nodes. */
const tried = 2_000;

describe("a request on ten times the data", () => {
  it.each(shapes)("reads no more of it: $what", async ({ what, query, grows, tries, fails, again }) => {
    if (again) for (const { kernel } of sites) await ask(kernel, query);
    const [few, many] = await measured(query, fails);
    const most = mostOf(few.most, tries ?? conditions.test(query));
    if (grows !== undefined) console.info(`| ${what} | ${few.most} | ${many.most} | ${grows} |`);
    expect(many.scanned.join("\n"), "scans a collection").toBe("");
    if (grows === undefined) expect(many.most, JSON.stringify(many.commands, undefined, 1)).toBeLessThanOrEqual(most);
    else expect(await readFile("adapters/mongodb/README.md", "utf8")).toContain(`| ${what} | ${few.most} | ${many.most} | ${grows} |`);
    if (grows !== undefined) expect(many.most, "grows no more: remove the reason").toBeGreaterThan(most);
  });
});

/** Conditions on links. */
const conditions = /filter: \{.*(has:|some:|every:|none:|count:|owner:)|@cascade|Task|withTags/;

function mostOf(few: number, tries: boolean): number {
  return Math.max(few * 2 + 60, tries ? tried : 0);
}

async function measured(query: string, fails: string | undefined): Promise<readonly [Examined, Examined]> {
  const [few, many] = sites;
  if (few === undefined || many === undefined) throw new Error("there are no data");
  const of = ({ database, kernel }: Site) => examined(database, () => ask(kernel, query, { fails }));
  return [await of(few), await of(many)];
}
