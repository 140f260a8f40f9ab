// Links in the console: nodes are searched and chosen, made together with others, and unlinked.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const schema = `type Order { number: String! @id  customer: Customer!  lines: [Line] @hasInverse(field: order) }
type Customer { email: String! @id  name: String! @search(by: [term])  orders: [Order] @hasInverse(field: customer) }
type Line { id: ID!  quantity: Int! @range(min: 1)  order: Order!  product: Product }
type Product { sku: String! @id  title: String @search(by: [exact]) }
type Shelf { name: String! @id  holds: [Held] }
union Held = Product | Customer
`;

describe.runIf(chromiumPath !== undefined)("links in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy(schema);
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  beforeEach(async () => {
    await stack.kernel.erase({ kind: "data" });
    const products = Array.from({ length: 250 }, (_, i) => `{ sku: "sku-${i}", title: "Rope ${i}" }`);
    await ask(`mutation {
      addProduct(input: [${products}]) { numUids }
      addCustomer(input: [{ email: "ann@shop", name: "Ann Moss" }, { email: "bob@shop", name: "Bob King" }]) { numUids }
      addOrder(input: [{ number: "one", customer: { email: "ann@shop" }, lines: [{ quantity: 2, product: { sku: "sku-7" } }] }]) { numUids }
      addShelf(input: [{ name: "top" }]) { numUids }
    }`);
  });
  const { visit } = consoleBrowser(() => server.url);
  const ask = async (query: string) => {
    const answer = JSON.parse((await stack.kernel.execute({ query, as: "system" })).body);
    expect(answer).not.toHaveProperty("errors");
    return answer.data;
  };
  const pick = async (page: Page, field: string, text: string, option: RegExp) => {
    await page.getByRole("combobox", { name: field, exact: true }).click();
    await page.keyboard.type(text);
    await page.getByRole("option", { name: option }).waitFor();
    for (let press = 0; press < 15; press++) {
      if (option.test((await page.locator("[role=option][aria-selected=true]").textContent()) ?? "")) break;
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
  };

  describe.each(screens)("at $width px", (screen) => {
    it("finds a node of a large type by its key or by an indexed text, and offers the ones that were chosen last", async () => {
      const page = await visit("data/Order/one", screen);
      await page.locator(".panel .links a").first().click();
      await page.getByRole("button", { name: "Edit product" }).click();
      await page.keyboard.type("sku-24");
      await page.getByRole("option", { name: "Rope 24 sku-24" }).waitFor();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("Rope 249");
      await page.getByRole("option", { name: "Rope 249 sku-249" }).waitFor();
      await assertFits(page);
      await page.keyboard.press("Enter");
      await page.locator(".panel").getByRole("link", { name: "Rope 249" }).waitFor();
      expect(await ask("{ queryLine { product { sku } } }")).toEqual({ queryLine: [{ product: { sku: "sku-249" } }] });
      await page.getByRole("button", { name: "Edit product" }).click();
      await page.keyboard.press("ArrowDown");
      await page.getByRole("listbox").getByRole("option").first().getByText("Rope 249").waitFor();
    });

    it("takes what it finds for a text that was entered while it searched, and nothing for one that was typed on", async () => {
      const page = await visit("data/Order/one", screen);
      await page.locator(".panel .links a").first().click();
      let release = () => {};
      const released = new Promise<void>((set) => {
        release = set;
      });
      await page.route("**/graphql", async (route) => {
        if (route.request().postData()?.includes("sku-24")) await released;
        await route.continue();
      });
      await page.getByRole("button", { name: "Edit product" }).click();
      await page.keyboard.type("sku-24x");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Backspace");
      await page.keyboard.type("8");
      await page
        .getByRole("listbox")
        .getByRole("option", { name: /Add a Product/ })
        .waitFor();
      await page.keyboard.press("Enter");
      release();
      await page.locator(".panel").getByRole("link", { name: "Rope 248" }).waitFor();
      expect(await ask("{ queryLine { product { sku } } }")).toEqual({ queryLine: [{ product: { sku: "sku-248" } }] });
    });

    it("makes an order, its customer and its lines in one form and one transaction, and marks the value that is wrong where it is", async () => {
      const page = await visit("data/Order", screen);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      const form = page.getByRole("dialog", { name: "Add Order" });
      const add = form.getByRole("button", { name: "Add", exact: true });
      await form.getByLabel("number", { exact: true }).fill("two");
      await pick(page, "customer", "zoe", /Add a Customer/);
      const customer = form.getByRole("group", { name: "new Customer" });
      await customer.getByLabel("email").fill("zoe@shop");
      await customer.getByLabel("name").fill("Zoe");
      await pick(page, "lines", "none", /Add a Line/);
      const made = form.getByRole("group", { name: "new Line" });
      await made.getByLabel("quantity").fill("0");
      await pick(page, "product", "sku-3", /^Rope 3 sku-3$/);
      expect(await made.getByLabel("order").count()).toBe(0);
      await assertFits(page);
      await add.click();
      await made.getByText("Line.quantity breaks @range(min: 1)").waitFor();
      expect((await ask("{ queryOrder { number } }")).queryOrder).toHaveLength(1);
      await made.getByLabel("quantity").fill("5");
      await add.click();
      await form.waitFor({ state: "detached" });
      expect(await ask('{ getOrder(number: "two") { customer { name } lines { quantity product { sku } order { number } } } }')).toEqual({
        getOrder: { customer: { name: "Zoe" }, lines: [{ quantity: 5, product: { sku: "sku-3" }, order: { number: "two" } }] },
      });
    });

    it("links, unlinks and takes it back; a link that somebody else has set since stays", async () => {
      const page = await visit("data/Customer/bob@shop", screen);
      const orders = async () => (await ask("{ queryOrder { customer { email } } }")).queryOrder[0].customer.email;
      await pick(page, "Link orders", "one", /^one/);
      await page.getByText("Linked one to Bob King.").waitFor();
      expect(await orders()).toBe("bob@shop");
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await page.getByText("Taken back: Linked one to Bob King.").waitFor();
      expect(await orders()).toBe("ann@shop");
      await pick(page, "Link orders", "one", /^one/);
      // The text of what was taken back ends in the same words.
      await page.getByText("Linked one to Bob King.", { exact: true }).waitFor();
      expect(await orders()).toBe("bob@shop");
      await ask('mutation { updateOrder(input: { filter: { number: { eq: "one" } }, set: { customer: { email: "ann@shop" } } }) { numUids } }');
      await ask('mutation { updateCustomer(input: { filter: { email: { eq: "ann@shop" } }, set: { name: "Annie" } }) { numUids } }');
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await page.getByText("Somebody has changed it since: customer of one is Annie.").waitFor();
      await assertFits(page);
      expect(await orders()).toBe("ann@shop");
    });
  });

  it("adds a node to a list from the panel, and links members of a union", async () => {
    const page = await visit("data/Order/one");
    await pick(page, "Link lines", "none", /Add a Line/);
    const form = page.getByRole("dialog", { name: "Add Line" });
    await form.getByLabel("quantity").fill("9");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await expect
      .poll(async () => (await ask('{ getOrder(number: "one") { lines { quantity } } }')).getOrder.lines)
      .toEqual([{ quantity: 2 }, { quantity: 9 }]);
    await page.getByRole("link", { name: "Shelf 1" }).click();
    await page.locator(`[data-field="name"]`, { hasText: "top" }).click();
    await pick(page, "Link holds", "bob", /^Bob King/);
    await pick(page, "Link holds", "sku-5", /^Rope 5 sku-5$/);
    await expect
      .poll(async () => (await ask("{ queryShelf { holds { ... on Product { sku } ... on Customer { email } } } }")).queryShelf[0].holds)
      .toEqual(expect.arrayContaining([{ email: "bob@shop" }, { sku: "sku-5" }]));
    await page.getByRole("button", { name: "Unlink Bob King" }).click();
    await page.getByText("Unlinked Bob King from top.").waitFor();
    await page.keyboard.press("Control+z");
    await page.getByText("Taken back: Unlinked Bob King from top.").waitFor();
    await page.locator(".panel").getByRole("link", { name: "Bob King" }).waitFor();
  });
});
