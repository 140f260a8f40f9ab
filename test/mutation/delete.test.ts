// `delete<T>`: operations.md 3.8.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groupingPlugin } from "../../plugins/grouping/index.ts";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Exhibit { id: ID!  inv: String! @id  name: String! @search(by: [hash])  value: Int @search  room: Room  lender: Lender @hasInverse(field: loans)
      similar: [Exhibit]  shown: [Show] @dgraph(pred: "shows") }
    type Room { id: ID!  door: String! @search(by: [hash])  guard: Guard! }
    type Guard { badge: String! @id }
    type Lender { login: String! @id  loans: [Exhibit] }
    type Show { title: String! @id  items: [Exhibit] @dgraph(pred: "~shows") }
    interface Asset { id: ID!  code: String! @id  price: Int @search }
    type Van implements Asset { wheels: Int }
    type Desk implements Asset { legs: Int }
    type Plan { name: String! @id  asset: Asset  assets: [Asset!] }
  `);
  await api.run(`mutation {
    addExhibit(input: [
      {inv: "e1", name: "Vase", value: 10, room: {door: "r1", guard: {badge: "g1"}}, lender: {login: "len"}, shown: [{title: "s1"}, {title: "s2"}]},
      {inv: "e2", name: "Vase", value: 20, lender: {login: "len"}, similar: [{inv: "e1"}], shown: [{title: "s1"}]},
      {inv: "e3", name: "Coin", value: 30, similar: [{inv: "e1"}, {inv: "e2"}]}]) { numUids }
    addVan(input: [{code: "v1", price: 1}, {code: "v2", price: 2}]) { numUids }
    addDesk(input: [{code: "d1", price: 1}]) { numUids }
    addPlan(input: [{name: "p", asset: {code: "v1"}, assets: [{code: "v1"}, {code: "d1"}, {code: "v2"}]}]) { numUids } }`);
});
afterAll(() => api.close());

describe("delete", () => {
  it("of no node is not an error, also for ids of other types and for invalid ids", async () => {
    for (const filter of [`{inv: {eq: "none"}}`, `{id: []}`, `{id: ["vase"]}`, `{id: ["0xfffffff"]}`, `{inv: {in: []}}`]) {
      expect(await api.run(`mutation { deleteExhibit(filter: ${filter}) { exhibit { inv } msg numUids } }`)).toEqual({
        deleteExhibit: { exhibit: [], msg: "No nodes were deleted", numUids: 0 },
      });
    }
  });

  it("refuses a filter that covers everything only through nulls", async () => {
    expect(await api.refused(`mutation { deleteExhibit(filter: {value: null}) { msg } }`)).toEqual([
      "couldn't rewrite mutation deleteExhibit because its filter selects every object only through nulls; write filter: {} to mean all",
    ]);
    expect(await api.run(`{ aggregateExhibit { count } }`)).toEqual({ aggregateExhibit: { count: 3 } });
  });

  it("returns the deleted objects and removes their links on every side, one-way links included", async () => {
    const answer = await api.run(
      `mutation { deleteExhibit(filter: {inv: {eq: "e1"}}) { msg numUids exhibit { inv room { guard { badge } } lender { loans(order: {asc: inv}) { inv } } shown(order: {asc: title}) { title } } } }`,
    );
    expect(answer).toEqual({
      deleteExhibit: {
        msg: "Deleted",
        numUids: 1,
        exhibit: [
          {
            inv: "e1",
            room: { guard: { badge: "g1" } },
            lender: { loans: [{ inv: "e1" }, { inv: "e2" }] },
            shown: [{ title: "s1" }, { title: "s2" }],
          },
        ],
      },
    });
    expect(
      await api.run(
        `{ queryRoom { door } getLender(login: "len") { loans { inv } } queryShow(order: {asc: title}) { items { inv } } queryExhibit(order: {asc: inv}) { inv similar { inv } } }`,
      ),
    ).toEqual({
      queryRoom: [{ door: "r1" }],
      getLender: { loans: [{ inv: "e2" }] },
      queryShow: [{ items: [{ inv: "e2" }] }, { items: [] }],
      queryExhibit: [
        { inv: "e2", similar: [] },
        { inv: "e3", similar: [{ inv: "e2" }] },
      ],
    });
  });

  it("frees the key at once; a new object with that key has no old data", async () => {
    expect(
      await api.run(
        `mutation { d: deleteExhibit(filter: {inv: {eq: "e2"}}) { numUids } a: addExhibit(input: [{inv: "e2", name: "Fresh"}]) { exhibit { name value lender { login } } } }`,
      ),
    ).toEqual({
      d: { numUids: 1 },
      a: { exhibit: [{ name: "Fresh", value: null, lender: null }] },
    });
    expect(await api.run(`{ getExhibit(inv: "e3") { similar { inv } } }`)).toEqual({ getExhibit: { similar: [] } });
  });

  it("succeeds although its payload has errors", async () => {
    await api.run(`mutation { deleteGuard(filter: {}) { numUids } }`);
    const { data, errors } = await api.send(
      `mutation { d: deleteRoom(filter: {}) { room { guard { badge } } msg } a: addGuard(input: [{badge: "g9"}]) { numUids } }`,
    );
    expect(data).toEqual({ d: { room: [null], msg: "Deleted" }, a: { numUids: 1 } });
    expect(errors).toHaveLength(1);
    expect(await api.run(`{ queryRoom { door } }`)).toEqual({ queryRoom: [] });
  });

  it("through an interface deletes objects of every implementing type; through a type, only of that type", async () => {
    expect(await api.run(`mutation { deleteAsset(filter: {price: {eq: 1}}) { asset(order: {asc: code}) { __typename code } numUids } }`)).toEqual({
      deleteAsset: {
        asset: [
          { __typename: "Desk", code: "d1" },
          { __typename: "Van", code: "v1" },
        ],
        numUids: 2,
      },
    });
    expect(await api.run(`{ getPlan(name: "p") { asset { code } assets { code } } }`)).toEqual({
      getPlan: { asset: null, assets: [{ code: "v2" }] },
    });
    expect(await api.run(`mutation { deleteDesk(filter: {code: {eq: "v2"}}) { numUids } }`)).toEqual({ deleteDesk: { numUids: 0 } });
  });

  it("deletes everything, and nothing the second time", async () => {
    expect(await api.run(`mutation { a: deleteExhibit(filter: {}) { numUids msg } b: deleteExhibit(filter: {}) { numUids msg } }`)).toEqual({
      a: { numUids: 2, msg: "Deleted" },
      b: { numUids: 0, msg: "No nodes were deleted" },
    });
  });
});

describe("a payload that cannot be read", () => {
  const unreadable = "van(filter: {not: {price: null}}) { code }";

  it("is reported with its reason and does not undo the mutation", async () => {
    await api.run(`mutation { addVan(input: [{code: "v9", price: 9}]) { numUids } }`);
    const { data, errors } = await api.send(
      `mutation { a: addVan(input: [{code: "v10"}]) { ${unreadable} } d: deleteVan(filter: {code: {eq: "v9"}}) { ${unreadable} } n: addVan(input: []) { numUids } }`,
    );
    expect(data).toEqual({ a: { van: null }, d: { van: null }, n: { numUids: 0 } });
    expect(errors?.map((each) => [each.message.split(" because ")[0], each.path])).toEqual([
      ["couldn't execute query for mutation addVan", ["a", "van"]],
      ["couldn't execute query for mutation deleteVan", ["d", "van"]],
    ]);
    expect(await api.run(`{ v9: getAsset(code: "v9") { code } v10: getAsset(code: "v10") { code } }`)).toEqual({ v9: null, v10: { code: "v10" } });
  });

  it("still says what was written, and the code of each error says that it is committed", async () => {
    const { data, errors } = await api.send(
      `mutation { addVan(input: [{code: "v11"}, {code: "v12"}]) { __typename one: ${unreadable} n: numUids other: ${unreadable} } deleteVan(filter: {code: {in: ["v11", "v12"]}}) { msg ${unreadable} numUids } }`,
    );
    expect(data).toEqual({
      addVan: { __typename: "AddVanPayload", one: null, n: 2, other: null },
      deleteVan: { msg: "Deleted", van: null, numUids: 2 },
    });
    expect(errors?.map(({ path, extensions }) => [path, extensions])).toEqual(
      [
        ["addVan", "one"],
        ["addVan", "other"],
        ["deleteVan", "van"],
      ].map((path) => [path, { code: "COMMITTED" }]),
    );
  });
});

describe("deletes of all nodes at both ends of a type", () => {
  it("leave the counts, groups, pages and links of those between, and a new index has them", async () => {
    const schema = (search: string) => `
      type Seat @groupBy(fields: ["row"]) { n: Int! @id  row: String @search(by: [hash])  tone: String ${search}  hall: Hall }
      type Hall { name: String! @id  seats: [Seat] @hasInverse(field: hall) }`;
    const hall = await deploy(schema(""), [groupingPlugin()]);
    const input = Array.from({ length: 1_300 }, (_, n) => ({ n, row: n % 2 === 0 ? "even" : "odd", tone: `t${n % 3}`, hall: { name: "Main" } }));
    await hall.run("mutation ($input: [AddSeatInput!]!) { addSeat(input: $input) { numUids } }", { input });
    // Few at a time: a list of nodes holds what its parts lost beside them, until these are many.
    const numbers = input.map(({ n }) => n).filter((n) => n < 280 || n >= 1_010);
    for (let i = 0; i < numbers.length; i += 10)
      await hall.run("mutation ($in: [Int!]) { deleteSeat(filter: { n: { in: $in } }) { numUids } }", { in: numbers.slice(i, i + 10) });
    await hall.kernel.deploy(schema("@search(by: [hash])"));
    const half = { count: 365 };
    expect(
      await hall.run(`{
        aggregateSeat { count nMin nMax }
        groupSeat(by: [{ field: row }]) { key { row } count }
        first: querySeat(first: 1) { n }
        even: aggregateSeat(filter: { row: { eq: "even" } }) { count nMin nMax }
        t1: aggregateSeat(filter: { tone: { eq: "t1" } }) { count nMin nMax }
        getHall(name: "Main") { seatsAggregate { count nMin nMax } last: seats(first: 1, offset: 729) { n } none: seats(first: 1, offset: 730) { n } }
      }`),
    ).toEqual({
      aggregateSeat: { count: 730, nMin: 280, nMax: 1_009 },
      groupSeat: [
        { key: { row: "even" }, ...half },
        { key: { row: "odd" }, ...half },
      ],
      first: [{ n: 280 }],
      even: { ...half, nMin: 280, nMax: 1_008 },
      t1: { count: 244, nMin: 280, nMax: 1_009 },
      getHall: { seatsAggregate: { count: 730, nMin: 280, nMax: 1_009 }, last: [{ n: 1_009 }], none: [] },
    });
    await hall.close();
  });
});
