// The pages Live and Requests: what runs, what woke it, what was slow and what failed.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, pageWidth, screens } from "./console-browser.ts";

describe.runIf(chromiumPath !== undefined)("the running server in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy("type Boat @generate(subscription: true) { name: String! @id }");
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  const { visit } = consoleBrowser(() => server.url);

  it("shows the queries of subscriptions while they are held, and what woke them", async () => {
    const page = await visit("live");
    await page.getByText("Nobody is subscribed").waitFor();
    const watching = [0, 1].map(() => stack.kernel.live({ query: "subscription Fleet { queryBoat { name } }" }));
    await Promise.all(watching.map((each) => each.next()));
    const group = page.locator(".group", { hasText: "Fleet" });
    await group.getByText("2 subscriptions").waitFor();
    await group.getByText("not woken yet").waitFor();
    await stack.kernel.execute({ query: 'mutation { addBoat(input: [{ name: "Ada" }]) { numUids } }' });
    await group.getByText(/woken .* ago: Boat 0x\w+ was created/).waitFor();
    await group.getByText("Fleet").first().click();
    await group.getByText("All clients that ask the same").waitFor();
    await group.getByRole("row", { name: "runs 2" }).waitFor();
    await Promise.all(watching.map((each) => each.return?.()));
    await page.getByText("Nobody is subscribed").waitFor();
  });

  it("shows counts, durations and failures of requests", async () => {
    await stack.kernel.execute({ query: "query Wrong { queryBoot { name } }" });
    const page = await visit("requests");
    await page.locator(".figure", { hasText: "Mutations" }).getByText("1", { exact: true }).waitFor();
    await page.getByRole("row", { name: "refused 1" }).waitFor();
    await page.getByText("Last failures").waitFor();
    await page
      .getByText(/50 % took at most/)
      .first()
      .waitFor();
  });

  it.each(screens)("finds failures by code, kind and name among others, at $width px", async (screen) => {
    await stack.kernel.execute({ query: "query Wrong { queryBoot { name } }" });
    await stack.kernel.execute({ query: 'mutation Twice { addBoat(input: [{ name: "Zoe" }, { name: "Zoe" }]) { numUids } }' });
    await stack.kernel.execute({ query: 'mutation Twice { addBoat(input: [{ name: "Zoe" }]) { numUids } }' });
    const page = await visit("requests", screen);
    const failures = page.getByRole("row", { name: /Wrong|Twice/ });
    await failures.first().waitFor();
    await page.getByLabel("Show those with").fill("mutation twice");
    await page.getByRole("row", { name: /Wrong/ }).first().waitFor({ state: "detached" });
    await page
      .getByRole("row", { name: /mutation Twice/ })
      .first()
      .waitFor();
    await page.getByLabel("Show those with").fill("nothing of that kind");
    await failures.first().waitFor({ state: "detached" });
    await assertFits(page);
  });

  it.each(screens)("shows requests as they end with their steps, and leaves those that the filters say, at $width px", async (screen) => {
    const page = await visit("requests", screen);
    const log = page.getByRole("region", { name: "Request log" });
    await log.getByText("Requests as they end").waitFor();
    await log.locator("summary, .hint").first().waitFor();
    const caller = { kind: "key", name: "mobile" } as const;
    await stack.kernel.execute({ query: "query Fleet { queryBoat { name } }", caller });
    await stack.kernel.execute({ query: 'mutation Again { addBoat(input: [{ name: "Zora" }, { name: "Zora" }]) { numUids } }', caller });
    const [fleet, again] = ["query Fleet", "mutation Again"].map((text) => log.locator("details", { hasText: text }).first());
    await fleet?.waitFor();
    await again?.waitFor();
    await fleet?.locator("summary").focus();
    await page.keyboard.press("Enter");
    await fleet?.getByRole("row", { name: /parsed, validated and planned/ }).waitFor();
    await fleet?.getByText("find Boat").waitFor();
    await assertFits(page);
    await log.getByLabel("Failed only").check();
    await fleet?.waitFor({ state: "detached" });
    await again?.getByText("key mobile").waitFor();
    await log.getByLabel("Caller").fill("nobody");
    await again?.waitFor({ state: "detached" });
    await log.getByText("None yet.").waitFor();
    await log.getByLabel("Caller").fill("MOBILE");
    await again?.waitFor();
    await log.getByRole("button", { name: "Hold" }).click();
    await page
      .getByRole("row", { name: /mutation Again/ })
      .first()
      .waitFor();
    await assertFits(page);
  });

  it.each(screens)("is readable by keys where a document is open, at $width px", async (screen) => {
    const watching = stack.kernel.live({ query: `subscription Long { queryBoat { ${"name ".repeat(60)} } }` });
    await watching.next();
    const page = await visit("live", screen);
    await page.locator(".group", { hasText: "Long" }).getByText("Long").first().click();
    await page.locator(".document").waitFor();
    await assertFits(page);
    await watching.return?.();
  });

  it.each(["live", "requests"])("the page %s asks for the admin token when it is wrong, and fits a narrow screen", async (name) => {
    await (await visit(name, { token: "wrong" })).getByText("The server does not accept this token.").waitFor();
    const page = await visit(name, { width: 400 });
    await page.locator(".figure").first().waitFor();
    expect(await pageWidth(page)).toBe(400);
  });
});
