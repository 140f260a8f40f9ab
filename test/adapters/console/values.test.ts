// How the console shows and takes values: numbers, dates, vectors, texts of other scripts, defaults; and what a phone keeps in sight.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

function signal() {
  let resolve = () => {};
  const promise = new Promise<void>((set) => {
    resolve = set;
  });
  return { promise, resolve };
}

const schema = `enum State { NEW SENT }
type Part {
  code: Int! @id
  weight: Int64
  size: Float
  made: DateTime
  note: String
  embedding: [Float!]
  doses: [Float!]
  state: State! @default(add: { value: "NEW" })
  seen: DateTime @default(add: { value: "$now" })
}
`;

describe.runIf(chromiumPath !== undefined)("values in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  const ask = async (query: string) => {
    const answer = JSON.parse((await stack.kernel.execute({ query, as: "system" })).body);
    expect(answer).not.toHaveProperty("errors");
    return answer.data;
  };
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy(schema);
    const parts = Array.from({ length: 3_000 }, (_, i) => `{ code: ${i + 10_000}, state: SENT }`);
    await ask(`mutation { addPart(input: [
      { code: 2024, weight: 9007199254740993, size: 1234.5678, made: "1999-05-01T12:00:00.123+02:00", note: "مرحبا بكم", state: NEW,
        embedding: [${Array.from({ length: 768 }, (_, i) => i / 8)}], doses: [1, 2.5] }
      ${parts}
    ]) { numUids } }`);
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  const { visit } = consoleBrowser(() => server.url);

  describe.each(screens)("at $width px", (screen) => {
    it("groups the digits of numbers but for those of keys, keeps all of them, and shortens vectors but no short list", async () => {
      const page = await visit("data/Part/2024", screen);
      await page.locator(".panel").getByText("9,007,199,254,740,993", { exact: true }).waitFor();
      const texts = await page.locator(".panel .text").allInnerTexts();
      expect(texts).toEqual(expect.arrayContaining(["2024", "9,007,199,254,740,993", "1,234.5678", "0, 0.125, 0.25 … 768 numbers", "1, 2.5"]));
      expect(await page.locator(".panel .text", { hasText: "مرحبا" }).evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
      await page.getByRole("tab", { name: "JSON" }).click();
      await page.locator(".json .number", { hasText: "9007199254740993" }).waitFor();
      await page.locator(".json .key", { hasText: '"weight"' }).waitFor();
      await assertFits(page);
    });

    it("takes a date from a picker in the zone of the browser, and shows what a new node gets by default", async () => {
      const page = await visit("data/Part", screen);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      const form = page.getByRole("dialog", { name: "Add Part" });
      await form.getByText("default: NEW").waitFor();
      await form.getByText("default: now").waitFor();
      const code = screen.width;
      await form.getByLabel("code").fill(String(code));
      await form.getByLabel("Pick made").fill("2024-05-01T12:30:15");
      const zone = await page.evaluate("new Date('2024-05-01T12:30:15').toISOString()");
      expect(new Date(await form.getByLabel("made", { exact: true }).inputValue()).toISOString()).toBe(zone);
      await assertFits(page);
      await form.getByRole("button", { name: "Add", exact: true }).click();
      await form.waitFor({ state: "detached" });
      expect(await ask(`{ getPart(code: ${code}) { made state } }`)).toEqual({ getPart: { made: String(zone).replace(".000", ""), state: "NEW" } });
    });

    it("goes to the last row and back by one key, and reads no page between", async () => {
      const page = await visit("data/Part", screen);
      await page.locator(`[data-cell="0.0"]`, { hasText: "2024" }).waitFor();
      const offsets: unknown[] = [];
      page.on("request", (request) => {
        const { query = "", variables } = JSON.parse(request.postData() ?? "{}");
        if (query.startsWith("query Page")) offsets.push(variables.offset);
      });
      await page.locator(`[data-cell="0.0"]`).focus();
      await page.keyboard.press("Control+End");
      const last = page.locator(".body .row").last();
      await last.locator("[data-cell]").first().getByText(/\d/).waitFor();
      expect(await page.evaluate("document.activeElement.dataset.cell")).toMatch(/^300\d\.0$/);
      expect(offsets.every((offset) => Number(offset) >= 2_900)).toBe(true);
      await page.keyboard.press("Control+Home");
      await page.locator(`[data-cell="0.0"]:focus`).waitFor();
    });

    it("shows the rows that it went to while it read the first ones again", async () => {
      const page = await visit("data/Part", screen);
      await page.locator(`[data-cell="0.0"]`, { hasText: "2024" }).waitFor();
      const [asked, release] = [signal(), signal()];
      const offsetOf = (body: string | null) => {
        const { query = "", variables } = JSON.parse(body ?? "{}");
        return query.startsWith("query Page") ? Number(variables.offset) : undefined;
      };
      await page.route("**/graphql", async (route) => {
        if (offsetOf(route.request().postData()) === 0) {
          asked.resolve();
          await release.promise;
        }
        await route.continue();
      });
      await ask(`mutation { updatePart(input: { filter: { code: { eq: 10000 } }, set: { size: ${screen.width} } }) { numUids } }`);
      await asked.promise;
      await page.locator(`[data-cell="0.0"]`).focus();
      await page.keyboard.press("Control+End");
      const last = page.locator(".body .row").last().locator("[data-cell]").first();
      await last.getByText(/\d/).waitFor();
      const again = page.waitForRequest((request) => (offsetOf(request.postData()) ?? 0) >= 2_900);
      release.resolve();
      await again;
      await last.getByText(/\d/).waitFor();
    });
  });

  it("writes numbers as the language of the browser does", async () => {
    const page = await visit("data/Part/2024", { locale: "de-DE" });
    await page.locator(".panel").getByText("9.007.199.254.740.993", { exact: true }).waitFor();
    await page.locator(".panel").getByText("1.234,5678", { exact: true }).waitFor();
    await page
      .locator(".status")
      .getByText(/3\.00\d nodes/)
      .waitFor();
  });

  it("says in one line that a schema without rules has none", async () => {
    const page = await visit("rules");
    const hint = page.getByText("No type of this schema has");
    await hint.waitFor();
    expect(await hint.evaluate((element) => element.getClientRects().length === 1 && element.clientHeight < 30)).toBe(true);
    await assertFits(page);
  });

  it("reads the first page once, and no code of other pages", async () => {
    const page = await visit("none");
    await page.getByText("There is no such page").waitFor();
    // The stream of changes begins with a reading of its own.
    await page.route("**/admin/changes", () => {});
    await page.reload();
    await page.getByText("There is no such page").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(/query (\w+)/.exec(request.postData() ?? "")?.[1] ?? new URL(request.url()).pathname));
    await page.getByRole("link", { name: "Data" }).click();
    await page.locator(`[data-cell="0.0"]`, { hasText: "2024" }).waitFor();
    await page.locator(".status").getByText(/nodes/).waitFor();
    expect(asked.filter((each) => each !== "/admin/changes").sort()).toEqual(["Count", "Counts", "Page"]);
  });

  it("says what to do when the code of a page cannot be read, and keeps the others", async () => {
    const page = await visit("data/Part");
    await page.locator(`[data-cell="0.0"]`, { hasText: "2024" }).waitFor();
    await page.route("**/store-page-*.js", (route) => route.fulfill({ contentType: "text/javascript", body: 'throw new Error("gone")' }));
    await page.getByRole("link", { name: "Store" }).click();
    await page.getByText("The code of this part cannot be read.").waitFor();
    await assertFits(page);
    await page.getByRole("link", { name: "Data" }).click();
    await page.locator(`[data-cell="0.0"]`, { hasText: "2024" }).waitFor();
  });

  it("keeps the first column in sight on a phone while the others scroll, and shows what can be edited without hovering", async () => {
    const page = await visit("data/Part", { width: 390, height: 844 });
    await page.locator(`[data-cell="0.0"]`, { hasText: "2024" }).waitFor();
    await page.locator(".table").evaluate((element) => element.scrollTo(400, 0));
    const left = async () => (await page.locator(`[data-cell="0.0"]`).boundingBox())?.x;
    expect(await left()).toBe(36);
    await page.locator(`[data-cell="0.0"]`).click();
    await page.getByRole("button", { name: "Edit note" }).waitFor();
    expect(await page.getByRole("button", { name: "Edit note" }).evaluate((element) => getComputedStyle(element).opacity)).toBe("1");
  });
});
