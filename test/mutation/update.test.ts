// `update<T>`: operations.md 3.6. What `set` and `remove` make of values is in patch-fields.test.ts.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Player { id: ID!  badge: String! @id  name: String @search(by: [hash])  age: Int @search  pay: Float  since: DateTime  skills: [String!]
      mail: String @id  room: Room  songs: [Song!]  changed: String @default(update: {value: "yes"}) }
    type Room { id: ID!  door: String! @search(by: [hash])  floor: Int }
    type Song { code: String! @id  title: String }
    interface Thing { id: ID!  label: String! @id  value: Int @search }
    type Chair implements Thing { legs: Int }
    type Lamp implements Thing { watts: Int }
  `);
});
beforeEach(async () => {
  await api.run(`mutation { a: deletePlayer(filter: {}) { numUids } b: deleteSong(filter: {}) { numUids } c: deleteRoom(filter: {}) { numUids } d: deleteThing(filter: {}) { numUids }
    e: addPlayer(input: [{badge: "p1", name: "Ann", age: 30, skills: ["oboe"], room: {door: "r1"}, songs: [{code: "s1", title: "One"}, {code: "s2"}], mail: "m1"}, {badge: "p2", age: 40}, {badge: "p3", age: 50}]) { numUids }
    f: addChair(input: [{label: "c1", value: 1}]) { numUids } g: addLamp(input: [{label: "l1", value: 2}]) { numUids } }`);
});
afterAll(() => api.close());

const update = (input: string, fields = "badge age") =>
  `mutation { updatePlayer(input: {${input}}) { player(order: {asc: badge}) { ${fields} } numUids } }`;
const p1 = `filter: {badge: {eq: "p1"}}`;
const wrapped = (reason: string) => `couldn't rewrite mutation updatePlayer because failed to rewrite mutation payload because ${reason}`;

describe("which objects", () => {
  it("changes all nodes by {}, those of a filter, or none, without an error", async () => {
    expect(await api.run(update(`filter: {}, set: {pay: 1}`, "badge pay"))).toEqual({
      updatePlayer: { player: ["p1", "p2", "p3"].map((badge) => ({ badge, pay: 1 })), numUids: 3 },
    });
    expect(await api.run(update(`filter: {age: {gt: 35}}, set: {pay: 2}`, "badge"))).toEqual({
      updatePlayer: { player: [{ badge: "p2" }, { badge: "p3" }], numUids: 2 },
    });
    expect(await api.run(update(`filter: {badge: {eq: "none"}}, set: {songs: [{code: "ghost"}]}`))).toEqual({
      updatePlayer: { player: [], numUids: 0 },
    });
    expect(await api.run(`{ getSong(code: "ghost") { code } }`)).toEqual({ getSong: null });
  });

  it("refuses a filter that covers everything only through nulls", async () => {
    for (const filter of ["{age: null}", "{age: {}}", "{and: []}", "{and: [{age: null}]}"]) {
      const { data, errors } = await api.send(update(`filter: ${filter}, set: {pay: 9}`));
      expect([data, errors]).toEqual([
        { updatePlayer: null },
        [
          {
            message:
              "couldn't rewrite mutation updatePlayer because its filter selects every object only through nulls; write filter: {} to mean all",
            path: ["updatePlayer"],
          },
        ],
      ]);
    }
    expect(await api.run(`{ queryPlayer(filter: {has: pay}) { badge } }`)).toEqual({ queryPlayer: [] });
  });

  it("lists changed objects in the payload even if they no longer match", async () => {
    expect(await api.run(update(`filter: {age: {eq: 30}}, set: {age: 31}`))).toEqual({
      updatePlayer: { player: [{ badge: "p1", age: 31 }], numUids: 1 },
    });
  });

  it("changes nothing and returns no node without set and remove", async () => {
    for (const input of [p1, `${p1}, set: {}, remove: {}`, `${p1}, set: null, remove: null`]) {
      expect(await api.run(update(input))).toEqual({ updatePlayer: { player: [], numUids: 0 } });
    }
  });

  it("an empty set beside a remove counts as absent", async () => {
    expect(await api.run(update(`${p1}, set: {}, remove: {age: 30}`, "age changed"))).toEqual({
      updatePlayer: { player: [{ age: null, changed: null }], numUids: 1 },
    });
  });

  it("changes every implementing type through an interface, with the interface's fields only", async () => {
    expect(
      await api.run(
        `mutation { updateThing(input: {filter: {value: {ge: 1}}, set: {value: 7}}) { thing(order: {asc: label}) { __typename label value } numUids } }`,
      ),
    ).toEqual({
      updateThing: {
        thing: [
          { __typename: "Chair", label: "c1", value: 7 },
          { __typename: "Lamp", label: "l1", value: 7 },
        ],
        numUids: 2,
      },
    });
    expect(await api.run(`mutation { updateChair(input: {filter: {}, set: {value: 5}}) { numUids } }`)).toEqual({ updateChair: { numUids: 1 } });
    expect(await api.run(`{ queryThing(order: {asc: label}) { value } }`)).toEqual({ queryThing: [{ value: 5 }, { value: 7 }] });
  });

  it("changes more nodes than one slice holds", async () => {
    const input = Array.from({ length: 2500 }, (_, i) => ({ badge: `bulk${i}`, age: 1, skills: ["a"] }));
    await api.run(`mutation ($p: [AddPlayerInput!]!) { addPlayer(input: $p) { numUids } }`, { p: input });
    expect(
      await api.run(
        `mutation { updatePlayer(input: {filter: {age: {eq: 1}}, set: {age: 2, skills: ["b"], songs: [{code: "shared"}]}, remove: {skills: ["a"]}}) { numUids } }`,
      ),
    ).toEqual({ updatePlayer: { numUids: 2500 } });
    expect(
      await api.run(`{ aggregatePlayer(filter: {age: {eq: 2}}) { count } one: getPlayer(badge: "bulk2499") { skills songs { code } } }`),
    ).toEqual({
      aggregatePlayer: { count: 2500 },
      one: { skills: ["b"], songs: [{ code: "shared" }] },
    });
  });
});

describe("keys", () => {
  it("change to a free value", async () => {
    expect(await api.run(update(`${p1}, set: {badge: "p9", mail: "m9"}`, "badge mail"))).toEqual({
      updatePlayer: { player: [{ badge: "p9", mail: "m9" }], numUids: 1 },
    });
    expect(await api.run(update(`filter: {badge: {eq: "p2"}}, set: {badge: "p1"}`))).toEqual({
      updatePlayer: { player: [{ badge: "p1", age: 40 }], numUids: 1 },
    });
  });

  it("are refused if another node has the value, and accepted if the node itself has it", async () => {
    expect(await api.refused(update(`${p1}, set: {badge: "p2"}`))).toEqual([wrapped("id p2 already exists for field badge inside type Player")]);
    expect(await api.run(update(`${p1}, set: {badge: "p1"}`))).toEqual({ updatePlayer: { player: [{ badge: "p1", age: 30 }], numUids: 1 } });
    expect(await api.refused(`mutation { updateThing(input: {filter: {label: {eq: "l1"}}, set: {label: "c1"}}) { numUids } }`)).toEqual([
      "couldn't rewrite mutation updateThing because failed to rewrite mutation payload because id c1 already exists for field label inside type Thing",
    ]);
  });

  it("can be set on one object only", async () => {
    expect(await api.refused(update(`filter: {}, set: {badge: "px"}`))).toEqual([
      "mutation updatePlayer failed because only one node is allowed in the filter while updating fields with @id directive",
    ]);
    expect(await api.run(update(`filter: {badge: {eq: "none"}}, set: {badge: "px"}`))).toEqual({ updatePlayer: { player: [], numUids: 0 } });
  });

  it("ignore null, refuse the empty text, and are freed by remove", async () => {
    expect(await api.run(update(`${p1}, set: {badge: null, age: 60}`))).toEqual({ updatePlayer: { player: [{ badge: "p1", age: 60 }], numUids: 1 } });
    expect(await api.refused(update(`${p1}, set: {badge: ""}`))).toEqual([wrapped("encountered an empty value for @id field `Player.badge`")]);
    await api.run(update(`${p1}, remove: {mail: null}`));
    expect(await api.run(update(`filter: {badge: {eq: "p2"}}, set: {mail: "m1"}`, "mail"))).toEqual({
      updatePlayer: { player: [{ mail: "m1" }], numUids: 1 },
    });
  });
});

describe("links", () => {
  it("are added to lists and replaced in single fields; targets keep their values", async () => {
    expect(
      await api.run(
        update(
          `${p1}, set: {room: {door: "r2"}, songs: [{code: "s1", title: "Changed"}, {code: "s3"}]}`,
          "room { door } songs(order: {asc: code}) { code title }",
        ),
      ),
    ).toEqual({
      updatePlayer: {
        player: [
          {
            room: { door: "r2" },
            songs: [
              { code: "s1", title: "One" },
              { code: "s2", title: null },
              { code: "s3", title: null },
            ],
          },
        ],
        numUids: 1,
      },
    });
    expect(await api.run(`{ queryRoom(order: {asc: door}) { door } }`)).toEqual({ queryRoom: [{ door: "r1" }, { door: "r2" }] });
  });

  it("lead to one new object for all updated nodes", async () => {
    await api.run(update(`filter: {}, set: {room: {door: "both"}}`));
    expect(await api.run(`{ aggregateRoom(filter: {door: {eq: "both"}}) { count } queryPlayer { room { door } } }`)).toEqual({
      aggregateRoom: { count: 1 },
      queryPlayer: [1, 2, 3].map(() => ({ room: { door: "both" } })),
    });
  });

  it("are removed by key or by null, and not by the empty list", async () => {
    const songs = "songs(order: {asc: code}) { code }";
    expect(await api.run(update(`${p1}, remove: {songs: []}`, songs))).toEqual({
      updatePlayer: { player: [{ songs: [{ code: "s1" }, { code: "s2" }] }], numUids: 1 },
    });
    expect(await api.run(update(`${p1}, remove: {songs: [{code: "s2", title: "whatever"}]}`, songs))).toEqual({
      updatePlayer: { player: [{ songs: [{ code: "s1" }] }], numUids: 1 },
    });
    expect(await api.run(update(`${p1}, set: {songs: [{code: "s9"}]}, remove: {songs: null, room: null}`, `${songs} room { door }`))).toEqual({
      updatePlayer: { player: [{ songs: [], room: null }], numUids: 1 },
    });
    expect(await api.run(`{ querySong(order: {asc: code}) { code } }`)).toEqual({ querySong: [{ code: "s1" }, { code: "s2" }, { code: "s9" }] });
  });

  it("that do not exist are ignored by remove", async () => {
    await api.run(`mutation { addSong(input: [{code: "other"}]) { numUids } }`);
    expect(await api.run(update(`${p1}, remove: {songs: [{code: "other"}]}`, "songs(order: {asc: code}) { code }"))).toEqual({
      updatePlayer: { player: [{ songs: [{ code: "s1" }, { code: "s2" }] }], numUids: 1 },
    });
  });

  it("to unknown objects are refused", async () => {
    for (const remove of [`{room: {}}`, `{room: {door: "r1"}}`, `{songs: [{code: "unknown"}]}`, `{songs: [{code: "never", title: "N"}]}`]) {
      expect(await api.refused(update(`${p1}, remove: ${remove}`))).toEqual([wrapped("id is not provided")]);
    }
  });

  it("are removed when one update sets and removes them", async () => {
    expect(await api.run(update(`${p1}, set: {songs: [{code: "s2"}]}, remove: {songs: [{code: "s2"}]}`, "songs { code }"))).toEqual({
      updatePlayer: { player: [{ songs: [{ code: "s1" }] }], numUids: 1 },
    });
  });
});

describe("defaults and bad values", () => {
  it("apply to a set that does not name the field, and not to a remove", async () => {
    expect(await api.run(update(`${p1}, set: {age: 1}`, "changed"))).toEqual({ updatePlayer: { player: [{ changed: "yes" }], numUids: 1 } });
    expect(await api.run(update(`filter: {badge: {eq: "p2"}}, set: {changed: null, age: 2}`, "changed"))).toEqual({
      updatePlayer: { player: [{ changed: null }], numUids: 1 },
    });
    expect(await api.run(update(`filter: {badge: {eq: "p3"}}, remove: {age: 50}`, "changed"))).toEqual({
      updatePlayer: { player: [{ changed: null }], numUids: 1 },
    });
  });

  it("roll back the mutation for an invalid date", async () => {
    const [message] = await api.refused(update(`${p1}, set: {age: 99, since: "tomorrow", songs: [{code: "undone"}]}`));
    expect(message).toMatch(/^mutation updatePlayer failed because Dgraph execution failed because parsing time "tomorrow"/);
    expect(await api.run(`{ getPlayer(badge: "p1") { age } getSong(code: "undone") { code } }`)).toEqual({ getPlayer: { age: 30 }, getSong: null });
  });
});
