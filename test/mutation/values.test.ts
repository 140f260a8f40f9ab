// Values on their way in: lists as sets, dates, places, and what of them undoes the whole mutation (operations.md 1.10, 2.9, 3.10).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Reading { key: String! @id  real: Float  at: DateTime @search(by: [hour])  times: [DateTime!]  bigs: [Int64!]  texts: [String]
      spot: Point @search  area: Polygon @search  land: Polygon  areas: MultiPolygon  spots: [Point!] }
    type Ref { id: ID!  reading: Reading }
  `);
});
afterAll(() => api.close());

let count = 0;
async function stored(input: string, fields: string): Promise<unknown> {
  const { addReading } = (await api.run(`mutation { addReading(input: [{key: "k${count++}", ${input}}]) { reading { ${fields} } } }`)) as {
    addReading: { reading: unknown[] };
  };
  return addReading.reading[0];
}
const refused = (input: string) => api.refused(`mutation { addReading(input: [{key: "bad", ${input}}]) { numUids } }`);

describe("dates", () => {
  it.each([
    ['"2031"', "2031-01-01T00:00:00Z"],
    ['"2031-04-09T06:00:00.500+02:00"', "2031-04-09T06:00:00.5+02:00"],
    ["1900000000", "2030-03-17T17:46:40Z"],
  ])("%s is %s", async (given, at) => {
    expect(await stored(`at: ${given}`, "at")).toEqual({ at });
  });

  it("that are invalid roll back the mutation, unless their object is a reference", async () => {
    expect(await refused(`at: "2031-13-01"`)).toEqual([
      expect.stringMatching(/^mutation addReading failed because Dgraph execution failed because parsing time "2031-13-01"/),
    ]);
    expect(await api.run(`{ getReading(key: "bad") { key } }`)).toEqual({ getReading: null });
    await api.run(`mutation { addReading(input: [{key: "known"}]) { numUids } }`);
    expect(await api.run(`mutation { addRef(input: [{reading: {key: "known", at: "tomorrow"}}]) { ref { reading { key at } } } }`)).toEqual({
      addRef: { ref: [{ reading: { key: "known", at: null } }] },
    });
  });
});

describe("lists and numbers", () => {
  it("drop repeated values and keep the given order", async () => {
    expect(await stored(`bigs: [9223372036854775807, -1, 9223372036854775806, -1], texts: ["b", "", "B", "b"]`, "bigs texts")).toEqual({
      bigs: [9223372036854775807n, -1, 9223372036854775806n],
      texts: ["b", "", "B"],
    });
  });

  it("minus zero is zero", async () => {
    const { body } = await api.kernel.execute({ query: `mutation { addReading(input: [{key: "zero", real: -0.0}]) { reading { real } } }` });
    expect(body).toContain(`"real":0}`);
  });

  it("a null in a list is refused", async () => {
    expect(await refused(`texts: ["a", null]`)).toEqual([
      "mutation addReading failed because Dgraph execution failed because got unsupported type for list: Reading.texts",
    ]);
  });
});

describe("places", () => {
  const ring = (...points: readonly (readonly [number, number])[]) =>
    `{points: [${points.map(([longitude, latitude]) => `{longitude: ${longitude}, latitude: ${latitude}}`).join(", ")}]}`;
  const square = ring([0, 0], [10, 0], [10, 10], [0, 10], [0, 0]);
  const open = ring([0, 0], [10, 0], [10, 10], [0, 10]);
  const short = ring([0, 0], [10, 0], [0, 0]);

  it("are returned as given, also in lists and out of range", async () => {
    expect(
      await stored(
        `spot: {longitude: 200.5, latitude: -100}, spots: [{longitude: 3, latitude: 4}, {longitude: 1, latitude: 2}]`,
        "spot { longitude latitude } spots { longitude latitude }",
      ),
    ).toEqual({
      spot: { longitude: 200.5, latitude: -100 },
      spots: [
        { longitude: 3, latitude: 4 },
        { longitude: 1, latitude: 2 },
      ],
    });
    expect(await stored(`areas: {polygons: [{coordinates: [${short}]}]}`, "areas { polygons { coordinates { points { longitude } } } }")).toEqual({
      areas: { polygons: [{ coordinates: [{ points: [{ longitude: 0 }, { longitude: 10 }, { longitude: 0 }] }] }] },
    });
  });

  it("need closed rings if they are searchable; otherwise any ring is accepted", async () => {
    for (const rings of [open, short, ring(), ""]) expect(await stored(`land: {coordinates: [${rings}]}`, "key")).toHaveProperty("key");
    expect(await stored(`area: {coordinates: [${square}]}`, "area { coordinates { points { longitude } } }")).toHaveProperty("area");
    const failed = "mutation addReading failed because Dgraph execution failed because ";
    expect(await refused(`area: {coordinates: [${short}]}`)).toEqual([`${failed}Can't convert ring with less than 4 pts`]);
    expect(await refused(`area: {coordinates: [${ring()}]}`)).toEqual([`${failed}Can't convert ring with less than 4 pts`]);
    expect(await refused(`area: {coordinates: [${open}]}`)).toEqual([
      expect.stringContaining(`${failed}Last coordinate not same as first for polygon: `),
    ]);
    expect(await refused(`area: {coordinates: []}`)).toHaveLength(1);
  });

  it("accept numeric texts in variables", async () => {
    const answer = await api.run(`mutation ($r: [AddReadingInput!]!) { addReading(input: $r) { reading { spot { longitude latitude } } } }`, {
      r: [{ key: "text", spot: { longitude: "1.5", latitude: 2 } }],
    });
    expect(answer).toEqual({ addReading: { reading: [{ spot: { longitude: 1.5, latitude: 2 } }] } });
  });
});
