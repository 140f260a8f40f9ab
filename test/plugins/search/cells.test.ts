import { describe, expect, it } from "vitest";
import type { Geometry } from "../../../core/index.ts";
import { searchTokens, tokensOf } from "../../../plugins/search/geo/cells.ts";
import { angleOf, intersect, isNear, isWithin, type Region, regionOf } from "../../../plugins/search/geo/region.ts";
import fc from "../../support/properties.ts";
import { anyGeometry, anyPlace, degenerate } from "./random-places.ts";

const box = (west: number, south: number, east: number, north: number): Geometry => ({
  type: "Polygon",
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
});
const at = (longitude: number, latitude: number): Geometry => ({ type: "Point", coordinates: [longitude, latitude] });

function share(value: Geometry, wanted: Region, radius = 0): boolean {
  const tokens = new Set(tokensOf(value));
  return searchTokens(wanted, radius)?.some((token) => tokens.has(token)) ?? true;
}

describe("cells", () => {
  it("of a point are the squares around it, from 2,000 km to 150 m", () => {
    expect(tokensOf(at(10, 50))).toHaveLength(8);
  });

  it("of a small area are few", () => {
    expect(tokensOf(box(10, 50, 10.001, 50.001)).length).toBeLessThan(30);
    expect(searchTokens(regionOf(box(10, 50, 11, 51)))?.length).toBeLessThan(45);
  });

  it("differ for distant places; near places may share some", () => {
    expect(share(at(10.5, 50.5), regionOf(box(10, 50, 11, 51)))).toBe(true);
    expect(share(at(14, 50.5), regionOf(box(10, 50, 11, 51)))).toBe(false);
    expect(share(at(10, 50), regionOf(at(10.0005, 50)), angleOf(100))).toBe(true);
    expect(share(at(10, 50), regionOf(at(10.1, 50)), angleOf(100))).toBe(false);
  });

  it("are not looked up for half the globe or more", () => {
    expect(searchTokens(regionOf(at(0, 0)), angleOf(10_100_000))).toBeUndefined();
    expect(searchTokens(regionOf(at(0, 0)), angleOf(9_900_000))).toBeDefined();
  });

  it.each([
    ["a border on the border of two cells", box(40, 0, 45, 5), box(45, 0, 50, 5)],
    ["a corner on a corner of cells", box(40, -5, 45, 0), box(45, 0, 50, 5)],
    ["the date line", box(175, 10, 180, 20), box(-180, 10, -175, 20)],
    ["the equator", box(1, -1, 2, 0), box(1, 0, 2, 1)],
  ])("are shared by areas that touch at %s", (_, one, other) => {
    expect(intersect(regionOf(one), regionOf(other))).toBe(true);
    expect(share(one, regionOf(other))).toBe(true);
    expect(share(other, regionOf(one))).toBe(true);
  });

  const anyValue = fc.oneof(
    anyPlace.map(([longitude, latitude]) => at(longitude, latitude)),
    anyGeometry("Polygon"),
    anyGeometry("MultiPolygon"),
  );

  it("are shared by geometries within the radius", () => {
    const metres = fc.constantFrom(0.001, 1, 111.2, 1_000, 111_195, 1e6, 9e6);
    let near = 0;
    fc.assert(
      fc.property(anyValue, anyPlace, metres, (value, place, distance) => {
        const center = regionOf(at(...place));
        const radius = angleOf(distance);
        if (!isNear(regionOf(value), center, radius)) return;
        near++;
        expect(share(value, center, radius)).toBe(true);
      }),
      { numRuns: 1_500 },
    );
    expect(near).toBeGreaterThan(50);
  }, 60_000);

  it("are shared by geometries that contain each other or touch", () => {
    let related = 0;
    fc.assert(
      fc.property(anyValue, anyGeometry("MultiPolygon"), (value, geometry) => {
        if (degenerate(geometry) || degenerate(value)) return;
        const [region, wanted] = [regionOf(value), regionOf(geometry)];
        if (!isWithin(region, wanted) && !isWithin(wanted, region) && !intersect(region, wanted)) return;
        related++;
        expect(share(value, wanted)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(related).toBeGreaterThan(50);
  }, 60_000);
});
