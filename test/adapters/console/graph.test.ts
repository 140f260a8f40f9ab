// The graph of types: what is a box and what a line, where they lie, and how one moves in it and edits from it.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placedGraph } from "../../../adapters/console/app/model/graph-layout.ts";
import { linksText, typeGraph } from "../../../adapters/console/app/model/type-graph.ts";
import { writtenTypes, writtenUnions } from "../../../adapters/console/app/model/written-types.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const text = `interface Named { name: String! @id }
type Boat implements Named { owner: String  harbour: Harbour @hasInverse(field: boats)  next: Boat  cargo: [Cargo] }
type Harbour implements Named { depth: Int  boats: [Boat] }
type Fish { id: ID!  kg: Float }
type Note { id: ID!  text: String! }
union Cargo = Fish | Harbour
`;

function graphOf(schema: string) {
  return typeGraph(writtenTypes(schema) ?? [], writtenUnions(schema));
}

describe("the graph of a schema text", () => {
  it("has one line for all links between two types, and one for each interface and member of a union", () => {
    const { nodes, edges } = graphOf(text);
    expect(nodes.map(({ title }) => title)).toEqual(["Named (interface)", "Boat", "Harbour", "Fish", "Note"]);
    expect(edges.map(({ label, kind, isMutual }) => [label, kind, isMutual])).toEqual([
      ["Boat implements Named", "implements", false],
      ["Boat.harbour, Boat.cargo, Harbour.boats", "link", true],
      ["Boat.next", "link", false],
      ["Boat.cargo", "link", false],
      ["Harbour implements Named", "implements", false],
    ]);
    expect(linksText("Fish", edges)).toBe("Boat.cargo");
    expect(linksText("Note", edges)).toBe("no links");
  });

  it("has boxes that lie beside each other, also those without links", () => {
    const { nodes, edges, width, height } = placedGraph(graphOf(text));
    for (const [place, one] of nodes.entries()) {
      expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height).toBe(true);
      for (const other of nodes.slice(place + 1)) {
        const isApart =
          one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
        expect(`${one.name} ${other.name} ${isApart}`).toBe(`${one.name} ${other.name} true`);
      }
    }
    expect(edges.every(({ points }) => points.length > 1)).toBe(true);
  });

  it("is a column of rows where no type has links, and nothing where there are no types", () => {
    const alone = placedGraph(graphOf(Array.from({ length: 20 }, (_, place) => `type T${place} { id: ID! }`).join("\n")));
    expect(new Set(alone.nodes.map(({ y }) => y)).size).toBeGreaterThan(1);
    expect(alone.edges).toEqual([]);
    expect(placedGraph({ nodes: [], edges: [] }).nodes).toEqual([]);
  });
});

/** 400 types, each linked to one before it. */
const many = Array.from({ length: 400 }, (_, place) => `type T${place} { id: ID!  name: String  to: T${Math.floor(place / 3)} }`).join("\n");

describe.runIf(chromiumPath !== undefined)("the graph of types in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy(text);
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  const { visit } = consoleBrowser(() => server.url);

  async function openGraph(screen: (typeof screens)[number]): Promise<Page> {
    const page = await visit("schema", screen);
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.locator(".picture").waitFor();
    return page;
  }

  it.each(screens)("is chosen from by pointer and by list, and edits the text of the schema, at $width px", async (screen) => {
    const page = await openGraph(screen);
    await assertFits(page);
    await page.locator('[data-type="Harbour"]').click();
    await page.getByRole("button", { name: "Add a field to Harbour" }).waitFor();
    await page.getByRole("button", { name: /^Boat/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add a field to Boat" }).click();
    const form = page.getByRole("dialog", { name: "New field of Boat" });
    await form.getByLabel("Name", { exact: true }).fill("note");
    await form.getByLabel("Kind").selectOption("Note");
    await form.getByRole("button", { name: "Add" }).click();
    await page.locator('[data-type="Boat"]').getByText("note: Note").waitFor();
    await page.getByRole("button", { name: "Note: Boat.note", exact: true }).waitFor();
    await page.getByText("A deploy changes this:").waitFor();
    await assertFits(page);
    await page.getByRole("button", { name: "Close Boat" }).click();
    await page.getByRole("button", { name: "Add a field to Boat" }).waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Editor" }).click();
    await page.getByRole("textbox", { name: "Schema" }).getByText("note: Note").waitFor();
  });

  it.each(screens)("is moved and zoomed by keys, wheel, pointer and buttons, and a drag chooses nothing, at $width px", async (screen) => {
    const page = await openGraph(screen);
    const picture = page.locator(".picture");
    const seen = async () => (await picture.getAttribute("viewBox"))?.split(" ").map(Number) ?? [];
    const all = await seen();
    await picture.focus();
    await page.keyboard.press("+");
    await expect.poll(async () => (await seen())[2]).toBeLessThan(all[2] ?? 0);
    const near = await seen();
    await page.keyboard.press("ArrowRight");
    await expect.poll(async () => (await seen())[0]).toBeGreaterThan(near[0] ?? 0);
    await page.keyboard.press("0");
    await expect.poll(seen).toEqual(all);
    const boat = await page.locator('[data-type="Boat"] rect').boundingBox();
    if (boat === null) throw new Error("The box of Boat is not in the picture.");
    const [x, y] = [boat.x + boat.width / 2, boat.y + 8];
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -200);
    await expect.poll(async () => (await seen())[2]).toBeLessThan(all[2] ?? 0);
    const zoomed = await seen();
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 5, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await seen())[0]).toBeLessThan(zoomed[0] ?? 0);
    expect(await page.getByRole("button", { name: "Add a field to Boat" }).count()).toBe(0);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(seen).toEqual(all);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(async () => (await seen())[2]).toBeLessThan(all[2] ?? 0);
  });

  it("draws 400 types while the page stays usable", async () => {
    await stack.kernel.deploy(many);
    const page = await visit("schema", screens[0]);
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.getByText("Drawing 400 types…").waitFor();
    await page.getByRole("button", { name: /^T399/ }).click();
    await page.getByRole("button", { name: "Add a field to T399" }).waitFor();
    await page.getByText("Drawing 400 types…").waitFor({ state: "detached" });
    expect(await page.locator(".box").count()).toBe(400);
  });
});
