// Every page of the console for somebody without a mouse, with little sight, with a small screen, in both colour schemes.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { line } from "../../plugins/auth/token.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { consoleBrowser, faultsOf, pageWidth } from "./console-browser.ts";
import { focus, forTheMouseAlone, press, unmet, walk } from "./keyboard.ts";

const schema = `type Boat @withSubscription @auth(query: { rule: "query ($WHO: String!) { queryBoat(filter: { owner: { eq: $WHO } }) { name } }" }) {
  name: String! @id
  owner: String @search(by: [hash])
  built: DateTime
  harbour: Harbour
}
type Harbour { name: String! @id  boats: [Boat] @hasInverse(field: harbour) }
${line}
`;

/** Where each page has drawn everything, and what it shows when it has. */
const pages: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "data/Boat": (page) => page.locator(`[data-field="name"]`, { hasText: "Ada" }).waitFor(),
  schema: (page) => page.locator(".cm-content", { hasText: "type Boat" }).waitFor(),
  query: (page) => page.getByRole("button", { name: "Run", exact: true }).waitFor(),
  rules: (page) => page.getByRole("button", { name: "Run", exact: true }).waitFor(),
  live: (page) => page.locator(".group", { hasText: "Fleet" }).waitFor(),
  requests: (page) => page.getByText("Last failures").waitFor(),
  store: (page) => page.getByRole("button", { name: "Set megabytes" }).waitFor(),
};

/** Each width and each scheme once: a colour depends on no width. */
const looks = [
  { width: 1280, colorScheme: "light" },
  { width: 400, colorScheme: "dark" },
] as const;

describe.runIf(chromiumPath !== undefined)("the console for everybody", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  const { visit } = consoleBrowser(() => server.url);
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy(schema);
    const query = `mutation { addBoat(input: [
      { name: "Ada", owner: "ann", built: "1999-05-01T12:00:00Z", harbour: { name: "Kiel" } }
      { name: "Bea" }
    ]) { numUids } }`;
    await stack.kernel.execute({ query, as: "system" });
    await stack.kernel.execute({ query: "query Wrong { queryBoot { name } }" });
    const fleet = stack.kernel.live({ query: "subscription Fleet { queryBoat { name } }", as: "system" });
    await fleet.next();
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });

  it("adds a node, opens it, and deletes it by keys", async () => {
    const page = await visit("data/Boat");
    await press(page, 'button "Add"');
    await page.keyboard.type("Cleo");
    await page.keyboard.press("Enter");
    await page.locator(`[data-field="name"]`, { hasText: "Cleo" }).waitFor();
    await press(page, 'a "Harbour1"');
    await page.locator(`[data-field="name"]`, { hasText: "Kiel" }).waitFor();
    await focus(page, 'div "Kiel"');
    await page.keyboard.press("Enter");
    await press(page, 'button "Delete"');
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).waitFor();
    await press(page, 'button "Delete"');
    await page.getByRole("dialog", { name: "Delete Kiel?" }).waitFor({ state: "detached" });
    await page.locator(`[data-field="name"]`, { hasText: "Kiel" }).waitFor({ state: "detached" });
  });

  it("changes and deploys a schema by keys", async () => {
    const page = await visit("schema");
    await focus(page, 'div "Schema"');
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\ntype Quay { name: String! @id }");
    await press(page, 'button "Deploy"');
    await page.getByText("Quay").first().waitFor();
    await press(page, 'button "History"');
  });

  it("runs an operation by keys, also as somebody", async () => {
    const page = await visit("query");
    await press(page, 'button "Run"');
    await page.getByText("Ada").first().waitFor();
    await press(page, 'button "Plan"');
    await press(page, 'button "As: Administrator"');
    await page.keyboard.press("Escape");
  });

  it("opens what is folded, by keys", async () => {
    const page = await visit("live");
    await press(page, 'summary "Fleet1 subscriptionnot woken yet"');
    await page.getByText("runs").first().waitFor();
  });

  it("checks the store by keys", async () => {
    const page = await visit("store");
    await press(page, 'button "Check indexes, links and keys"');
    await page.getByText(/: no faults/).waitFor();
  });

  describe.each(Object.entries(pages))("the page %s", (path, isDrawn) => {
    it("passes axe, fits the screen, and shows the focus wherever Tab goes, which is everywhere", async () => {
      const page = await visit(path);
      await isDrawn(page);
      for (const { width, colorScheme } of looks) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const look = `${width} px, ${colorScheme}`;
        expect(await faultsOf(page), look).toEqual([]);
        expect(await pageWidth(page), look).toBe(width);
        const stops = await walk(page);
        expect(stops.map(({ name }) => name)).toContain('a "Store"');
        expect(
          stops.filter(({ hidden }) => hidden !== ""),
          look,
        ).toEqual([]);
        expect(await unmet(page), look).toEqual([]);
      }
      expect(await forTheMouseAlone(page)).toEqual([]);
    });
  });
});
