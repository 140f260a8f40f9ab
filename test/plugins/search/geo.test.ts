import { describe, expect, it } from "vitest";
import type { Geometry, Point, Polygon, Position } from "../../../core/index.ts";
import fc from "../../support/properties.ts";
import { field } from "./harness.ts";

type Box = readonly [west: number, south: number, east: number, north: number];

function corners([west, south, east, north]: Box): readonly Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}
const at = (longitude: number, latitude: number): Point => ({ type: "Point", coordinates: [longitude, latitude] });
const area = (...boxes: readonly Box[]): Polygon => ({ type: "Polygon", coordinates: boxes.map(corners) });
const areas = (...boxes: readonly Box[]): Geometry => ({ type: "MultiPolygon", coordinates: boxes.map((box) => [corners(box)]) });

const coordinate = (longitude: number, latitude: number) => ({ longitude, latitude });
const ring = (positions: readonly Position[]) => ({ points: positions.map(([longitude, latitude]) => ({ longitude, latitude })) });
const polygon = (...boxes: readonly Box[]) => ({ coordinates: boxes.map((box) => ring(corners(box))) });
const near = (longitude: number, latitude: number, distance: number) => ({ near: { coordinate: coordinate(longitude, latitude), distance } });
const within = (...boxes: readonly Box[]) => ({ within: { polygon: polygon(...boxes) } });

describe("points", () => {
  const { find, filter, refusal } = field("Point @search");
  it("have near and within", () => expect(filter.input).toBe("PointGeoFilter"));

  it.each([
    // One degree of longitude at 50 degrees north is 71,474 m.
    ["71.4 m fall short of a thousandth of a degree", at(10.001, 50), near(10, 50, 71.4), false],
    ["71.5 m reach it", at(10.001, 50), near(10, 50, 71.5), true],
    ["the place itself", at(10, 50), near(10, 50, 0.001), true],
    ["over the date line", at(-179.999, 0), near(180, 0, 112), true],
    ["over the date line, too far", at(-179.999, 0), near(180, 0, 111), false],
    ["180 and -180 are one place", at(-180, 10), near(180, 10, 0.001), true],
    ["over the pole", at(0, 89.999), near(180, 89.999, 223), true],
    ["a pole has any longitude", at(77, 90), near(0, 90, 0.001), true],
    ["half the globe", at(180, 0), near(0, 0, 20_015_087), true],
    ["not quite half the globe", at(180, 0), near(0, 0, 20_015_086), false],
    ["more than the globe", at(12, -30), near(0, 0, 1e9), true],
  ])("are near up to the distance on the sphere: %s", (_, value, operand, found) => {
    expect(find(operand, [value])).toEqual(found ? [value] : []);
  });

  it.each([
    ["inside", at(10.5, 50.5), within([10, 50, 11, 51]), true],
    ["outside", at(11.5, 50.5), within([10, 50, 11, 51]), false],
    ["on each corner, south west", at(10, 50), within([10, 50, 11, 51]), true],
    ["north east", at(11, 51), within([10, 50, 11, 51]), true],
    ["north west", at(10, 51), within([10, 50, 11, 51]), true],
    ["south east", at(11, 50), within([10, 50, 11, 51]), true],
    ["on an edge", at(11, 50.5), within([10, 50, 11, 51]), true],
    ["a metre beyond the edge", at(11.00002, 50.5), within([10, 50, 11, 51]), false],
    ["in a hole", at(22, 52), within([20, 50, 24, 54], [21, 51, 23, 53]), false],
    ["on the rim of a hole", at(21, 52), within([20, 50, 24, 54], [21, 51, 23, 53]), true],
    ["beside the hole", at(20.5, 52), within([20, 50, 24, 54], [21, 51, 23, 53]), true],
    ["across the date line", at(-179.9, 0), within([179, -1, -179, 1]), true],
    ["on the far side of the date line", at(0, 0), within([179, -1, -179, 1]), false],
  ])("are within an area up to its border: %s", (_, value, operand, found) => {
    expect(find(operand, [value])).toEqual(found ? [value] : []);
  });

  it("are found within a ring around the pole", () => {
    const cap = {
      coordinates: [
        ring([
          [0, 80],
          [90, 80],
          [180, 80],
          [-90, 80],
          [0, 80],
        ]),
      ],
    };
    expect(find({ within: { polygon: cap } }, [at(33, 90), at(45, 86), at(45, 70), at(0, -90)])).toEqual([at(33, 90), at(45, 86)]);
  });

  it("are found within a ring whatever its direction", () => {
    const reversed = { coordinates: [ring([...corners([10, 50, 11, 51])].reverse())] };
    expect(find({ within: { polygon: reversed } }, [at(10.5, 50.5), at(0, 0)])).toEqual([at(10.5, 50.5)]);
  });

  it("has geodesic edges, which bend towards the pole", () => {
    const wide = within([0, 50, 40, 51]);
    expect(find(wide, [at(20, 50.5)])).toEqual([]);
    expect(find(wide, [at(20, 52)])).toEqual([at(20, 52)]);
  });

  it("never matches a missing value; null is no condition", () => {
    expect(find(near(0, 0, 1e9), [undefined])).toEqual([]);
    expect(find({ near: null }, [undefined, at(1, 1)])).toEqual([undefined, at(1, 1)]);
  });

  it("matches any point of a list", () => {
    expect(field("[Point] @search").find(near(1, 2, 10), [[at(50, 50), at(1, 2)], [at(50, 50)]])).toEqual([[at(50, 50), at(1, 2)]]);
  });

  it.each([
    ["Distance cannot be negative", near(10, 50, -1)],
    ["Invalid max distance specified for a near query", near(10, 50, 0)],
    [
      "Last coord not same as first",
      {
        within: {
          polygon: {
            coordinates: [
              ring([
                [1, 1],
                [2, 1],
                [2, 2],
                [1, 2],
              ]),
            ],
          },
        },
      },
    ],
    [
      "Last coord not same as first",
      {
        within: {
          polygon: {
            coordinates: [
              ring(corners([0, 0, 9, 9])),
              ring([
                [1, 1],
                [2, 1],
                [2, 2],
              ]),
            ],
          },
        },
      },
    ],
    ["a ring of a polygon has no points", { within: { polygon: { coordinates: [ring([])] } } }],
    ["a polygon needs at least one ring of coordinates", { within: { polygon: { coordinates: [] } } }],
    [
      "a ring of a polygon needs at least three different points",
      {
        within: {
          polygon: {
            coordinates: [
              ring([
                [1, 1],
                [2, 2],
                [1, 1],
              ]),
            ],
          },
        },
      },
    ],
  ])("refuses: %s", (message, operand) => {
    expect(refusal(operand)).toBe(message);
  });
});

describe("areas", () => {
  const { find, filter, refusal } = field("Polygon @search");
  const contains = (...boxes: readonly Box[]) => ({ contains: { polygon: polygon(...boxes) } });
  const intersects = (...boxes: readonly Box[]) => ({ intersects: { polygon: polygon(...boxes) } });
  const park = area([10, 50, 11, 51]);
  const ringed = area([20, 50, 24, 54], [21, 51, 23, 53]);
  const notched: Polygon = {
    type: "Polygon",
    coordinates: [
      [
        [0, 0],
        [4, 0],
        [4, 4],
        [2, 1],
        [0, 4],
        [0, 0],
      ],
    ],
  };

  it.each([
    ["near: inside", park, near(10.5, 50.5, 1), true],
    ["near: 7.1 km beside", park, near(9.9, 50.5, 7_100), true],
    ["near: 7 km beside", park, near(9.9, 50.5, 7_000), false],
    ["near: in a hole, to its rim", ringed, near(21.01, 52, 700), true],
    ["near: in a hole, short of its rim", ringed, near(22, 52, 1_000), false],
    ["within a larger one", park, within([9, 49, 12, 52]), true],
    ["within itself", park, within([10, 50, 11, 51]), true],
    ["within one that shares a side", park, within([10, 49.9, 12, 52]), true],
    ["not within one that it crosses", park, within([10.5, 49, 12, 52]), false],
    ["not within one that it contains", park, within([10.4, 50.4, 10.6, 50.6]), false],
    ["not within one whose hole it fills", area([21, 51, 23, 53]), within([20, 50, 24, 54], [21, 51, 23, 53]), false],
    ["not within one with a hole in its middle", park, within([9, 49, 12, 52], [10.4, 50.4, 10.6, 50.6]), false],
    ["contains a smaller one", park, contains([10.1, 50.1, 10.2, 50.2]), true],
    ["contains one that stands on an edge", park, contains([10.5, 50.2, 11, 50.4]), true],
    ["contains itself", park, contains([10, 50, 11, 51]), true],
    ["contains none over its border", park, contains([9.9, 50.1, 10.1, 50.3]), false],
    ["contains none beside", park, contains([12, 50, 13, 51]), false],
    ["contains none in its hole", ringed, contains([21.5, 51.5, 22, 52]), false],
    ["contains none around its hole", ringed, contains([20.5, 50.5, 23.5, 53.5]), false],
    [
      "contains none in its notch",
      notched,
      {
        contains: {
          polygon: {
            coordinates: [
              ring([
                [0, 4],
                [2, 1],
                [4, 4],
                [0, 4],
              ]),
            ],
          },
        },
      },
      false,
    ],
    [
      "contains a triangle with a corner on its edge",
      park,
      {
        contains: {
          polygon: {
            coordinates: [
              ring([
                [10.2, 50.2],
                [11, 50.5],
                [10.2, 50.8],
                [10.2, 50.2],
              ]),
            ],
          },
        },
      },
      true,
    ],
    ["contains a point", park, { contains: { point: coordinate(10.25, 50.25) } }, true],
    ["contains a point on its corner", park, { contains: { point: coordinate(11, 51) } }, true],
    ["contains no point in its hole", ringed, { contains: { point: coordinate(22, 52) } }, false],
    ["contains: the polygon wins over the point", park, { contains: { point: coordinate(0, 0), polygon: polygon([10.1, 50.1, 10.2, 50.2]) } }, true],
    ["intersects one over its border", park, intersects([9.5, 49.5, 10.2, 50.2]), true],
    ["intersects one inside", park, intersects([10.1, 50.1, 10.2, 50.2]), true],
    ["intersects one around", park, intersects([0, 40, 20, 60]), true],
    ["intersects one that touches a side", park, intersects([11, 50, 12, 51]), true],
    ["intersects one that touches a corner", park, intersects([11, 51, 12, 52]), true],
    ["intersects none a metre away", park, intersects([11.00002, 50, 12, 51]), false],
    ["intersects none in its hole", ringed, intersects([21.5, 51.5, 22, 52]), false],
    ["intersects one that fills its hole", ringed, intersects([21, 51, 23, 53]), true],
    ["intersects across the date line", area([179, -1, -179, 1]), intersects([-179.5, 0, -178, 2]), true],
    [
      "intersects a multi polygon by one part",
      park,
      { intersects: { multiPolygon: { polygons: [polygon([70, 70, 71, 71]), polygon([10.5, 50.5, 13, 53])] } } },
      true,
    ],
    ["intersects no part", park, { intersects: { multiPolygon: { polygons: [polygon([70, 70, 71, 71])] } } }, false],
  ])("relate to points and areas by their shapes: %s", (_, value, operand, found) => {
    expect(find(operand, [value])).toEqual(found ? [value] : []);
  });

  it("share one filter input", () => {
    expect(filter.input).toBe("PolygonGeoFilter");
    expect(field("MultiPolygon @search(by: [multiPolygon])").filter.input).toBe("PolygonGeoFilter");
  });

  it("of several parts relate by each part", () => {
    const parts = areas([0, 0, 1, 1], [5, 5, 6, 6]);
    const district = field("MultiPolygon @search");
    const answers = (operand: unknown) => district.find(operand, [parts]).length === 1;
    expect(answers({ contains: { point: coordinate(5.5, 5.5) } })).toBe(true);
    expect(answers({ contains: { point: coordinate(3, 3) } })).toBe(false);
    expect(answers(contains([5.2, 5.2, 5.4, 5.4]))).toBe(true);
    expect(answers(within([-1, -1, 2, 2]))).toBe(false);
    expect(answers(within([-1, -1, 7, 7]))).toBe(true);
    expect(answers(near(5.5, 6.001, 120))).toBe(true);
  });

  it.each([
    ["contains needs a point or a polygon", { contains: {} }],
    ["intersects needs a polygon or a multiPolygon", { intersects: { polygon: null } }],
    ["a multi polygon needs at least one polygon", { intersects: { multiPolygon: { polygons: [] } } }],
    [
      "Last coord not same as first",
      {
        contains: {
          polygon: {
            coordinates: [
              ring([
                [1, 1],
                [2, 1],
                [2, 2],
              ]),
            ],
          },
        },
      },
    ],
  ])("refuses: %s", (message, operand) => {
    expect(refusal(operand)).toBe(message);
  });
});

/** Each side with so many points, its end left out. */
function fine(ring: readonly Position[], points: number): readonly Position[] {
  return ring.flatMap((from, index) => {
    const to = ring[index + 1];
    if (to === undefined) return [from];
    return Array.from(
      { length: points },
      (_, i): Position => [from[0] + ((to[0] - from[0]) * i) / points, from[1] + ((to[1] - from[1]) * i) / points],
    );
  });
}

// Areas of many points lie in trees of edges, and S2 keeps their edges by cell.
describe.each([
  { sides: [1, 1], numRuns: 1_000 },
  { sides: [40, 1], numRuns: 200 },
  { sides: [1, 40], numRuns: 200 },
  { sides: [40, 30], numRuns: 200 },
])(
  "boxes on a grid of metres at the equator, where the sphere is nearly flat, with $sides points a side",
  ({ sides: [own = 1, others = 1], numRuns }) => {
    const { find } = field("Polygon @search");
    const area = (...boxes: readonly Box[]): Polygon => ({ type: "Polygon", coordinates: boxes.map((each) => fine(corners(each), own)) });
    const polygon = (...boxes: readonly Box[]) => ({ coordinates: boxes.map((each) => ring(fine(corners(each), others))) });
    const grid = fc.tuple(
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
    );
    const box = grid.map(([west, south, width, height]): Box => [west, south, west + width, south + height]);
    const scaled = ([west, south, east, north]: Box): Box => [west / 1000, south / 1000, east / 1000, north / 1000];
    const found = (value: Polygon, operand: unknown) => find(operand, [value]).length === 1;

    it("relate as their coordinates do, borders included", () => {
      fc.assert(
        fc.property(box, box, (a, b) => {
          const value = area(scaled(a));
          const other = polygon(scaled(b));
          const holds = (outer: Box, inner: Box) => outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
          expect(found(value, { within: { polygon: other } })).toBe(holds(b, a));
          expect(found(value, { contains: { polygon: other } })).toBe(holds(a, b));
          expect(found(value, { intersects: { polygon: other } })).toBe(a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]);
        }),
        { numRuns },
      );
    });

    it("relate to an area with a hole as their coordinates do", () => {
      const hole: Box = [3, 3, 7, 7];
      const value = area(scaled([0, 0, 12, 12]), scaled(hole));
      fc.assert(
        fc.property(box, (b) => {
          const other = polygon(scaled(b));
          const overlapsHole = b[0] < hole[2] && hole[0] < b[2] && b[1] < hole[3] && hole[1] < b[3];
          const insideHole = b[0] > hole[0] && b[1] > hole[1] && b[2] < hole[2] && b[3] < hole[3];
          expect(found(value, { contains: { polygon: other } })).toBe(!overlapsHole);
          expect(found(value, { intersects: { polygon: other } })).toBe(!insideHole);
        }),
        { numRuns },
      );
    });
  },
);

describe("a coast of thousands of points at the equator", () => {
  const points = 3_000;
  /** With bays down to half its width, some metres wide. */
  const coast = Array.from({ length: points }, (_, i): Position => {
    const [angle, reach] = [(i * 2 * Math.PI) / points, 0.01 * (0.75 + 0.25 * Math.sin(i * 0.7))];
    return [Math.cos(angle) * reach, Math.sin(angle) * reach];
  });
  const [start = [0, 0]] = coast;
  const land: Polygon = { type: "Polygon", coordinates: [[...coast, start]] };
  const { find } = field("Polygon @search");
  const contains = (...positions: readonly Position[]) => ({
    contains: { polygon: { coordinates: [ring([...positions, ...positions.slice(0, 1)])] } },
  });
  const finds = (operand: unknown) => find(operand, [land]).length === 1;
  const place = fc.tuple(fc.double({ min: -0.011, max: 0.011, noNaN: true }), fc.double({ min: -0.011, max: 0.011, noNaN: true }));

  /** By the crossings of a line to the east. */
  function isOnLand([x, y]: Position): boolean {
    return (
      coast.filter((a, index) => {
        const b = coast[(index + 1) % points] ?? a;
        return a[1] > y !== b[1] > y && x < a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0]);
      }).length %
        2 ===
      1
    );
  }

  it("contains the points that a line to the east leaves an odd number of times", () => {
    let inside = 0;
    fc.assert(
      fc.property(place, ([x, y]) => {
        const isInside = isOnLand([x, y]);
        inside += Number(isInside);
        expect(finds({ contains: { point: coordinate(x, y) } })).toBe(isInside);
        expect(find({ within: { polygon: { coordinates: [ring([...coast, start])] } } }, [at(x, y)]).length === 1).toBe(isInside);
      }),
      { numRuns: 300 },
    );
    expect(inside).toBeGreaterThan(30);
  });

  it("contains and intersects triangles as their corners and its bays say", () => {
    let contained = 0;
    fc.assert(
      fc.property(place, fc.constantFrom(1e-5, 1e-3, 5e-3), ([x, y], size) => {
        const triangle: readonly Position[] = [
          [x, y],
          [x + size, y],
          [x, y + size],
        ];
        const isInTriangle = ([a, b]: Position) => a > x && b > y && a - x + (b - y) < size;
        const edges = fine([...triangle, [x, y]], 400);
        const isHeld = edges.every(isOnLand) && !coast.some(isInTriangle);
        const isMet = edges.some(isOnLand) || coast.some(isInTriangle);
        contained += Number(isHeld);
        expect(finds(contains(...triangle))).toBe(isHeld);
        expect(finds({ intersects: { polygon: { coordinates: [ring([...triangle, [x, y]])] } } })).toBe(isMet);
      }),
      { numRuns: 60 },
    );
    expect(contained).toBeGreaterThan(2);
  });

  it("lies in itself and in its hull, and touches the sea around it, which does not lie in it", () => {
    const hull: Box = [-0.02, -0.02, 0.02, 0.02];
    const sea: Polygon = { type: "Polygon", coordinates: [corners(hull), [...coast, start]] };
    const island = { coordinates: [ring([...coast, start])] };
    expect(find({ within: { polygon: island } }, [land, sea])).toEqual([land]);
    expect(find({ within: { polygon: polygon(hull) } }, [land, sea])).toEqual([land, sea]);
    expect(find({ intersects: { polygon: island } }, [land, sea])).toEqual([land, sea]);
    expect(find({ contains: { polygon: island } }, [land, sea])).toEqual([land]);
  });
});
