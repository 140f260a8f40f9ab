// What an import finds in data that do not fit: it counts every piece, shows where, and never changes one in silence.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ImportOutcome } from "../../../adapters/transfer/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ask, loadText } from "./small-exports.ts";

const schema = `
type Person { id: ID!  name: String! @id  age: Int  big: Int64  tags: [String]  mood: Mood  born: DateTime  spot: Point  ok: Boolean
  home: Place @hasInverse(field: residents)  spouse: Person @hasInverse(field: spouse)  boss: Person  likes: [Place] }
type Place { id: ID!  title: String  residents: [Person] }
type Account @secret(field: "pass") { id: ID!  n: Int }
enum Mood { CALM WILD }
`;

const people = `
<0x1> <dgraph.type> "Person"
<0x1> <Person.name> "Ann"
<0x2> <dgraph.type> "Person"
<0x2> <Person.name> "Bob"
<0x3> <dgraph.type> "Person"
<0x3> <Person.name> "Cid"
<0x8> <dgraph.type> "Place"
<0x9> <dgraph.type> "Place"
`;

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel();
});
afterEach(() => stack.remove());

const load = (rdf: string) => loadText(stack, { schema, rdf: people + rdf });
const found = ({ analysis }: ImportOutcome) => analysis.findings.map(({ kind, name, count, samples }) => ({ kind, name, count, samples }));

describe("an import", () => {
  it("reports nothing of data that fit", async () => {
    const outcome = await load(`<0x1> <Person.home> <0x8>\n<0x8> <Place.residents> <0x1>`);
    expect(found(outcome)).toEqual([]);
    expect(outcome.stored).toEqual({ Account: 0, Person: 3, Place: 2 });
  });

  it("leaves out values that do not fit their fields", async () => {
    const outcome = await load(`
      <0x1> <Person.age> "2147483648"^^<xs:int>
      <0x1> <Person.mood> "ANGRY"
      <0x1> <Person.born> "2020-02-30T00:00:00Z"^^<xs:dateTime>
      <0x1> <Person.spot> "{'type':'Polygon','coordinates':[[[0,0],[1,0],[1,1],[0,0]]]}"^^<geo:geojson>
      <0x1> <Person.ok> "yes"
      <0x2> <Person.age> "2147483647"^^<xs:int>
      <0x2> <Person.big> "9223372036854775808"^^<xs:int>`);
    expect(found(outcome).map(({ kind, name, samples }) => [kind, name, samples])).toEqual([
      ["value", "Person.age", [{ uid: "0x1", value: "2147483648" }]],
      ["value", "Person.big", [{ uid: "0x2", value: "9223372036854775808" }]],
      ["value", "Person.born", [{ uid: "0x1", value: "2020-02-30T00:00:00Z" }]],
      ["value", "Person.mood", [{ uid: "0x1", value: "ANGRY" }]],
      ["value", "Person.ok", [{ uid: "0x1", value: "yes" }]],
      ["value", "Person.spot", [{ uid: "0x1", value: "{'type':'Polygon','coordinates':[[[0,0],[1,0],[1,1],[0,0]]]}" }]],
    ]);
    expect(outcome.analysis.faults).toBe(6);
    expect(await ask(stack, '{ a: getPerson(name: "Ann") { age mood } b: getPerson(name: "Bob") { age } }')).toEqual({
      a: { age: null, mood: null },
      b: { age: 2_147_483_647 },
    });
  });

  it("reports a password that is no hash, which it does not show to clients as one", async () => {
    const outcome = await load('<0x5> <dgraph.type> "Account"\n<0x5> <Account.pass> "open sesame"');
    expect(found(outcome).map(({ kind, name }) => [kind, name])).toEqual([
      ["value", "Account.pass"],
      ["missing", "Account.pass of Account"],
    ]);
  });

  it("keeps the first value of a single field and reports the second; a list has both", async () => {
    const outcome = await load(
      '<0x1> <Person.age> "1"\n<0x1> <Person.age> "2"\n<0x1> <Person.tags> "b"\n<0x1> <Person.tags> "a"\n<0x1> <Person.tags> "b"',
    );
    expect(found(outcome)).toEqual([{ kind: "second", name: "Person.age", count: 1, samples: [{ uid: "0x1", value: "2" }] }]);
    expect(await ask(stack, '{ getPerson(name: "Ann") { age tags } }')).toEqual({ getPerson: { age: 1, tags: ["b", "a"] } });
  });

  it("reports a key that another node has: the lowest uid keeps it, the other node stays", async () => {
    const outcome = await load('<0xa> <dgraph.type> "Person"\n<0xa> <Person.name> "Ann"\n<0xa> <Person.age> "7"\n<0x8> <Place.residents> <0xa>');
    expect(found(outcome)).toMatchObject([{ kind: "key", name: "Person.name", samples: [{ uid: "0xa" }] }, { kind: "inverse" }]);
    expect(await ask(stack, '{ getPerson(name: "Ann") { id } queryPlace(filter: { id: "0x8" }) { residents { age } } }')).toEqual({
      getPerson: { id: "0x1" },
      queryPlace: [{ residents: [{ age: 7 }] }],
    });
  });

  it("shows links that one side of two inverse fields states on both sides", async () => {
    const outcome = await load("<0x1> <Person.home> <0x8>\n<0x9> <Place.residents> <0x2>\n<0x3> <Person.home> <0x9>\n<0x9> <Place.residents> <0x3>");
    expect(found(outcome)).toEqual([
      { kind: "inverse", name: "Person.home", count: 1, samples: [{ uid: "0x2", value: "0x9" }] },
      { kind: "inverse", name: "Place.residents", count: 1, samples: [{ uid: "0x8", value: "0x1" }] },
    ]);
    expect(await ask(stack, "{ queryPerson(order: { asc: name }) { home { id } } queryPlace { residents { name } } }")).toEqual({
      queryPerson: [{ home: { id: "0x8" } }, { home: { id: "0x9" } }, { home: { id: "0x9" } }],
      queryPlace: [{ residents: [{ name: "Ann" }] }, { residents: [{ name: "Bob" }, { name: "Cid" }] }],
    });
  });

  it("keeps the partner that the single end names where one fits and two are stated", async () => {
    const outcome = await load("<0x8> <Place.residents> <0x1>\n<0x9> <Place.residents> <0x1>\n<0x1> <Person.home> <0x9>");
    expect(found(outcome).filter(({ kind }) => kind === "partner")).toEqual([
      { kind: "partner", name: "Person.home", count: 1, samples: [{ uid: "0x1", value: "0x8" }] },
    ]);
    expect(await ask(stack, "{ queryPlace { id residents { name } } }")).toEqual({
      queryPlace: [
        { id: "0x8", residents: [] },
        { id: "0x9", residents: [{ name: "Ann" }] },
      ],
    });
  });

  it("gives three who claim one spouse at most one each, and both agree", async () => {
    await load("<0x1> <Person.spouse> <0x2>\n<0x2> <Person.spouse> <0x1>\n<0x3> <Person.spouse> <0x2>");
    expect(await ask(stack, "{ queryPerson(order: { asc: name }) { spouse { name } } }")).toEqual({
      queryPerson: [{ spouse: { name: "Bob" } }, { spouse: { name: "Ann" } }, { spouse: null }],
    });
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });

  it("links a node to itself as its own spouse and boss", async () => {
    const outcome = await load("<0x1> <Person.spouse> <0x1>\n<0x1> <Person.boss> <0x1>");
    expect(found(outcome)).toEqual([]);
    expect(await ask(stack, '{ getPerson(name: "Ann") { spouse { name } boss { name } } }')).toEqual({
      getPerson: { spouse: { name: "Ann" }, boss: { name: "Ann" } },
    });
  });

  it("reports links to nothing, to nodes without a type, and to nodes of a wrong type", async () => {
    const outcome = await load('<0x1> <Person.boss> <0x77>\n<0x2> <Person.boss> <0x50>\n<0x50> <Person.name> "ghost"\n<0x3> <Person.boss> <0x8>');
    expect(found(outcome)).toEqual([
      { kind: "misplaced", name: "Person.boss", count: 1, samples: [{ uid: "0x3", value: "0x8, a Place" }] },
      {
        kind: "dangling",
        name: "Person.boss",
        count: 2,
        samples: [
          { uid: "0x2", value: "0x50" },
          { uid: "0x1", value: "0x77" },
        ],
      },
      { kind: "untyped", name: "no type", count: 1, samples: [{ uid: "0x50", value: "" }] },
    ]);
  });

  it("reports facets, names without a field, types without a schema, other namespaces, and the other system's own data", async () => {
    const outcome = await load(`
      <0x1> <Person.likes> <0x8> <0x0> (since=2006-01-02T15:04:05Z,why="a \\"b\\", (c)") .
      <0x1> <Person.age> "3"^^<xs:int> <0x0> (exact=true) .
      <0x1> <nick> "A"@de
      <0x1> <Place.title> "no place"
      <0x30> <dgraph.type> "Ghost"
      <0x31> <Person.name> "other" <0x1> .
      <0x32> <dgraph.xid> "groot"
      <0x32> <dgraph.type> "dgraph.type.User"`);
    expect(found(outcome).map(({ kind, name, samples }) => [kind, name, samples[0]])).toEqual([
      ["unknownType", "Ghost", { uid: "0x30", value: "Ghost" }],
      ["uncovered", "Place.title of Person", { uid: "0x1", value: "no place" }],
      ["uncovered", "nick@de", { uid: "0x1", value: "A" }],
      ["facet", "Person.age", { uid: "0x1", value: "(exact=true)" }],
      ["facet", "Person.likes", { uid: "0x1", value: '(since=2006-01-02T15:04:05Z,why="a \\"b\\", (c)")' }],
      ["namespace", "0x1", { uid: "0x31", value: "other" }],
      ["system", "dgraph.type.User", { uid: "0x32", value: "dgraph.type.User" }],
      ["system", "dgraph.xid", { uid: "0x32", value: "groot" }],
    ]);
    expect(outcome.analysis.faults).toBe(0);
  });

  it("reports nodes of two types, missing non-null values, and lines that cannot be read", async () => {
    const outcome = await load(`
      <0x20> <dgraph.type> "Place"
      <0x20> <dgraph.type> "Person"
      <0x1> nonsense .
      <0xffffffffffffffff> <Person.name> "too high" <0x0> .
      _:blank <Person.name> "x" .`);
    expect(found(outcome).map(({ kind, name, count }) => [kind, name, count])).toEqual([
      ["unreadable", "g01.rdf", 3],
      ["types", "Person, Place", 1],
      ["missing", "Person.name of Person", 1],
    ]);
  });

  it("counts all of a kind, and shows ten", async () => {
    const outcome = await load(Array.from({ length: 25 }, (_, i) => `<0x1> <odd> "${i}"`).join("\n"));
    expect(found(outcome)).toMatchObject([{ kind: "uncovered", name: "odd", count: 25 }]);
    expect(outcome.analysis.findings[0]?.samples).toHaveLength(10);
  });
});

describe("uids", () => {
  it("stay, and new nodes get higher ones than any that the export mentions", async () => {
    await load("<0x1> <Person.boss> <0xabcdef>");
    const answer = await ask(stack, 'mutation { addPerson(input: [{ name: "Dora" }]) { person { id } } }');
    expect(answer).toEqual({ addPerson: { person: [{ id: "0xabcdf0" }] } });
  });

  it("are refused when the store has them, and nothing is written", async () => {
    await load("");
    await expect(
      loadText(stack, { schema, rdf: '<0x9> <dgraph.type> "Person"\n<0x9> <Person.name> "New"\n<0x99> <dgraph.type> "Person"' }),
    ).rejects.toThrow("The store has a node 0x9 already");
    expect(await ask(stack, "{ aggregatePerson { count } }")).toEqual({ aggregatePerson: { count: 3 } });
  });

  it("are new on demand: a second export comes beside the first", async () => {
    await load("");
    const rdf =
      '<0x9> <dgraph.type> "Person"\n<0x9> <Person.name> "New"\n<0x8> <dgraph.type> "Place"\n<0x8> <Place.residents> <0x9>\n<0x9> <Person.home> <0x8>';
    await loadText(stack, { schema, rdf }, { newUids: true });
    expect(await ask(stack, '{ getPerson(name: "New") { home { residents { name } } } aggregatePlace { count } }')).toEqual({
      getPerson: { home: { residents: [{ name: "New" }] } },
      aggregatePlace: { count: 3 },
    });
  });
});
