// The page Store: sizes, checks, backups, the cache.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { consoleBrowser, pageWidth } from "./console-browser.ts";

describe.runIf(chromiumPath !== undefined)("the store in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "quern-backups-"));
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy("type Boat { name: String! @id  built: Int @search  mate: Boat }");
    await stack.kernel.execute({ query: 'mutation { addBoat(input: [{ name: "Ada", built: 1999 }, { name: "Bea" }]) { numUids } }' });
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const { visit } = consoleBrowser(() => server.url);

  it("shows how much there is, and what takes the room", async () => {
    const page = await visit("store");
    await page.locator(".figure", { hasText: "Nodes" }).getByText("2", { exact: true }).waitFor();
    await page.getByRole("row", { name: /^Boat 2$/ }).waitFor();
    const sizes = page.getByRole("region", { name: "Sizes" });
    await sizes.getByRole("row", { name: /^all nodes/ }).waitFor();
    await sizes.getByRole("row", { name: /Boat\.built.* index/ }).waitFor();
    await sizes.getByRole("row", { name: /Boat\.name.* unique key/ }).waitFor();
    await page.getByRole("row", { name: "liveSubscriptions 0" }).waitFor();
  });

  it("checks the store on demand, and says what was found", async () => {
    const page = await visit("store");
    const checks = page.getByRole("region", { name: "Checks" });
    await checks.getByText("None since the server started.").waitFor();
    await checks.getByRole("button", { name: "Check" }).click();
    await checks.getByText(/2 nodes, 0 links, \d+ index entries: no faults/).waitFor();
  });

  it("backs up into a folder of the server, and lists the backups there", async () => {
    const page = await visit("store");
    const backups = page.getByRole("region", { name: "Backups" });
    await backups.getByLabel("Folder").fill(join(folder, "none-yet"));
    await page.keyboard.press("Tab");
    await backups.getByText(/^cannot read manifests at location .*: there is no such folder\.$/).waitFor();
    await backups.getByLabel("Folder").fill("/proc/none");
    await backups.getByRole("button", { name: "Back up now" }).click();
    await backups.getByText("The folder /proc/none cannot be made").waitFor();
    // One reason, not two.
    await backups.getByText("there is no such folder").waitFor({ state: "detached" });
    await backups.getByLabel("Folder").fill(folder);
    await page.keyboard.press("Enter");
    await backups.getByText(/full backup 1 of .* is in /).waitFor();
    await backups.getByRole("cell", { name: "full" }).waitFor();
  });

  it("changes the bound of the cache", async () => {
    const page = await visit("store");
    const cache = page.getByRole("region", { name: "Cache" });
    await cache.getByLabel("Size of the cache in megabytes").fill("7.5");
    await cache.getByRole("button", { name: "Set megabytes" }).click();
    await cache.getByText("of 7.5 MiB are in use").waitFor();
    expect(stack.kernel.storage.cache?.maxBytes).toBe(7.5 * 2 ** 20);
  });

  it("asks for the admin token when it is wrong, and fits a narrow screen", async () => {
    await (await visit("store", { token: "wrong" })).getByText("The server does not accept this token.").waitFor();
    const page = await visit("store", { width: 400 });
    await page.getByRole("region", { name: "Sizes" }).waitFor();
    expect(await pageWidth(page)).toBe(400);
  });
});
