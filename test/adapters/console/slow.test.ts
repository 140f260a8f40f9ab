// The console where the machine is slow, the server answers late, and somebody else writes meanwhile: nothing that is typed gets lost or goes elsewhere.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { consoleBrowser, fillEditor } from "./console-browser.ts";

const schema = "type Boat { id: ID!  name: String! @search(by: [exact])  owner: String  mates: [Boat] }";

describe.runIf(chromiumPath !== undefined)("the console on a slow machine", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  beforeEach(async () => {
    await stack.kernel.deploy(schema);
    await stack.kernel.erase({ kind: "data" });
    await write('mutation { addBoat(input: [{ name: "Bea", owner: "bob" }, { name: "Cleo", owner: "cid" }]) { numUids } }');
  });
  const browser = consoleBrowser(() => server.url);
  const visit = (path: string) => browser.visit(path, { slowdown: 6 });
  const ask = async (query: string) => JSON.parse((await stack.kernel.execute({ query, as: "system" })).body).data;
  const write = async (query: string) => void (await ask(query));
  const boats = async () => (await ask("{ queryBoat(order: { asc: name }) { name owner } }")).queryBoat;
  const cell = (page: Page, row: string, field: string) =>
    page.locator(".body .row", { has: page.locator(`[data-field="name"]`, { hasText: row }) }).locator(`[data-field="${field}"]`);
  /** Holds back the requests whose body has this text until the caller lets them go. */
  const holdBack = async (page: Page, text: string) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let seen = 0;
    await page.route("**/admin/graphql", async (route) => {
      if (route.request().postData()?.includes(text)) {
        seen++;
        await released;
      }
      await route.continue();
    });
    return { release, seen: () => seen };
  };

  it("keeps a cell that is edited on its node, though a commit puts another node into its row", async () => {
    const page = await visit("data/Boat");
    await page.getByRole("button", { name: "name" }).click();
    await page.locator('[aria-sort="ascending"]').waitFor();
    await cell(page, "Bea", "owner").dblclick();
    await page.locator(".body").getByLabel("owner", { exact: true }).fill("ben");
    await write('mutation { addBoat(input: [{ name: "Ada", owner: "ann" }]) { numUids } }');
    await page.getByText("3", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await cell(page, "Bea", "owner").getByText("ben", { exact: true }).waitFor();
    expect(await boats()).toEqual([
      { name: "Ada", owner: "ann" },
      { name: "Bea", owner: "ben" },
      { name: "Cleo", owner: "cid" },
    ]);
  });

  it("edits the cell of the first of two clicks, though the node that it opens moves the cells from under the mouse", async () => {
    const page = await visit("data/Boat");
    const { x, y, width, height } = (await cell(page, "Bea", "owner").boundingBox()) ?? expect.fail("no cell");
    const middle = [x + width / 2, y + height / 2] as const;
    await page.mouse.click(...middle);
    await page.getByRole("heading", { name: "Bea" }).waitFor();
    await page.mouse.move(...middle);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.locator(".body").getByLabel("owner", { exact: true }).waitFor();
  });

  it("leaves the focus where somebody went while a cell is saved", async () => {
    const page = await visit("data/Boat");
    const saving = await holdBack(page, "mutation Update");
    await cell(page, "Bea", "owner").dblclick();
    await page.locator(".body").getByLabel("owner", { exact: true }).fill("ben");
    await page.getByRole("button", { name: "+ Filter" }).click();
    await page.keyboard.type("Be");
    saving.release();
    await cell(page, "Bea", "owner").getByText("ben", { exact: true }).waitFor();
    await page.keyboard.type("a");
    expect(await page.getByLabel("Value", { exact: true }).inputValue()).toBe("Bea");
  });

  it("does not take what is written for one node along to the next", async () => {
    const page = await visit("data/Boat");
    await cell(page, "Bea", "name").click();
    await page.getByRole("button", { name: "Edit owner" }).click();
    await page.locator(".panel").getByLabel("owner", { exact: true }).fill("nobody");
    await cell(page, "Cleo", "name").click();
    await page.getByRole("heading", { name: "Cleo" }).waitFor();
    await page.getByRole("button", { name: "Edit owner" }).click();
    expect(await page.locator(".panel").getByLabel("owner", { exact: true }).inputValue()).toBe("cid");
  });

  it("adds one node, however often the button is pressed", async () => {
    const page = await visit("data/Boat");
    const adding = await holdBack(page, "mutation Add");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.keyboard.type("Dora");
    for (const _ of "twice") await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).and(page.locator(":disabled")).waitFor();
    adding.release();
    await cell(page, "Dora", "name").waitFor();
    expect(adding.seen()).toBe(1);
    expect(await boats()).toHaveLength(3);
  });

  it("has the focus in a dialog at once, gives it back, and lets Escape close one thing at a time", async () => {
    const page = await visit("data/Boat");
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
    await page.getByRole("button", { name: "As: Administrator" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    expect(await focused()).toBe("As: Administrator");
    await cell(page, "Bea", "name").click();
    await page.locator(".panel").getByRole("button", { name: "Delete" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Bea" }).waitFor();
    await page.getByRole("button", { name: "Edit name" }).click();
    await page.keyboard.press("Escape");
    await page.locator(".panel form.panel-edit").waitFor({ state: "detached" });
    expect(await focused()).toBe("Edit name");
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "detached" });
  });

  it("says why a link was refused: somebody has deleted the node that was chosen", async () => {
    const page = await visit("data/Boat");
    await cell(page, "Bea", "name").click();
    const mates = page.getByRole("combobox", { name: "Link mates" });
    await mates.fill("cle");
    await page.getByRole("option", { name: "Cleo" }).waitFor();
    const linking = await holdBack(page, "mutation Update");
    await page.keyboard.press("Enter");
    await expect.poll(() => linking.seen()).toBe(1);
    await write('mutation { deleteBoat(filter: { name: { eq: "Cleo" } }) { numUids } }');
    linking.release();
    await page.locator(".links .problem").waitFor();
  });

  it("shows the readings of a server that answers more slowly than it is asked", async () => {
    const page = await visit("schema");
    await page.route("**/admin/requests", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await route.continue();
    });
    await page.getByRole("link", { name: "Requests" }).click();
    await page.locator(".figure", { hasText: "Mutations" }).getByText(/^\d+$/).waitFor();
  });

  it("shows what somebody else deploys", async () => {
    const page = await visit("data/Boat");
    await cell(page, "Bea", "name").waitFor();
    await stack.kernel.deploy(`${schema} type Crane { id: ID!  reach: Int }`);
    await page.getByRole("navigation", { name: "Types" }).getByRole("link", { name: "Crane 0" }).click();
    await page.getByText("There are no Crane nodes").waitFor();
  });

  it("keeps a schema that is not deployed yet while other pages are shown, until it is reverted", async () => {
    const page = await visit("schema");
    await fillEditor(page, "Schema", `${schema} type Pier { length: Int }`);
    await page.getByText("A deploy changes this:").waitFor();
    await page.getByRole("link", { name: "Data" }).click();
    await cell(page, "Bea", "name").waitFor();
    await page.getByRole("link", { name: "Schema" }).click();
    await page.getByRole("textbox", { name: "Schema" }).getByText("Pier").waitFor();
    await page.getByRole("button", { name: "Revert" }).click();
    await page.getByText("This text is deployed.").waitFor();
    await page.reload();
    await page.getByText("This text is deployed.").waitFor();
  });

  it("takes a token from the address in a tab that is open, and asks for another one when the server refuses it later", async () => {
    const page = await browser.visit("store", { token: "wrong" });
    await page.getByText("The server does not accept this token.").waitFor();
    await page.evaluate('window.location.hash = "token=desk&/store"');
    await page.locator(".figure", { hasText: "Nodes" }).waitFor();
    expect(page.url()).not.toContain("desk");
    await page.route("**/admin/readings", (route) =>
      route.continue({ headers: { ...route.request().headers(), "x-service-authtoken": "outdated" } }),
    );
    await page.getByLabel("Admin token").fill("desk");
    await page.unroute("**/admin/readings");
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator(".figure", { hasText: "Nodes" }).getByText("2", { exact: true }).waitFor();
  });
});
