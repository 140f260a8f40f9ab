// quern check and explain: what a store holds, whether it is sound, and how a query reads it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Level } from "level";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  folder = temporaryFolder();
  writeFileSync(
    join(folder.path, "schema.graphql"),
    "type Boat {\n  name: String! @id\n  seats: Int @search\n  crew: [Sailor]\n}\ntype Sailor {\n  name: String! @id\n}\n",
  );
  writeFileSync(join(folder.path, "boats.ndjson"), '{"name":"Heron","seats":4,"crew":[{"name":"Ann"}]}\n{"name":"Tern","seats":2}\n');
  const { code, err } = await run(folder.path, "import", "boats.ndjson", "--type", "Boat", "--data", "data", "--schema", "schema.graphql");
  if (code !== 0) throw new Error(err);
});
afterEach(() => folder.remove());

describe("quern check", () => {
  it("finds a sound store clean", async () => {
    const text = await run(folder.path, "check", "--data", "data");
    expect(text.err).toMatch(/^nodes 100% (\d+) of \1$/m);
    expect(text).toMatchObject({ code: 0 });
    expect(text.out).toMatch(/^data: 3 nodes, 1 links, \d+ index entries; clean\.\n$/);
    const json = await run(folder.path, "check", "--data", "data", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ nodes: 3, links: 1, faults: [], faultCount: 0 });
  });

  it("finds an index that lost an entry, and mends it", async () => {
    await loseOneIndexEntry(join(folder.path, "data"));
    const found = await run(folder.path, "check", "--data", "data");
    expect(found.code).toBe(1);
    expect(found.out).toContain("Boat.seats");
    expect(found.out).toContain("quern check --data data --repair");
    expect(await run(folder.path, "check", "--data", "data", "--repair")).toMatchObject({ code: 0 });
    expect(await run(folder.path, "check", "--data", "data")).toMatchObject({ code: 0 });
  });

  it("does not make a store where there is none", async () => {
    const { code, err } = await run(folder.path, "check", "--data", ".");
    expect(code).toBe(1);
    expect(err).toBe("The folder . holds no store; name the folder that was given to quern start --data.\n");
  });
});

describe("quern explain", () => {
  it("prints the plan and what was read", async () => {
    const query = "query ($least: Int) { queryBoat(filter: { seats: { ge: $least } }, order: { desc: seats }) { name crew { name } } }";
    const { code, out } = await run(folder.path, "explain", "--data", "data", query, "--variables", '{"least": 3}');
    expect(code).toBe(0);
    expect(out).toContain("queryBoat(filter: {seats: {ge: $least}}, order: {desc: seats}): find Boat");
    expect(out).toContain("crew: follow Boat.crew to Sailor");
    expect(out).toMatch(/\d+ nodes touched, queryBoat: 1 rows in [\d.]+ ms; again in [\d.]+ ms/);
  });

  it("runs no mutation", async () => {
    const { code, err } = await run(folder.path, "explain", "--data", "data", "mutation { deleteBoat(filter: {}) { numUids } }");
    expect({ code, err }).toEqual({ code: 1, err: "quern explain runs what it explains, so it takes queries only; leave the mutation out.\n" });
    expect((await run(folder.path, "check", "--data", "data")).out).toContain("3 nodes");
  });

  it("says what is wrong with a query, and with variables", async () => {
    const query = await run(folder.path, "explain", "--data", "data", "{ queryBoat { nme } }");
    expect(query).toMatchObject({ code: 1, out: "" });
    expect(query.err).toContain('Cannot query field "nme" on type "Boat". Did you mean "name"?');
    const variables = await run(folder.path, "explain", "--data", "data", "{ queryBoat { name } }", "--variables", "[1]");
    expect(variables).toMatchObject({ code: 1, err: "--variables takes a JSON object such as '{\"n\": 10}'; this is none: [1]\n" });
  });
});

describe("the storage of a configuration", () => {
  beforeEach(() => {
    writeFileSync(
      join(folder.path, "other.config.ts"),
      `import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { standardStack } from "quern/adapters/cli";
export default defineConfig({ ...standardStack(), storage: leveldbStorage({ path: "configured" }) });\n`,
    );
  });

  it("is filled, explained and checked where no data folder is named", async () => {
    const loaded = await run(folder.path, "import", "boats.ndjson", "--type", "Boat", "--config", "other.config.ts", "--schema", "schema.graphql");
    expect(loaded).toMatchObject({ code: 0 });
    const again = await run(folder.path, "import", "boats.ndjson", "--type", "Boat", "--config", "other.config.ts");
    expect(again.out).toMatch(/an earlier run did 2 lines/);
    const explained = await run(folder.path, "explain", "--config", "other.config.ts", "{ queryBoat { name } }");
    expect(explained.out).toMatch(/queryBoat: 2 rows/);
    const checked = await run(folder.path, "check", "--config", "other.config.ts");
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.out).toMatch(/^other\.config\.ts: 3 nodes, 1 links, \d+ index entries; clean\.\n$/);
  });

  it("has to be named, like a data folder", async () => {
    const ways = "Say which store: --data <dir> for a LevelDB store, or --config <file> for the storage configured there.\n";
    expect(await run(folder.path, "check")).toEqual({ code: 1, out: "", err: ways });
    expect(await run(folder.path, "explain", "{ queryBoat { name } }")).toEqual({ code: 1, out: "", err: ways });
  });
});

/** Takes one cell of the ordered index of `Boat.seats` out of the files, behind Quern's back. */
async function loseOneIndexEntry(data: string): Promise<void> {
  const db = new Level<string, Uint8Array>(data, { valueEncoding: "view" });
  const cells = (await db.keys().all()).filter((key) => /^x[a-k][0-9a-z]+\/o/.test(key));
  if (cells.length === 0) throw new Error("the store keeps ordered indexes elsewhere by now");
  await db.batch(cells.map((key) => ({ type: "del" as const, key })));
  await db.close();
}
