// The page Audit: what administrators did, with filters.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { auditPlugin } from "../../../plugins/audit/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

describe.runIf(chromiumPath !== undefined)("the audit in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" }, plugins: [identityPlugin(), auditPlugin()] });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    const ask = (path: string, body: string) =>
      fetch(`${server.url}${path}`, { method: "POST", body, headers: { "x-service-authtoken": "desk", "content-type": "application/json" } });
    await ask("/admin/schema", "type Boat { name: String! @id }");
    await ask("/admin/schema", "type Boat {");
    const query = "mutation ($names: [AddBoatInput!]!) { addBoat(input: $names) { numUids } }";
    await ask("/admin/graphql", JSON.stringify({ query, variables: { names: [{ name: "Ada" }, { name: "Zoe" }] } }));
    for (let i = 0; i < 110; i++) await ask(`/admin/draining?enable=false`, "");
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  const { visit } = consoleBrowser(() => server.url);

  it.each(screens)("shows who did what and when, in pages, and what the filters leave, at $width px", async (screen) => {
    const page = await visit("audit", screen);
    const rows = page.getByRole("row");
    await rows.nth(100).waitFor();
    expect(await rows.count()).toBe(101);
    await assertFits(page);
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByRole("row", { name: /deployed a schema with 1 type \(failed\)/ }).waitFor();
    await page.getByRole("row", { name: /admin token 127\.0\.0\.1 edited data by addBoat, 2 nodes touched/ }).waitFor();
    await assertFits(page);
    await page.getByLabel("In the sentence").fill("FAILED");
    await page.getByRole("row", { name: /edited data/ }).waitFor({ state: "detached" });
    expect(await rows.count()).toBe(2);
    await page.getByLabel("Action").fill("nothing of that kind");
    await page.getByText("Nothing fits.").waitFor();
    await assertFits(page);
  });

  it("says that nothing is kept where the server keeps no audit", async () => {
    const plain = await temporaryKernel({ admin: { token: "desk" }, plugins: [identityPlugin()] });
    const other = await wsTransport().listen(plain.kernel, { host: "127.0.0.1", port: 0 });
    try {
      const page = await visit("data");
      await page.route("**/admin", (route) => route.continue({ url: `${other.url}/admin` }));
      await page.getByRole("link", { name: "Audit" }).click();
      await page.getByText("Nothing is kept").waitFor();
      await assertFits(page);
    } finally {
      await other.close(0);
      await plain.remove();
    }
  });
});
