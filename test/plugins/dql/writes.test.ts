// Mutations in DQL: what they write, what they refuse, and what the kernel promises about both.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

const schema = `
  enum Kind { FERRY CARGO }
  interface Thing { tag: String! @id  label: String @search(by: [exact]) }
  type Ship implements Thing { kind: Kind  crewSize: Int  names: [String]  at: Point  likers: [Sailor]  dock: Dock @hasInverse(field: ships) }
  type Dock { id: ID!  code: String! @id  title: String!  open: Boolean @default(add: { value: "true" })  ships: [Ship] }
  type Sailor @secret(field: "pin") { id: ID!  name: String! @search(by: [exact])  age: Int @search  likes: [Ship] @hasInverse(field: likers) }
`;

let dql: DqlStack;
let s: string;
let a: string;
beforeAll(async () => {
  dql = await dqlStack(schema);
});
beforeEach(async () => {
  await dql.run("mutation { deleteShip(filter: {}) { msg } deleteDock(filter: {}) { msg } deleteSailor(filter: {}) { msg } }");
  const { uids } = await dql.mutate(`{ set {
    _:s <Thing.tag> "s1" .
    _:s <Thing.label> "First" .
    _:s <dgraph.type> "Ship" .
    _:a <Sailor.name> "Ann" .
    _:a <dgraph.type> "Sailor" .
  } }`);
  s = uids?.s ?? "";
  a = uids?.a ?? "";
});
afterAll(() => dql?.stack.remove());

describe("a vote toggle", () => {
  const toggle = () =>
    dql.mutate(`upsert {
      query { l as var(func: uid(${a})) @filter(uid_in(Sailor.likes, ${s})) }
      mutation @if(eq(len(l), 0)) { set { <${a}> <Sailor.likes> <${s}> . <${s}> <Ship.likers> <${a}> . } }
      mutation @if(eq(len(l), 1)) { delete { <${a}> <Sailor.likes> <${s}> . <${s}> <Ship.likers> <${a}> . } }
    }`);
  const liked = () => dql.run("{ queryShip { likers { name } } querySailor { likes { tag } } }");

  it("sets the link from both sides, then deletes it, then sets it again", async () => {
    const on = { queryShip: [{ likers: [{ name: "Ann" }] }], querySailor: [{ likes: [{ tag: "s1" }] }] };
    const off = { queryShip: [{ likers: [] }], querySailor: [{ likes: [] }] };
    for (const expected of [on, off, on]) {
      expect(await toggle()).toMatchObject({ code: "Success", uids: {} });
      expect(await liked()).toEqual(expected);
    }
  });

  it("gives each of ten racing togglers one turn", async () => {
    await Promise.all(Array.from({ length: 10 }, toggle));
    expect(await liked()).toMatchObject({ queryShip: [{ likers: [] }] });
  });
});

describe("what is written", () => {
  it("links from both sides though one is named", async () => {
    const { uids } = await dql.mutate(`{ set { _:d <Dock.code> "d" . _:d <dgraph.type> "Dock" . <${s}> <Ship.dock> _:d . } }`);
    expect(await dql.ask(`{ q(func: uid(${uids?.d})) { Dock.ships { Thing.tag } } }`)).toEqual({ q: [{ "Dock.ships": [{ "Thing.tag": "s1" }] }] });
  });

  it("leaves no link to a node that is gone", async () => {
    await dql.mutate(`{ set { <${a}> <Sailor.likes> <${s}> . } }`);
    await dql.mutate(`{ delete { <${s}> * * . } }`);
    expect(await dql.run("{ querySailor { likes { tag } } queryShip { tag } }")).toEqual({ querySailor: [{ likes: [] }], queryShip: [] });
  });

  it("may lack required fields, and gets no default, as in Dgraph", async () => {
    await dql.mutate('{ set { _:d <Dock.code> "bare" . _:d <dgraph.type> "Dock" . } }');
    expect(await dql.run("{ queryDock { code open } }")).toEqual({ queryDock: [{ code: "bare", open: null }] });
    await expect(dql.run("{ queryDock { title } }")).rejects.toThrow(/title/);
  });

  it("of nodes without a type is kept for DQL, and GraphQL does not see it", async () => {
    const { uids } = await dql.mutate('{ set { _:x <Sailor.name> "Ghost" . _:x <Sailor.age> "9" . } }');
    const read = () => dql.ask('{ q(func: eq(Sailor.name, "Ghost")) { uid Sailor.age dgraph.type } }');
    expect(await read()).toEqual({ q: [{ uid: uids?.x, "Sailor.age": 9 }] });
    expect(await dql.run("{ querySailor { name } }")).toEqual({ querySailor: [{ name: "Ann" }] });
    await dql.mutate(`{ set { <${uids?.x}> <dgraph.type> "Sailor" . } }`);
    expect(await read()).toEqual({ q: [{ uid: uids?.x, "Sailor.age": 9, "dgraph.type": ["Sailor"] }] });
    expect(await dql.run("{ querySailor(order: { asc: name }) { name } }")).toEqual({ querySailor: [{ name: "Ann" }, { name: "Ghost" }] });
    await dql.mutate(`{ delete { <${uids?.x}> * * . } }`);
    expect(await read()).toEqual({ q: [] });
  });

  it("stores passwords as hashes, which checkPassword then knows", async () => {
    await dql.mutate(`{ set { <${a}> <Sailor.pin> "secret-1" . } }`);
    const check = (pin: string) => dql.run("query q($id: ID!, $pin: String!) { checkSailorPassword(id: $id, pin: $pin) { name } }", { id: a, pin });
    expect(await check("secret-1")).toEqual({ checkSailorPassword: { name: "Ann" } });
    expect(await check("secret-2")).toEqual({ checkSailorPassword: null });
    expect(await dql.mutationRefusal(`{ set { <${a}> <Sailor.pin> "short" . } }`)).toContain("at least 6 chars");
  });

  it("deletes before it sets, whatever the order of the blocks", async () => {
    await dql.mutate(`{ set { <${s}> <Thing.label> "Second" . } delete { <${s}> <Thing.label> * . } }`);
    await dql.mutate(JSON.stringify({ set: { uid: s, "Ship.names": ["new"] }, delete: { uid: s, "Ship.names": null } }));
    expect(await dql.ask("{ q(func: type(Ship)) { Thing.label Ship.names } }")).toEqual({ q: [{ "Thing.label": "Second", "Ship.names": ["new"] }] });
  });
});

describe("what is refused", () => {
  it.each([
    ["a value of no enum", (id: string) => `{ set { <${id}> <Ship.kind> "BLIMP" . } }`, "BLIMP"],
    ["an Int beyond 32 bits", (id: string) => `{ set { <${id}> <Ship.crewSize> "2147483648" . } }`, "32 bits"],
    [
      "a Polygon for a Point",
      (id: string) => `{ set { <${id}> <Ship.at> "{'type':'Polygon','coordinates':[[[0,0],[1,0],[1,1],[0,0]]]}" . } }`,
      "Point",
    ],
    ["a predicate that no field has", (id: string) => `{ set { <${id}> <Ship.colour> "red" . } }`, "Ship.colour"],
    ["facets", (id: string) => `{ set { <${id}> <Thing.label> "x" (since=2020) . } }`, "Facets"],
    ["facets in JSON", (id: string) => `{"set": {"uid": "${id}", "Thing.label|since": 2020}}`, "Facets"],
    ["a second node with a key", () => '{ set { _:x <Thing.tag> "s1" . _:x <dgraph.type> "Ship" . } }', "s1"],
  ])("is %s, and nothing of the request is written", async (_what, text, reason) => {
    const [before, after] = ["set {", 'set { _:o <Sailor.name> "Other" . _:o <dgraph.type> "Sailor" . '];
    expect(await dql.mutationRefusal(text(s).replace(before, after))).toContain(reason);
    expect(await dql.run("{ querySailor { name } queryShip { label kind crewSize } }")).toEqual({
      querySailor: [{ name: "Ann" }],
      queryShip: [{ label: "First", kind: null, crewSize: null }],
    });
  });

  it("is the whole of a request when its last mutation is wrong", async () => {
    await dql.mutationRefusal(JSON.stringify({ mutations: [{ set: { uid: a, "Sailor.age": 30 } }, { set: { uid: a, "Sailor.age": "old" } }] }));
    expect(await dql.run("{ querySailor { age } }")).toEqual({ querySailor: [{ age: null }] });
  });
});

describe("racing upserts of one key", () => {
  it("make one node, to which all write", async () => {
    const upsert = (age: number) =>
      dql.mutate(`upsert {
        query { v as var(func: eq(Dock.code, "race")) }
        mutation { set { uid(v) <Dock.code> "race" . uid(v) <dgraph.type> "Dock" . uid(v) <Dock.title> "${age}" . } }
      }`);
    await Promise.all([1, 2, 3, 4, 5, 6].map(upsert));
    expect(await dql.ask('{ q(func: eq(Dock.code, "race")) { count(uid) } }')).toEqual({ q: [{ count: 1 }] });
  });
});
