// `contains` with areas that have holes.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack("type Park { name: String! @id  area: Polygon @search  parts: MultiPolygon @search }");
  const withHole = { coordinates: [square(20, 50, 24, 54), square(21, 51, 23, 53)] };
  const input = [
    { name: "whole", area: { coordinates: [square(20, 50, 24, 54)] } },
    { name: "holed", area: withHole },
    { name: "parts", parts: { polygons: [{ coordinates: [square(0, 0, 1, 1)] }, withHole] } },
    { name: "elsewhere", area: { coordinates: [square(40, 50, 44, 54), square(41, 51, 43, 53)] } },
  ];
  await dql.run("mutation ($input: [AddParkInput!]!) { addPark(input: $input) { numUids } }", { input });
});
afterAll(() => dql?.stack.remove());

function square(west: number, south: number, east: number, north: number) {
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { points: corners.map(([longitude, latitude]) => ({ longitude, latitude })) };
}

describe("contains", () => {
  it.each([
    ["area", "[22, 52]", ["whole", "holed"]],
    ["area", "[20.5, 52]", ["whole", "holed"]],
    ["area", "[25, 52]", []],
    ["area", "[[[21.5, 51.5], [22, 51.5], [22, 52], [21.5, 52], [21.5, 51.5]]]", ["whole", "holed"]],
    ["parts", "[22, 52]", ["parts"]],
    ["parts", "[10, 10]", []],
  ])("finds the areas around what lies in their holes: %s, %s", async (field, place, names) => {
    const call = `contains(Park.${field}, ${place})`;
    const found = names.map((name) => ({ "Park.name": name }));
    expect(await dql.ask(`{ q(func: ${call}) { Park.name } r(func: type(Park)) @filter(${call}) { Park.name } }`)).toEqual({ q: found, r: found });
  });

  it("leaves holes outside in the filters of the API", async () => {
    const asked = await dql.run("{ queryPark(filter: { area: { contains: { point: { longitude: 22, latitude: 52 } } } }) { name } }");
    expect(asked).toEqual({ queryPark: [{ name: "whole" }] });
  });
});
