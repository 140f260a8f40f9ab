// The commands that move data in and out: whole exports, backups, and the proof of an import.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withKernel } from "../../adapters/cli/stack/stack.ts";
import { standardStack } from "../../adapters/cli/stack/standard-stack.ts";
import { killedWhileItWrites } from "../support/killed-while-it-writes.ts";
import { ask, quern, run, served, temporaryFolder } from "./quern.ts";

const schema =
  "type Boat { id: ID!  name: String! @id  harbor: Harbor @hasInverse(field: boats) }\ntype Harbor { id: ID!  name: String  boats: [Boat] }";
const boats = 3_000;
const hex = (n: number) => `0x${n.toString(16)}`;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeExport(rdfOf(boats));
});
afterEach(() => folder.remove());

const at = (...names: readonly string[]) => join(folder.path, ...names);

/** One harbor, and boats whose uids begin at 0x10. */
function rdfOf(count: number): string {
  const lines = ['<0x1> <dgraph.type> "Harbor"^^<xs:string> <0x0> .', '<0x1> <Harbor.name> "Kiel"^^<xs:string> <0x0> .'];
  for (let i = 0; i < count; i++) {
    const boat = `<${hex(0x10 + i)}>`;
    lines.push(`${boat} <dgraph.type> "Boat"^^<xs:string> <0x0> .`, `${boat} <Boat.name> "boat ${i}"^^<xs:string> <0x0> .`);
    lines.push(`${boat} <Boat.harbor> <0x1> <0x0> .`, `<0x1> <Harbor.boats> ${boat} <0x0> .`);
  }
  return `${lines.join("\n")}\n`;
}

function writeExport(rdf: string): void {
  mkdirSync(at("export"), { recursive: true });
  writeFileSync(at("export", "g01.rdf.gz"), gzipSync(rdf));
  writeFileSync(at("export", "g01.schema.gz"), gzipSync("[0x0] <Boat.name>:string @index(hash) @upsert . \n"));
  writeFileSync(at("export", "g01.gql_schema.gz"), gzipSync(JSON.stringify([{ Namespace: 0, Schema: schema }])));
}

const load = (...more: readonly string[]) => run(folder.path, "import", "--from-dgraph", "export", ...more);

/** What a query on the store in `data` answers. It has the shape that HTTP clients see. */
async function answer(query: string, data = "data"): Promise<unknown> {
  const stack = { ...standardStack({ data: at(data) }), log: { level: "silent" as const } };
  const { body } = await withKernel(stack, async (kernel) => await kernel.execute({ query }));
  return withoutCost(JSON.parse(body));
}

async function dataOf(url: string, query: string): Promise<unknown> {
  return withoutCost(await ask(url, query));
}

function withoutCost(answer: unknown): unknown {
  const { extensions: _, ...rest } = answer as { readonly extensions?: unknown };
  return rest;
}
const whole = '{ aggregateBoat { count } getHarbor(id: "0x1") { name boatsAggregate { count } } getBoat(name: "boat 7") { id harbor { name } } }';
const wholeAnswer = {
  data: {
    aggregateBoat: { count: boats },
    getHarbor: { name: "Kiel", boatsAggregate: { count: boats } },
    getBoat: { id: hex(0x17), harbor: { name: "Kiel" } },
  },
};

describe("quern import --from-dgraph", () => {
  it("loads an export, and shows the counts of the file beside those of the store", async () => {
    const { code, out, err } = await load("--data", "data");
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Boat +3,000 +3,000\nHarbor +1 +1\n3,001 nodes and 3,000 links loaded/),
    });
    expect(err).toMatch(/needs up to \d+ MB of scratch files in .*data\.import/);
    expect(readdirSync(folder.path).sort()).toEqual(["data", "export"]);
    expect(await answer(whole)).toEqual(wholeAnswer);
    expect(await load("--data", "data")).toMatchObject({ code: 0, out: "An earlier run has loaded this export.\n" });
  });

  it("brings a later export into the same store, and says what was added, changed and deleted", async () => {
    writeExport(rdfOf(3));
    expect((await load("--data", "data")).code).toBe(0);
    writeExport(
      `${rdfOf(2).replace('"Kiel"', '"Kiel West"')}<0x99> <dgraph.type> "Boat"^^<xs:string> <0x0> .\n<0x99> <Boat.name> "late"^^<xs:string> <0x0> .\n`,
    );
    expect(await load("--data", "data")).toMatchObject({ code: 1, err: expect.stringMatching(/has a node 0x1 already[\s\S]*--update/) });
    const { code, out } = await load("--data", "data", "--update");
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining("1 node added, 1 changed and 1 deleted; 0 links added and 1 deleted\n"),
    });
    expect(await answer("{ queryHarbor { name } queryBoat(order: { asc: name }) { name } }")).toEqual({
      data: { queryHarbor: [{ name: "Kiel West" }], queryBoat: [{ name: "boat 0" }, { name: "boat 1" }, { name: "late" }] },
    });
    expect(await load("--url", "http://127.0.0.1:9", "--update")).toMatchObject({
      code: 1,
      err: expect.stringContaining("--update needs --data or --config"),
    });
  });

  it("goes on after it was killed, and writes nothing twice", async () => {
    let kills = 0;
    for (let i = 0; i < 3; i++)
      kills += (await killedWhileItWrites(quern(folder.path, "import", "--from-dgraph", "export", "--data", "data").child, at("data"), 60_000))
        ? 1
        : 0;
    expect(kills).toBeGreaterThan(0);
    expect((await load("--data", "data")).code).toBe(0);
    expect(await answer(whole)).toEqual(wholeAnswer);
    expect((await run(folder.path, "check", "--data", "data")).code).toBe(0);
  });

  it("writes nothing in a dry run, or when something does not fit; the report says what", async () => {
    writeExport(`${rdfOf(3)}<0x10> <Boat.name> "second"^^<xs:string> <0x0> .\n<0x10> <wet> "yes" <0x0> (sure=true) .\n`);
    const dry = await load("--dry-run", "--report", "report.json");
    expect(dry).toMatchObject({ code: 0, out: "4 nodes and 3 links would be loaded. Nothing was written.\n" });
    expect(dry.err).toMatch(/1 second values of a single field; the first is kept:\n +1 {2}Boat\.name {2}0x10 "second"/);
    const { findings, faults } = JSON.parse(readFileSync(at("report.json"), "utf8"));
    expect([faults, findings.map((each: { kind: string }) => each.kind)]).toEqual([1, ["second", "uncovered", "facet"]]);
    expect(existsSync(at("data"))).toBe(false);
    const stopped = await load("--data", "data");
    expect(stopped).toMatchObject({ code: 1, err: expect.stringMatching(/The export has one fault; nothing was written\./) });
    expect(await load("--data", "data", "--on-error", "skip")).toMatchObject({ code: 0 });
    expect(await answer("{ queryBoat(order: { asc: name }) { name } }")).toEqual({
      data: { queryBoat: [{ name: "boat 0" }, { name: "boat 1" }, { name: "boat 2" }] },
    });
  });

  it("refuses a report that cannot be written, a missing folder, and a second import at the same time", async () => {
    expect(await load("--data", "data", "--report", "no/such/report.json")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The report no\/such\/report\.json cannot be written/),
    });
    expect(existsSync(at("data"))).toBe(false);
    expect(await run(folder.path, "import", "--from-dgraph", "none", "--data", "data")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The export none does not exist/),
    });
    // Both begin together: processes that start as fast as each other.
    const begin = () => quern(folder.path, "import", "--from-dgraph", "export", "--data", "data").ended;
    const ends = await Promise.all([begin(), begin()]);
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(ends.find(({ code }) => code === 1)?.err).not.toMatch(/Unexpected/);
    expect(await answer(whole)).toEqual(wholeAnswer);
  });

  it("keeps its scratch files apart from others in the folder that is named, and removes them, also when the export cannot be read", async () => {
    mkdirSync(at("big"));
    writeFileSync(at("big", "precious"), "kept");
    writeExport(rdfOf(3));
    expect(await load("--dry-run", "--scratch", "big")).toMatchObject({ code: 0 });
    expect(await load("--data", "data", "--scratch", "big")).toMatchObject({ code: 0 });
    writeFileSync(at("export", "g01.rdf.gz"), gzipSync(rdfOf(400)).subarray(0, 2_000));
    for (const more of [["--scratch", "big"], []]) {
      expect(await load("--data", "other", ...more)).toMatchObject({ code: 1, err: expect.stringMatching(/ends in the middle of its gzip data/) });
    }
    expect(readdirSync(at("big"))).toEqual(["precious"]);
    expect(readdirSync(folder.path).sort()).toEqual(["big", "data", "export", "other"]);
  });

  it("loads into a server that goes on serving", async () => {
    const server = await served(folder.path, "--data", "data");
    const url = new URL(server.url).origin;
    const loading = load("--url", url);
    let answers = 0;
    for (let done = false; !done; answers += 1) {
      expect((await fetch(`${url}/health`)).status).toBe(200);
      done = (await Promise.race([loading, new Promise<undefined>((resolve) => setTimeout(resolve, 50))])) !== undefined;
    }
    expect(await loading).toMatchObject({ code: 0, out: expect.stringMatching(/Boat +3,000 +3,000/) });
    expect(answers).toBeGreaterThan(1);
    expect(await dataOf(server.url, whole)).toEqual(wholeAnswer);
    expect(await load("--url", url)).toMatchObject({ code: 0, out: "An earlier run has loaded this export.\n" });
    const bad = await fetch(`${url}/admin/import`, { method: "POST", body: '{"call":"apply","changes":[]}' });
    expect(await bad.json()).not.toHaveProperty("data");
    await server.stop();
  });

  it("proves itself against a running server, and shows what differs", async () => {
    await load("--data", "there");
    const server = await served(folder.path, "--data", "there");
    const url = new URL(server.url).origin;
    expect(await load("--data", "data", "--verify", url)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/counts of 2 types and [\d,]+ nodes with all fields, compared with .*: equal\./),
    });
    await ask(
      server.url,
      'mutation { updateHarbor(input: { filter: {}, set: { name: "Lübeck" } }) { numUids } addBoat(input: [{ name: "new" }]) { numUids } }',
    );
    writeExport(rdfOf(4));
    await run(folder.path, "import", "--from-dgraph", "export", "--data", "small");
    const { code, out } = await run(folder.path, "import", "--from-dgraph", "export", "--data", "small2", "--verify", url);
    await server.stop();
    expect(code).toBe(1);
    expect(out).toMatch(/Boat, count: 3001 there, 4 here/);
    expect(out).toMatch(/Harbor 0x1, name: "Lübeck" there, "Kiel" here/);
  });
});

describe("quern export, backup and restore", () => {
  it("move a store in two commands, from its folder and from a running server", async () => {
    await load("--data", "data");
    expect(await run(folder.path, "export", "out", "--data", "data", "--gzip")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Boat: 3,000\nHarbor: 1\nExported to out/),
    });
    expect((await run(folder.path, "import", "out", "--data", "copy")).code).toBe(0);
    expect(await answer(whole, "copy")).toEqual(wholeAnswer);
    const server = await served(folder.path, "--data", "data");
    const url = new URL(server.url).origin;
    const exported = await run(folder.path, "export", "there", "--url", url, "--format", "rdf");
    const first = await run(folder.path, "backup", "backups", "--url", url);
    await ask(server.url, 'mutation { addBoat(input: [{ name: "late" }]) { numUids } }');
    const second = await run(folder.path, "backup", "backups", "--url", url);
    expect(await run(folder.path, "restore", "backups", "--data", "restored")).toMatchObject({ code: 0 });
    await server.stop();
    expect([exported.code, first.code, second.code]).toEqual([0, 0, 0]);
    expect(exported.out).toMatch(/3001 nodes are in .*there\/dgraph\.r\d+\.u\d{4}\.\d{4}/);
    expect(second.out).toMatch(/incremental backup 2 of quern_/);
    expect((await run(folder.path, "import", "--from-dgraph", "there", "--data", "again")).code).toBe(0);
    expect(await answer(whole, "again")).toEqual(wholeAnswer);
    expect(await answer("{ aggregateBoat { count } }", "restored")).toEqual({ data: { aggregateBoat: { count: boats + 1 } } });
    expect(await run(folder.path, "restore", "backups", "--number", "1", "--data", "before")).toMatchObject({ code: 0 });
    expect(await answer(whole, "before")).toEqual(wholeAnswer);
    expect(await run(folder.path, "backup", "verify", "backups")).toMatchObject({ code: 0, out: "2 backups in backups: no faults.\n" });
    expect((await run(folder.path, "backup", "list", "backups")).out.trim().split("\n")).toHaveLength(2);
  });

  it("restore a backup into the server that runs, and refuse what is no backup", async () => {
    writeFileSync(at("schema.graphql"), schema);
    const server = await served(folder.path, "--data", "data", "--schema", "schema.graphql");
    const url = new URL(server.url).origin;
    const add = (name: string) => ask(server.url, `mutation { addBoat(input: [{ name: "${name}" }]) { numUids } }`);
    for (const name of ["first", "second"]) {
      await add(name);
      expect((await run(folder.path, "backup", "backups", "--url", url)).code).toBe(0);
    }
    await add("mistake");
    const newest = await run(folder.path, "restore", "backups", "--url", url);
    expect(newest).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^backup 2 of quern_\S+ is restored; the data of before are in .*data\/replaced-/),
    });
    const names = async () => await dataOf(server.url, "{ queryBoat(order: { asc: name }) { name } }");
    expect(await names()).toEqual({ data: { queryBoat: [{ name: "first" }, { name: "second" }] } });
    expect(await run(folder.path, "restore", "backups", "--url", url, "--number", "1")).toMatchObject({ code: 0 });
    expect(await names()).toEqual({ data: { queryBoat: [{ name: "first" }] } });
    expect(await run(folder.path, "restore", "backups", "--url", url, "--number", "7")).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no backup of number 7; the newest has number 2."),
    });
    expect(await run(folder.path, "restore", "nowhere", "--url", url)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/there is no folder .*nowhere/),
    });
    expect(await run(folder.path, "restore", "backups", "--url", url, "--data", "new")).toMatchObject({ code: 2 });
    await server.stop();
  });

  it("go on with an export that was killed: the files are those of one that was not", async () => {
    // Many pages, and more than what lies between two marks.
    const texts = Array.from({ length: 800 }, (_, i) => [`boat ${i}`, `${1_000 + i} `.repeat(9_000)] as const);
    const nodes = texts.map(
      ([name, log], i) =>
        `<${hex(i + 1)}> <dgraph.type> "Boat" <0x0> .\n<${hex(i + 1)}> <Boat.name> "${name}" <0x0> .\n<${hex(i + 1)}> <Boat.log> "${log}" <0x0> .`,
    );
    writeExport(`${nodes.join("\n")}\n`);
    writeFileSync(at("export", "g01.schema.gz"), gzipSync(""));
    writeFileSync(at("schema.graphql"), "type Boat { name: String! @id  log: String }");
    expect(await load("--data", "data", "--schema", "schema.graphql")).toMatchObject({ code: 0 });
    const { child } = quern(folder.path, "export", "out", "--data", "data");
    expect(await killedWhileItWrites(child, at(".out.partial"), 22 << 20)).toBe(true);
    expect(existsSync(at("out"))).toBe(false);
    const again = await run(folder.path, "export", "out", "--data", "data");
    expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/^Boat: 800\n/) });
    expect(again.err).toMatch(/The export goes on behind the \d+ nodes that an interrupted one wrote\./);
    expect((await run(folder.path, "export", "whole", "--data", "data")).code).toBe(0);
    for (const name of readdirSync(at("whole"))) expect(readFileSync(at("out", name)).equals(readFileSync(at("whole", name))), name).toBe(true);
  });

  it("say what is missing", async () => {
    expect(await run(folder.path, "export", "out")).toMatchObject({ code: 1, err: expect.stringMatching(/^Name the store: --data/) });
    expect(await run(folder.path, "restore", "nowhere", "--data", "x")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The folder nowhere does not exist/),
    });
    expect(await run(folder.path, "backup", "verify", "export")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The folder export holds no backup/),
    });
  });
});

describe("quern schema --from-dgraph", () => {
  it("proposes a schema with which the data can be loaded", async () => {
    writeFileSync(at("export", "g01.gql_schema.gz"), gzipSync("[\n\n]\n"));
    writeFileSync(
      at("export", "g01.rdf.gz"),
      gzipSync(
        '<0x1> <dgraph.type> "Ship" <0x0> .\n<0x1> <ship name> "A" <0x0> .\n<0x1> <ship name> "B"@de <0x0> .\n<0x1> <crew> <0x2> <0x0> .\n<0x2> <dgraph.type> "Sailor" <0x0> .\n<0x2> <age> "7"^^<xs:int> <0x0> .\n',
      ),
    );
    writeFileSync(
      at("export", "g01.schema.gz"),
      gzipSync(
        "[0x0] <ship name>:string @index(term) @lang . \n[0x0] <crew>:[uid] @reverse . \n[0x0] <age>:int . \n[0x0] type <Ship> {\n\tship name\n\tcrew\n}\n[0x0] type <Sailor> {\n\tage\n\t<~crew>\n}\n",
      ),
    );
    expect(await load("--data", "data")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has no GraphQL schema\.\n.*quern schema --from-dgraph/),
    });
    const { code, out, err } = await run(folder.path, "schema", "--from-dgraph", "export");
    expect({ code, err: err.replace(/^reading.*\n/gm, "") }).toEqual({ code: 0, err: "" });
    expect(out).toBe(`type Ship {
  id: ID!
  shipName: String @search(by: [term]) @dgraph(pred: "ship name")
  shipNameDe: String @dgraph(pred: "ship name@de")
  crew: [Sailor] @dgraph(pred: "crew")
}

type Sailor {
  id: ID!
  age: Int64 @dgraph(pred: "age")
  reverseCrew: [Ship] @dgraph(pred: "~crew")
}
`);
    writeFileSync(at("proposed.graphql"), out);
    expect((await load("--data", "data", "--schema", "proposed.graphql")).code).toBe(0);
    expect(await answer("{ queryShip { shipName shipNameDe crew { age reverseCrew { shipName } } } }")).toEqual({
      data: { queryShip: [{ shipName: "A", shipNameDe: "B", crew: [{ age: 7, reverseCrew: [{ shipName: "A" }] }] }] },
    });
  });
});
