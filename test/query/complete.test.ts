import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";

const fleet = `
  enum Flag { RED BLUE }
  type Fleet { name: String! @id  ships: [Ship] @hasInverse(field: fleet)  must: Ship  firm: [Ship!]  full: [Ship!]!  notes: [String!]!  flags: [Flag]  harbor: Point  area: Polygon  areas: MultiPolygon  spots: [Point] }
  type Ship { hull: String! @id  fleet: Fleet  flag: Flag  length: Int  since: DateTime  load: Float  serial: Int64  sold: Boolean }
`;
/** Values that were not asked for when the data were written. */
const stricter = fleet.replace("length: Int", "length: Int!").replace("must: Ship", "must: Ship!");

async function navy() {
  const api = await deploy(fleet);
  await api.seed({
    east: ["Fleet", { name: "east", ships: ["s1", "s2"], firm: ["s1", "s2"], full: ["s1", "s2"], notes: ["b", "a"], flags: ["RED", "BLUE"] }],
    west: ["Fleet", { name: "west", must: "s3" }],
    s1: ["Ship", { hull: "s1", flag: "RED" }],
    s2: ["Ship", { hull: "s2", flag: "BLUE", length: 7 }],
    s3: ["Ship", { hull: "s3" }],
  });
  return api;
}

const missing = (field: string, type: string, path: (string | number)[], column: number) => ({
  message: `Non-nullable field '${field}' (type ${type}) was not present in result from Dgraph.  GraphQL error propagation triggered.`,
  locations: [{ line: 1, column }],
  path,
});

describe("missing values", () => {
  it("are null, and lists are empty whatever their type says", async () => {
    const api = await navy();
    expect(
      await api.ask(
        `{ getShip(hull: "s3") { length flag fleet { name } } getFleet(name: "west") { ships { hull } firm { hull } full { hull } notes flags harbor { longitude } } }`,
      ),
    ).toEqual({
      data: { getShip: { length: null, flag: null, fleet: null }, getFleet: { ships: [], firm: [], full: [], notes: [], flags: [], harbor: null } },
    });
  });

  it("of non-null fields make their object null, with one error each", async () => {
    const api = await (await navy()).redeploy(stricter);
    expect(await api.ask("{ queryShip { hull length } }")).toEqual({
      data: { queryShip: [null, { hull: "s2", length: 7 }, null] },
      errors: [missing("length", "Int!", ["queryShip", 0, "length"], 20), missing("length", "Int!", ["queryShip", 2, "length"], 20)],
    });
  });

  it("stop an object at the first one, in the order of the answer", async () => {
    const api = await (await navy()).redeploy(stricter);
    expect(await api.ask(`{ x: getShip(hull: "s1") { a: length b: length } y: getShip(hull: "s1") { hull } }`)).toEqual({
      data: { x: null, y: { hull: "s1" } },
      errors: [missing("length", "Int!", ["x", "a"], 28)],
    });
  });

  it("propagate through lists as their types require", async () => {
    const api = await (await navy()).redeploy(stricter.replace("must: Ship!", "must: Ship"));
    expect(
      await api.ask(
        `{ a: getFleet(name: "east") { ships { length } } b: getFleet(name: "east") { firm { length } name } c: getFleet(name: "east") { name full { length } } }`,
      ),
    ).toEqual({
      data: { a: { ships: [null, { length: 7 }] }, b: { firm: null, name: "east" }, c: null },
      errors: [
        missing("length", "Int!", ["a", "ships", 0, "length"], 39),
        missing("length", "Int!", ["b", "firm", 0, "length"], 85),
        missing("length", "Int!", ["c", "full", 0, "length"], 141),
      ],
    });
  });

  it("include links, and links whose target the filter removes", async () => {
    const api = await (await navy()).redeploy(stricter);
    expect(
      await api.ask(
        `{ a: getFleet(name: "east") { must { hull } } b: getFleet(name: "west") { must(filter: {hull: {eq: "s9"}}) { hull } } c: getFleet(name: "west") { must { hull } } }`,
      ),
    ).toEqual({
      data: { a: null, b: null, c: { must: { hull: "s3" } } },
      errors: [missing("must", "Ship!", ["a", "must"], 31), missing("must", "Ship!", ["b", "must"], 75)],
    });
  });
});

describe("values that no longer fit", () => {
  it("are null with an error that shows them", async () => {
    const api = await (await navy()).redeploy(fleet.replace("RED BLUE", "BLUE GREEN"));
    expect(await api.ask("{ queryShip { hull flag } queryFleet { flags } }")).toEqual({
      data: {
        queryShip: [
          { hull: "s1", flag: null },
          { hull: "s2", flag: "BLUE" },
          { hull: "s3", flag: null },
        ],
        queryFleet: [{ flags: [null, "BLUE"] }, { flags: [] }],
      },
      errors: [
        {
          message: `Error coercing value '"RED"' for field 'flag' to type Flag.`,
          locations: [{ line: 1, column: 20 }],
          path: ["queryShip", 0, "flag"],
        },
        {
          message: `Error coercing value '"RED"' for field 'flags' to type Flag.`,
          locations: [{ line: 1, column: 40 }],
          path: ["queryFleet", 0, "flags", 0],
        },
      ],
    });
  });

  it("include texts of another kind", async () => {
    const before = await deploy("type Note { no: Int! @id  at: String  many: [String] }");
    await before.seed({ a: ["Note", { no: 1, at: "soon", many: ["7", "x"] }], b: ["Note", { no: 2, at: "2031-04-09" }] });
    const api = await before.redeploy("type Note { no: Int! @id  at: DateTime  many: [Int64!] }");
    const { data, errors } = await api.ask("{ queryNote { at many } }");
    expect(data).toEqual({
      queryNote: [
        { at: null, many: null },
        { at: "2031-04-09T00:00:00Z", many: [] },
      ],
    });
    expect(errors?.map(({ message, path }) => [message, path])).toEqual([
      [`Error coercing value '"soon"' for field 'at' to type DateTime.`, ["queryNote", 0, "at"]],
      [`Error coercing value '"x"' for field 'many' to type Int64.`, ["queryNote", 0, "many", 1]],
    ]);
  });

  it("make their object null without a second error in non-null positions", async () => {
    const api = await (await navy()).redeploy(fleet.replace("RED BLUE", "BLUE GREEN").replace("flag: Flag ", "flag: Flag! "));
    const { data, errors } = await api.ask(`{ queryShip(filter: {hull: {in: ["s1", "s2"]}}) { flag } }`);
    expect(data).toEqual({ queryShip: [null, { flag: "BLUE" }] });
    expect(errors?.map((error) => [error.message, error.path])).toEqual([
      [`Error coercing value '"RED"' for field 'flag' to type Flag.`, ["queryShip", 0, "flag"]],
    ]);
  });
});

describe("the text of values", () => {
  it("is the stored text", async () => {
    const api = await deploy(fleet);
    await api.seed({
      s: [
        "Ship",
        { hull: 'a"\\\n\u2028é🛥', length: -2147483648, since: "2031-04-09T06:00:00+02:00", load: 1e21, serial: -9223372036854775808n, sold: false },
      ],
    });
    expect(await api.ask("{ queryShip { hull length since load serial sold } }")).toEqual({
      data: {
        queryShip: [
          { hull: 'a"\\\n\u2028é🛥', length: -2147483648, since: "2031-04-09T06:00:00+02:00", load: 1e21, serial: -9223372036854775808n, sold: false },
        ],
      },
    });
  });

  it("writes geometries with the API's field names, as far as selected", async () => {
    const api = await deploy(fleet);
    const ring = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ];
    await api.seed({
      f: [
        "Fleet",
        {
          name: "f",
          harbor: { type: "Point", coordinates: [1.5, -2] },
          area: { type: "Polygon", coordinates: [ring] },
          areas: { type: "MultiPolygon", coordinates: [[ring]] },
          spots: [
            { type: "Point", coordinates: [3, 4] },
            { type: "Point", coordinates: [1, 2] },
          ],
        },
      ],
    });
    const points = ring.map(([longitude, latitude]) => ({ longitude, latitude }));
    expect(
      await api.ask(
        "{ queryFleet { harbor { __typename lat: latitude longitude } area { coordinates { points { longitude latitude } } } areas { polygons { __typename coordinates { __typename points { longitude } } } } spots { longitude } } }",
      ),
    ).toEqual({
      data: {
        queryFleet: [
          {
            harbor: { __typename: "Point", lat: -2, longitude: 1.5 },
            area: { coordinates: [{ points }] },
            areas: {
              polygons: [
                { __typename: "Polygon", coordinates: [{ __typename: "PointList", points: points.map(({ longitude }) => ({ longitude })) }] },
              ],
            },
            spots: [{ longitude: 3 }, { longitude: 1 }],
          },
        ],
      },
    });
  });
});
