// quern check and explain: what a store holds, whether it is sound, and how a query reads it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Level } from "level";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-plugins.ts";

import { createKernel } from "../../core/index.ts";
import { storageAt } from "../support/addressed-storage.ts";
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
  it("finds no faults in an intact store", async () => {
    const text = await run(folder.path, "check", "--data", "data");
    expect(text.err).toMatch(/^nodes 100% (\d+) of \1$/m);
    expect(text).toMatchObject({ code: 0 });
    expect(text.out).toMatch(/^data: 3 nodes, 1 link, \d+ index entries; no faults\.\n$/);
    const json = await run(folder.path, "check", "--data", "data", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ nodes: 3, links: 1, faults: [], faultCount: 0 });
  });

  it("finds a value of a wrong kind, and says that no repair changes it", async () => {
    await writeWrongKind(join(folder.path, "data"));
    const found = await run(folder.path, "check", "--data", "data");
    expect(found).toMatchObject({ code: 1 });
    expect(found.out).toMatch(/1 fault:\n {2}value: Boat\.seats of 0x[0-9a-f]+ holds a value that is no int; write it anew/u);
    expect(found.out).not.toContain("--repair");
    const repaired = await run(folder.path, "check", "--data", "data", "--repair");
    expect(repaired).toMatchObject({ code: 1 });
    expect(repaired.out).toContain("0 of them are repaired.\nA value of a wrong kind is not repaired");
  });

  it("finds a missing index entry, and repairs it", async () => {
    await loseOneIndexEntry(join(folder.path, "data"));
    const found = await run(folder.path, "check", "--data", "data");
    expect(found.code).toBe(1);
    expect(found.out).toContain("Boat.seats");
    expect(found.out).toContain("quern check --data data --repair");
    expect(await run(folder.path, "check", "--data", "data", "--repair")).toMatchObject({ code: 0 });
    expect(await run(folder.path, "check", "--data", "data")).toMatchObject({ code: 0 });
  });

  it("does not create a store in a folder without one", async () => {
    const { code, err } = await run(folder.path, "check", "--data", ".");
    expect(code).toBe(1);
    expect(err).toBe("The folder . contains no store; name the folder that quern start --data uses.\n");
  });
});

describe("quern explain", () => {
  it("prints the plan and the number of nodes read", async () => {
    const query = "query ($least: Int) { queryBoat(filter: { seats: { ge: $least } }, order: { desc: seats }) { name crew { name } } }";
    const { code, out } = await run(folder.path, "explain", "--data", "data", query, "--variables", '{"least": 3}');
    expect(code).toBe(0);
    expect(out).toContain("queryBoat(filter: {seats: {ge: $least}}, order: {desc: seats}): find Boat");
    expect(out).toContain("crew: follow Boat.crew to Sailor");
    expect(out).toMatch(/\d+ nodes touched, queryBoat: 1 rows in [\d.]+ ms; again in [\d.]+ ms/);
  });

  it("refuses mutations", async () => {
    const { code, err } = await run(folder.path, "explain", "--data", "data", "mutation { deleteBoat(filter: {}) { numUids } }");
    expect({ code, err }).toEqual({ code: 1, err: "quern explain runs the operation, so it accepts queries only.\n" });
    expect((await run(folder.path, "check", "--data", "data")).out).toContain("3 nodes");
  });

  it("reports errors of the query and of the variables", async () => {
    const query = await run(folder.path, "explain", "--data", "data", "{ queryBoat { nme } }");
    expect(query).toMatchObject({ code: 1, out: "" });
    expect(query.err).toContain('Cannot query field "nme" on type "Boat". Did you mean "name"?');
    const variables = await run(folder.path, "explain", "--data", "data", "{ queryBoat { name } }", "--variables", "[1]");
    expect(variables).toMatchObject({ code: 1, err: "--variables takes a JSON object such as '{\"n\": 10}', not: [1]\n" });
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

  it("is the target of import, explain and check with --config alone", async () => {
    const loaded = await run(folder.path, "import", "boats.ndjson", "--type", "Boat", "--config", "other.config.ts", "--schema", "schema.graphql");
    expect(loaded).toMatchObject({ code: 0 });
    const again = await run(folder.path, "import", "boats.ndjson", "--type", "Boat", "--config", "other.config.ts");
    expect(again.out).toMatch(/2 lines done by an earlier run/);
    const explained = await run(folder.path, "explain", "--config", "other.config.ts", "{ queryBoat { name } }");
    expect(explained.out).toMatch(/queryBoat: 2 rows/);
    const checked = await run(folder.path, "check", "--config", "other.config.ts");
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.out).toMatch(/^other\.config\.ts: 3 nodes, 1 link, \d+ index entries; no faults\.\n$/);
  });

  it("must be named: check and explain have no default store", async () => {
    const usage = "Name the store: --data <dir> for a LevelDB store, or --config <file> for a configured storage.\n";
    expect(await run(folder.path, "check")).toEqual({ code: 1, out: "", err: usage });
    expect(await run(folder.path, "explain", "{ queryBoat { name } }")).toEqual({ code: 1, out: "", err: usage });
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

/** As a program that writes to the storage past the kernel. */
async function writeWrongKind(path: string): Promise<void> {
  const storage = storageAt(path);
  const kernel = createKernel({ storage, plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  await storage.transact(
    async (transaction) => {
      const { uids } = await transaction.find({ types: ["Boat"], fields: [], page: { first: 1 } });
      await transaction.write(uids.map((uid) => ({ kind: "set", uid, type: "Boat", fields: { "Boat.seats": "many" } })));
    },
    { version: kernel.deployment?.version ?? 0 },
  );
  await kernel.close();
}
