// Filters and orders of the table: with and without indexes, in groups, over links, and in the address.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const schema = `enum Rig { SLOOP KETCH }
type Harbour { name: String! @id  boats: [Boat] @hasInverse(field: harbour) }
type Boat {
  id: ID!
  name: String! @search(by: [term])
  owner: String
  rig: Rig
  tonnes: Int64
  built: DateTime
  tags: [String]
  harbour: Harbour
}
`;

/** In the order of their ids. */
const names = ["Ada", "Bea", "Cleo", "Dora", "Elsa"];

describe.runIf(chromiumPath !== undefined)("filters in the console", () => {
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
    await write(`mutation {
      addHarbour(input: [{ name: "Kiel" }, { name: "Faro" }]) { numUids }
      addBoat(input: [
        { name: "Ada", owner: "Ann Moss", rig: SLOOP, tonnes: 9007199254740993, built: "1999-05-01T12:00:00+02:00", tags: ["red", "old"], harbour: { name: "Kiel" } }
        { name: "Bea", owner: "bob", rig: KETCH, tonnes: 9007199254740992, built: "1999-05-01T11:00:00+02:00", harbour: { name: "Kiel" } }
        { name: "Cleo", owner: "Bobby", tonnes: 3, tags: ["red"], harbour: { name: "Faro" } }
        { name: "Dora", owner: "", rig: SLOOP }
        { name: "Elsa", tonnes: 20, harbour: { name: "Faro" } }
      ]) { numUids }
    }`);
  });
  const { visit } = consoleBrowser(() => server.url);
  async function write(query: string): Promise<void> {
    expect(JSON.parse((await stack.kernel.execute({ query, as: "system" })).body)).not.toHaveProperty("errors");
  }
  const shown = async (page: Page) => await page.locator(`.body [data-field="name"]`).allTextContents();
  const where = (filter: unknown) => `data/Boat?where=${encodeURIComponent(JSON.stringify(["all", filter]))}`;

  describe.each([
    { filter: ["value", "owner", "contains", "bob"], found: ["Bea", "Cleo"] },
    { filter: ["value", "owner", "eq", ""], found: ["Dora"] },
    { filter: ["value", "owner", "regexp", "/^b/i"], found: ["Bea", "Cleo"] },
    { filter: ["value", "rig", "eq", "SLOOP"], found: ["Ada", "Dora"] },
    { filter: ["value", "tonnes", "gt", "9007199254740992"], found: ["Ada"] },
    { filter: ["value", "built", "lt", "1999-05-01T09:30:00Z"], found: ["Bea"] },
    { filter: ["value", "tags", "eq", "red"], found: ["Ada", "Cleo"] },
    { filter: ["some", "harbour", ["all", ["value", "name", "eq", "Faro"]]], found: ["Cleo", "Elsa"] },
    { filter: ["none", "harbour", ["all"]], found: ["Dora"] },
    {
      filter: ["any", ["value", "name", "anyofterms", "elsa"], ["all", ["value", "tonnes", "le", "3"], ["value", "owner", "startsWith", "BOB"]]],
      found: ["Cleo", "Elsa"],
    },
  ])("of fields without an index: $filter", ({ filter, found }) => {
    it("finds what matches, and says that it reads all nodes", async () => {
      const page = await visit(where(filter));
      await page.getByText(`Scanned without an index: ${found.length} match`).waitFor();
      await expect.poll(() => shown(page)).toEqual(found);
    });
  });

  it("asks the indexes alone where they answer the filter, and as far as they do where they answer a part", async () => {
    const page = await visit(where(["value", "name", "anyofterms", "ada cleo"]));
    await page.getByText("2 nodes", { exact: true }).waitFor();
    expect(await page.getByRole("region", { name: "Scan" }).count()).toBe(0);
    const empty = await visit(where(["value", "owner", "empty", ""]));
    await expect.poll(() => shown(empty)).toEqual(["Elsa"]);
    expect(await empty.getByRole("region", { name: "Scan" }).count()).toBe(0);
    const both = await visit(where(["all", ["value", "name", "anyofterms", "ada cleo"], ["value", "owner", "contains", "bob"]]));
    await both.getByText("Scanned without an index: 1 match in 2 nodes.").waitFor();
    await expect.poll(() => shown(both)).toEqual(["Cleo"]);
  });

  it("orders by any field, what has no value comes last, and by several with the Shift key", async () => {
    const page = await visit("data/Boat");
    const head = (name: string) => page.locator(".head").getByRole("button", { name, exact: true });
    await head("tonnes").click();
    await expect.poll(() => shown(page)).toEqual(["Cleo", "Elsa", "Bea", "Ada", "Dora"]);
    await page.locator(".head").getByRole("button", { name: "tonnes" }).click();
    await expect.poll(() => shown(page)).toEqual(["Ada", "Bea", "Elsa", "Cleo", "Dora"]);
    await head("rig").click();
    await head("harbour").click({ modifiers: ["Shift"] });
    await expect.poll(() => shown(page)).toEqual(["Bea", "Ada", "Dora", "Cleo", "Elsa"]);
    expect(decodeURIComponent(page.url())).toContain("order=rig,harbour");
  });

  it.each(screens)("is in the address with columns and the open node: a reload and the way back keep it, at $width px", async (screen) => {
    const page = await visit("data/Boat", screen);
    await page.getByRole("button", { name: "+ Filter" }).click();
    await page.getByLabel("Field").selectOption("harbour.name");
    await page.getByLabel("Operator").selectOption({ label: "= · scan" });
    await page.getByLabel("Value", { exact: true }).fill("Kiel");
    await page.keyboard.press("Enter");
    await expect.poll(() => shown(page)).toEqual(["Ada", "Bea"]);
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByLabel("owner").uncheck();
    await page.locator("summary", { hasText: "1 column hidden" }).waitFor();
    await assertFits(page);
    await page.keyboard.press("Escape");
    await page.locator(`[data-field="name"]`, { hasText: "Bea" }).click();
    await page.locator(".panel").getByRole("heading", { name: "Bea" }).waitFor();
    await page.reload();
    await page.locator(".panel").getByRole("heading", { name: "Bea" }).waitFor();
    await expect.poll(() => shown(page)).toEqual(["Ada", "Bea"]);
    expect(await page.locator(`[data-field="owner"]`).count()).toBe(0);
    await page.goBack();
    await page.locator(".panel").waitFor({ state: "detached" });
    await page.goBack();
    await page.locator(`[data-field="owner"]`).first().waitFor();
    await page.goBack();
    await expect.poll(() => shown(page)).toEqual(names);
  });

  it.each(screens)("is written as groups of conditions and links in a dialog, which names the value that is wrong, at $width px", async (screen) => {
    const page = await visit("data/Boat", screen);
    await page.getByRole("button", { name: "Groups" }).click();
    const form = page.getByRole("dialog", { name: "Filter Boat" });
    const group = form.getByRole("group", { name: "Filter of Boat", exact: true });
    await group.getByLabel("Filter of Boat: what must hold").selectOption("any");
    await group.getByLabel("Field").selectOption("tonnes");
    await group.getByLabel("Operator").selectOption("gt");
    await group.getByLabel("Value", { exact: true }).fill("many");
    await group.getByLabel("Add a condition on a link to Filter of Boat").selectOption("harbour");
    await form.getByRole("group", { name: "Filter of Boat, 2, harbour" }).getByRole("button", { name: "+ Condition" }).click();
    await form.getByRole("group", { name: "Filter of Boat, 2, harbour" }).getByLabel("Value", { exact: true }).fill("Faro");
    await assertFits(page);
    await form.getByRole("button", { name: "Apply" }).click();
    await form.getByText("tonnes: Expected a whole number (Int64).").waitFor();
    await group.getByLabel("Value", { exact: true }).first().fill("9007199254740992");
    await form.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => shown(page)).toEqual(["Ada", "Cleo", "Elsa"]);
    await page.getByText("tonnes > 9007199254740992 or some harbour with name = Faro").waitFor();
  });

  it("can be stopped before it reads, while it counts the nodes", async () => {
    const page = await visit("data/Boat");
    await page.locator(`[data-field="name"]`, { hasText: "Ada" }).waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/admin/graphql", async (route) => {
      if (route.request().postData()?.includes("total: aggregateBoat")) await released;
      await route.continue().catch(() => {});
    });
    await page.locator(".head").getByRole("button", { name: "rig" }).click();
    await page.getByText("No index answers this: reading all Boat nodes").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped: 0 matches in 0 nodes; there may be more.").waitFor();
    release();
  });

  it("can be stopped while it reads, says that there may be more, and says when others have written since", async () => {
    const page = await visit("data/Boat");
    await page.locator(`[data-field="name"]`, { hasText: "Ada" }).waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/admin/graphql", async (route) => {
      if (route.request().postData()?.includes("query Scan")) await released;
      await route.continue().catch(() => {});
    });
    await page.locator(".head").getByRole("button", { name: "rig" }).click();
    await page.getByText("No index answers this: reading all Boat nodes").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped: 0 matches in 0 nodes; there may be more.").waitFor();
    release();
    await page.getByRole("button", { name: "Scan again" }).click();
    await page.getByText("Scanned without an index: 5 matches in 5 nodes.").waitFor();
    await write('mutation { addBoat(input: [{ name: "Zoe", owner: "zed" }]) { numUids } }');
    await page.getByText("Data have changed since.").waitFor();
    await page.getByRole("button", { name: "Scan again" }).click();
    await page.getByText("Scanned without an index: 6 matches in 6 nodes.").waitFor();
  });

  it("becomes an index by an edit of the schema, which the page Schema shows with what its deploy changes", async () => {
    const page = await visit(where(["value", "tonnes", "gt", "5"]));
    await page.getByRole("button", { name: "Make an index on tonnes" }).click();
    await page.getByRole("textbox", { name: "Schema" }).getByText("tonnes: Int64 @search").waitFor();
    await page.getByText("A deploy changes this:").waitFor();
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.getByText("Deployed in").waitFor();
    await page.goBack();
    await page.getByText("3 nodes", { exact: true }).waitFor();
    expect(await page.getByRole("region", { name: "Scan" }).count()).toBe(0);
  });

  it("leaves out what an address asks of fields that are no more", async () => {
    const page = await visit(where(["value", "sails", "eq", "2"]));
    await expect.poll(() => shown(page)).toEqual(names);
  });
});
