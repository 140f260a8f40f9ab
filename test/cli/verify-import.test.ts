// `quern import --verify`: a running server with the same data stands for the Dgraph cluster that is left.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { line, token } from "../plugins/auth/token.ts";
import { ask, type Ended, run, served, temporaryFolder } from "./quern.ts";

const schema = `
type Boat {
  id: ID!
  name: String! @id
  tonnes: Float
  big: Int64
  built: DateTime
  flags: [String]
  note: String @dgraph(pred: "note")
  noteDe: String @dgraph(pred: "note@de")
  spot: Point
  area: Polygon
  shape: [Float!] @embedding
  harbor: Harbor @hasInverse(field: boats)
}
type Harbor { code: Int! @id  name: String  boats: [Boat] @hasInverse(field: harbor) }
type Loose { word: String }
type Strict { id: ID!  must: String! }`;
const boats = 1_200;
const hex = (n: number) => `0x${n.toString(16)}`;
const square = (corners: string) => `"{'type':'Polygon','coordinates':[[${corners}]]}"^^<geo:geojson>`;

function facts(): string {
  const lines: string[] = [];
  const say = (subject: number, predicate: string, object: string) => lines.push(`<${hex(subject)}> <${predicate}> ${object} <0x0> .`);
  const text = (value: string) => `"${value}"^^<xs:string>`;
  for (const code of [1, 2]) {
    say(code, "dgraph.type", text("Harbor"));
    say(code, "Harbor.code", `"${code}"^^<xs:int>`);
  }
  say(3, "dgraph.type", text("Loose"));
  say(3, "Loose.word", text("alone"));
  say(4, "dgraph.type", text("Strict"));
  for (let n = 0; n < boats; n++) {
    const boat = 0x10 + n;
    say(boat, "dgraph.type", text("Boat"));
    say(boat, "Boat.name", text(`boat ${n}`));
    say(boat, "Boat.tonnes", `"1.5E+01"^^<xs:float>`);
    say(boat, "Boat.big", `"9007199254740993"^^<xs:int>`);
    say(boat, "Boat.built", `"2020-01-02T03:04:05.678+02:00"^^<xs:dateTime>`);
    for (const flag of ["a", "b"]) say(boat, "Boat.flags", text(flag));
    say(boat, "note", text("sea"));
    say(boat, "note", '"See"@de');
    say(boat, "Boat.spot", `"{'type':'Point','coordinates':[10.1,54.3]}"^^<geo:geojson>`);
    say(boat, "Boat.area", square("[0,0],[1,0],[1,1],[0,0]"));
    say(boat, "Boat.shape", '"[1,2.5]"^^<xs:[]float32>');
    say(boat, "Boat.harbor", "<0x1>");
    say(1, "Harbor.boats", `<${hex(boat)}>`);
  }
  return `${lines.join("\n")}\n`;
}

const folder = temporaryFolder();
let server: Awaited<ReturnType<typeof served>>;

const load = (data: string, ...more: readonly string[]): Promise<Ended> =>
  run(folder.path, "import", "--from-dgraph", "export", "--data", data, ...more);

beforeAll(async () => {
  mkdirSync(join(folder.path, "export"));
  writeFileSync(join(folder.path, "export/g01.rdf"), facts());
  writeFileSync(join(folder.path, "export/g01.schema"), "");
  writeFileSync(join(folder.path, "export/g01.gql_schema"), JSON.stringify([{ Namespace: 0, Schema: schema }]));
  expect(await load("there")).toMatchObject({ code: 0 });
  server = await served(folder.path, "--data", "there");
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

it("compares a thousand nodes of more, and says which ones it cannot see", async () => {
  const { code, out } = await load("equal", "--verify", server.url);
  expect(out).toMatch(/^Of Loose only the counts are compared: no query finds a single node\.$/m);
  expect(out).toMatch(/^counts of 4 types and 1,000 nodes with all fields, compared with .*: equal\.$/m);
  expect(code).toBe(0);
});

/** What the cluster has, and the import has not. */
const changes: readonly (readonly [field: string, set: string, there: string, here: string])[] = [
  ["tonnes", "tonnes: 15.5", "15.5", "15"],
  ["big", "big: 9007199254740992", "9007199254740992", "9007199254740993"],
  ["built", 'built: "2020-01-02T01:04:05.679Z"', '"2020-01-02T01:04:05.679Z"', '"2020-01-02T03:04:05.678+02:00"'],
  ["flags", 'flags: ["c"]', '["a","b","c"]', '["a","b"]'],
  ["note", 'note: "ocean"', '"ocean"', '"sea"'],
  ["noteDe", 'noteDe: "Meer"', '"Meer"', '"See"'],
  ["spot", "spot: { longitude: 10.2, latitude: 54.3 }", '{"longitude":10.2,"latitude":54.3}', '{"longitude":10.1,"latitude":54.3}'],
  ["shape", "shape: [2.5, 1]", "[2.5,1]", "[1,2.5]"],
  ["harbor", "harbor: { code: 2 }", '{"code":2}', '{"code":1}'],
];

it("prints the kind of every difference with samples, and counts the rest", async () => {
  const ring = "[{ longitude: 1, latitude: 0 }, { longitude: 0, latitude: 0 }, { longitude: 1, latitude: 1 }, { longitude: 1, latitude: 0 }]";
  const set = [...changes.map(([, value]) => value), `area: { coordinates: [{ points: ${ring} }] }`].join("  ");
  for (let n = 0; n < boats; n += 100) {
    const some = Array.from({ length: 100 }, (_, i) => `"boat ${n + i}"`);
    const gone = some.slice(0, 34).join(" ");
    const query = `mutation {
      updateBoat(input: { filter: { name: { in: [${some.join(" ")}] } }, set: { ${set} } }) { numUids }
      deleteBoat(filter: { name: { in: [${gone}] } }) { numUids }
    }`;
    expect(await ask(server.url, query)).toMatchObject({ data: { updateBoat: { numUids: 100 }, deleteBoat: { numUids: 34 } } });
  }
  expect(await ask(server.url, 'mutation { addLoose(input: [{ word: "second" }]) { numUids } }')).toMatchObject({ data: {} });
  const { code, out } = await load("other", "--verify", server.url);
  expect(code).toBe(1);
  const lines = out.split("\n");
  expect(lines).toContain("Boat, count: 792 there, 1200 here");
  expect(lines).toContain("Loose, count: 2 there, 1 here");
  for (const [field, , there, here] of changes) {
    const samples = lines.filter((line) => new RegExp(`^Boat 0x[0-9a-f]+, ${field}: `).test(line));
    expect(samples, field).toHaveLength(5);
    expect(samples[0]?.endsWith(`: ${there} there, ${here} here`), samples[0]).toBe(true);
    expect(out, field).toMatch(new RegExp(`^Boat, ${field}: and [\\d,]+ more$`, "m"));
  }
  expect(out).toMatch(/^Boat 0x[0-9a-f]+, area: .* there, .* here$/m);
  expect(out).toMatch(/^Boat 0x[0-9a-f]+, \(the node\): false there, true here$/m);
  expect(out).toMatch(/1,000 nodes with all fields, compared with .*: [\d,]+ differences\.$/m);
});

it("asks both as the caller whose header is given", async () => {
  const rules = `type Berth @auth(query: { rule: "{$ROLE: { eq: \\"MASTER\\" }}" }) { id: ID!  label: String }\n${line}\n`;
  const label = (uid: string, value: string) =>
    `<${uid}> <dgraph.type> "Berth"^^<xs:string> <0x0> .\n<${uid}> <Berth.label> "${value}"^^<xs:string> <0x0> .\n`;
  for (const [name, value] of [
    ["ours", "north"],
    ["theirs", "south"],
  ] as const) {
    mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, `${name}/g01.rdf`), label("0x1", value) + label("0x2", "west"));
    writeFileSync(join(folder.path, `${name}/g01.schema`), "");
    writeFileSync(join(folder.path, `${name}/g01.gql_schema`), JSON.stringify([{ Namespace: 0, Schema: rules }]));
  }
  expect(await run(folder.path, "import", "--from-dgraph", "theirs", "--data", "berths")).toMatchObject({ code: 0 });
  const guarded = await served(folder.path, "--data", "berths");
  const verify = (data: string, ...more: readonly string[]) =>
    run(folder.path, "import", "--from-dgraph", "ours", "--data", data, "--verify", guarded.url, ...more);
  try {
    const guest = await verify("as-guest");
    expect(guest.out).toMatch(/^2 of the nodes are shown by neither: access rules hide them, or they lack a required value\.$/m);
    expect(guest.out).toMatch(/: equal\.$/m);
    const master = await verify("as-master", "--verify-header", `X-Harbour: ${token({ ROLE: "MASTER" })}`);
    expect(master.out).toMatch(/^Berth 0x1, label: "south" there, "north" here$/m);
    expect(master.out).toMatch(/: one difference\.$/m);
    expect(master.code).toBe(1);
    const wrong = await verify("wrong", "--verify-header", "no colon");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("A header has a name and a value")]);
  } finally {
    await guarded.stop();
  }
});
