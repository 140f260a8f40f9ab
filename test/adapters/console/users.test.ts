// The page Users: who signs in, and what administrators do with them.

import { describe, expect, it } from "vitest";
import { type AccountsServer, accountsServer, linkIn, password, schema, signedUp } from "../../plugins/accounts/accounts-server.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import { consoleBrowser, faultsOf, pageWidth, screens } from "./console-browser.ts";

describe.runIf(chromiumPath !== undefined)("users in the console", () => {
  let at: AccountsServer;
  const { visit } = consoleBrowser(() => at.url());
  const start = async () => {
    at = await accountsServer({ config: { admin: { token: "desk" } } });
    return { at, ada: await signedUp(at, "ada@example.org") };
  };
  const signIn = async (text: string) => (await at.client().post("sign-in/email", { email: "ada@example.org", password: text })).status;

  it("are listed with how they sign in, when they did and their sessions, without a hash or a token", async () => {
    const { ada } = await start();
    await at.system('mutation { addUser(input: [{ email: "bob@example.org" }]) { numUids } }');
    const page = await visit("users");
    await page.getByRole("row", { name: /ada@example\.org.*Ada.*confirmed.*password.*1$/ }).waitFor();
    await page.getByRole("row", { name: /bob@example\.org.*not confirmed.*nothing yet.*never.*0$/ }).waitFor();
    const [, token = "none"] = /=(\w+)/.exec(decodeURIComponent(ada.cookie)) ?? [];
    expect(await page.content()).not.toContain(token);
    expect(await page.content()).not.toMatch(/[0-9a-f]{32}:[0-9a-f]{128}/);
  });

  it("are invited by a mail, and a second invitation of the same says why it fails", async () => {
    await start();
    const page = await visit("users");
    for (const email of ["bob@example.org", "ADA@example.org"]) {
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
      if (email.startsWith("bob")) await page.getByRole("row", { name: /bob@example\.org/ }).waitFor();
    }
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await eventually(() => expect(at.mails.at(-1)).toMatchObject({ to: "bob@example.org", kind: "reset" }));
    expect(linkIn(at.mails).pathname).toContain("reset-password");
  });

  it("lose their sessions, are disabled and enabled, and get another password", async () => {
    const { ada } = await start();
    const page = await visit("users");
    const dialog = page.getByRole("dialog", { name: "ada@example.org" });
    await page.getByRole("button", { name: "ada@example.org" }).click();
    await dialog.getByRole("button", { name: "End all sessions" }).click();
    await dialog.getByText("confirmed, 0 sessions").waitFor();
    expect(await ada.session()).toBeNull();
    await dialog.getByRole("button", { name: "Disable" }).click();
    await dialog.getByText("disabled, 0 sessions").waitFor();
    expect(await signIn(password)).toBe(403);
    await dialog.getByRole("button", { name: "Enable" }).click();
    await dialog.getByText("confirmed, 0 sessions").waitFor();
    await dialog.getByLabel("New password").fill("short");
    await dialog.getByRole("button", { name: "Set the password" }).click();
    await dialog.getByText("A password has 8 to 128 characters.").waitFor();
    await dialog.getByLabel("New password").fill("another good password");
    await dialog.getByRole("button", { name: "Set the password" }).click();
    await dialog.waitFor({ state: "detached" });
    expect([await signIn(password), await signIn("another good password")]).toEqual([401, 200]);
  });

  it("are acted as by the administrator, whom a line and the list of sessions name, until it ends that", async () => {
    await start();
    await signedUp(at, "bob@example.org", { name: "Bob" });
    const page = await visit("users");
    await page.getByRole("button", { name: "bob@example.org" }).click();
    await page.getByRole("button", { name: "Act as this user" }).click();
    const line = page.getByText(/You act as bob@example\.org until \d/);
    await line.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "As: bob@example.org" }).waitFor();
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByText("bob@example.org", { exact: true }).nth(1).waitFor();
    expect(await page.getByText("ada@example.org").count()).toBe(0);
    await page.reload();
    await line.waitFor();
    await page.getByRole("button", { name: "Use in this browser" }).click();
    await page.getByText(/in every page of this server/).waitFor();
    const who = async () => await page.evaluate("fetch('/api/auth/get-session').then((answer) => answer.json())");
    expect(await who()).toMatchObject({ session: { actedBy: "admin token" }, user: { email: "bob@example.org" } });
    await page.getByRole("link", { name: "Users" }).click();
    await page.getByRole("button", { name: "bob@example.org", exact: true }).click();
    await page.getByRole("listitem").filter({ hasText: "Acted by admin token" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".acting").getByRole("button", { name: "End" }).click();
    await line.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "As: Administrator" }).waitFor();
    expect(await who()).toBeNull();
  });

  it.each(screens)("fit a screen of $width, and pass axe, with and without a dialog", async (screen) => {
    await start();
    const page = await visit("users", screen);
    await page.getByRole("row", { name: /ada@example\.org/ }).waitFor();
    expect(await pageWidth(page)).toBeLessThanOrEqual(screen.width);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "ada@example.org" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("have a page where the schema has users, and none elsewhere", async () => {
    at = await accountsServer({ config: { admin: { token: "desk" } }, schema: "type Note { text: String }" });
    const page = await visit("data");
    await page.getByRole("link", { name: "Store" }).waitFor();
    expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
    await at.server.kernel.deploy(schema);
    await page.getByRole("link", { name: "Users" }).waitFor();
  });
});
