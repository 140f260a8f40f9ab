// The map of the console: values of geo fields as shapes, and points that are set by a click or by keys.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { extentOf, flatRings, outlineOf, pointText, shapesOf } from "../../../adapters/console/app/model/shapes.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const ring = (...points: readonly (readonly [number, number])[]) => ({ points: points.map(([longitude, latitude]) => ({ longitude, latitude })) });
const square = ring([0, 0], [4, 0], [4, 4], [0, 4], [0, 0]);
const hole = ring([1, 1], [2, 1], [2, 2], [1, 1]);

describe("shapes of geo values", () => {
  it("are points, areas with their holes, and all parts of several polygons and of lists", () => {
    expect(shapesOf({ longitude: 10.5, latitude: 54 })).toEqual([{ kind: "point", rings: [[{ x: 10.5, y: -54 }]] }]);
    expect(shapesOf({ coordinates: [square, hole] }).map(({ kind, rings }) => [kind, rings.length])).toEqual([["area", 2]]);
    expect(shapesOf({ polygons: [{ coordinates: [square] }, { coordinates: [hole] }] })).toHaveLength(2);
    expect(
      shapesOf([
        { longitude: 1, latitude: 2 },
        { longitude: 3, latitude: 4 },
      ]),
    ).toHaveLength(2);
    expect([null, undefined, "text", { coordinates: [] }].flatMap(shapesOf)).toEqual([]);
    expect(
      outlineOf({
        rings: [
          [
            { x: 1, y: 2 },
            { x: 3, y: -4 },
          ],
        ],
      }),
    ).toBe("M1 2L3 -4Z");
  });

  it("are shown whole, with some of what lies around them", () => {
    const extent = extentOf(shapesOf({ longitude: 10, latitude: 50 }));
    expect(extent).toEqual({ x: -10, y: -60, width: 40, height: 20 });
    const large = extentOf(shapesOf({ coordinates: [ring([-100, -50], [100, -50], [100, 60])] }));
    expect(large && large.x < -100 && large.x + large.width > 100 && large.y < -60 && large.y + large.height > 50).toBe(true);
    expect(extentOf([])).toBeUndefined();
  });

  it("cross the date line without a jump to the other side of the map, and are closed where they go around the pole", () => {
    const island = [170, 179, -175, -170, 170].map((x, i) => ({ x, y: i }));
    const [east, west, ...others] = flatRings(island).map((ring) => ring.map(({ x }) => x));
    expect([east, west, others]).toEqual([[170, 179, 185, 190, 170], [-190, -181, -175, -170, -190], []]);
    const [south] = flatRings([-180, -90, 0, 90, 180, -180].map((x) => ({ x, y: 70 })));
    expect(south?.slice(-3)).toEqual([
      { x: 180, y: 70 },
      { x: 180, y: 90 },
      { x: -180, y: 90 },
    ]);
    expect(
      flatRings([
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ]),
    ).toHaveLength(1);
  });

  it("become texts within the world, however far the map was moved", () => {
    expect(pointText({ x: 13.40504, y: -52.52 })).toBe("13.405, 52.52");
    expect(pointText({ x: 190, y: 95 })).toBe("-170, -90");
    expect(pointText({ x: -0.00001, y: 0 })).toBe("0, 0");
  });
});

describe.runIf(chromiumPath !== undefined)("the map in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy("type Harbour { name: String! @id  place: Point  basin: Polygon  waters: MultiPolygon }");
    const input = {
      name: "Kiel",
      place: { longitude: 10.13, latitude: 54.32 },
      basin: { coordinates: [square, hole] },
      waters: { polygons: [{ coordinates: [square] }] },
    };
    const add = "mutation ($input: [AddHarbourInput!]!) { addHarbour(input: $input) { numUids } }";
    expect(JSON.parse((await stack.kernel.execute({ query: add, variables: { input: [input] } })).body)).not.toHaveProperty("errors");
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  const { visit } = consoleBrowser(() => server.url);

  async function place(): Promise<{ readonly longitude: number; readonly latitude: number }> {
    return JSON.parse((await stack.kernel.execute({ query: '{ getHarbour(name: "Kiel") { place { longitude latitude } } }' })).body).data.getHarbour
      .place;
  }

  it.each(screens)("shows shapes on the coasts, and sets a point by a click, by keys and by numbers, at $width px", async (screen) => {
    const page = await visit("data/Harbour/Kiel", screen);
    for (const name of ["place", "basin", "waters"]) {
      const shown = page.getByRole("img", { name: new RegExp(`^${name} on a map`) });
      await shown.locator(".shape").waitFor();
      await expect.poll(async () => (await shown.locator(".land").getAttribute("d"))?.length ?? 0, { timeout: 15_000 }).toBeGreaterThan(10_000);
    }
    await assertFits(page);
    await page.getByRole("button", { name: "Edit place" }).click();
    await page.getByRole("button", { name: "Map of place" }).click();
    const text = page.getByRole("textbox", { name: "place" });
    const map = page.getByRole("img", { name: /Enter chooses the middle/ });
    await map.locator(".shape").waitFor();
    await assertFits(page);
    await map.click({ position: { x: 20, y: 20 } });
    await expect.poll(() => text.inputValue()).not.toBe("10.13, 54.32");
    await map.focus();
    await page.keyboard.press("0");
    await page.keyboard.press("Enter");
    await expect.poll(() => text.inputValue()).toBe("0, 0");
    await map.locator(".shape").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(place, { timeout: 15_000 }).toEqual({ longitude: 0, latitude: 0 });
    await page.getByRole("button", { name: "Edit place" }).click();
    await text.fill("10.13, 54.32");
    await page.keyboard.press("Enter");
    await expect.poll(place, { timeout: 15_000 }).toEqual({ longitude: 10.13, latitude: 54.32 });
    await assertFits(page);
  });
});
