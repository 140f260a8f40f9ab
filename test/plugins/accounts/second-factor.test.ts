// One-time passwords of an app beside the password.

import { expect, it } from "vitest";
import { accountsServer, password, signedUp } from "./accounts-server.ts";
import { codeNow } from "./one-time-code.ts";

async function withFactor() {
  const at = await accountsServer({ accounts: { twoFactor: true } });
  const ada = await signedUp(at, "ada@example.org");
  const enabled = await ada.post("two-factor/enable", { password });
  const secret = new URL(String(enabled.body.totpURI)).searchParams.get("secret") ?? "";
  const codes = enabled.body.backupCodes as readonly string[];
  const code = () => codeNow(secret);
  expect((await ada.post("two-factor/verify-totp", { code: await code() })).status).toBe(200);
  return { at, ada, code, codes };
}

it("a password alone gives no session and no claims to a user with a second factor, and with the code it does", async () => {
  const { at, code } = await withFactor();
  const client = at.client();
  const signIn = await client.post("sign-in/email", { email: "ada@example.org", password });
  expect(signIn.body).toMatchObject({ twoFactorRedirect: true });
  expect(signIn.headers.get("set-auth-token")).toBeNull();
  expect(await client.session()).toBeNull();
  expect((await client.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
  expect((await client.post("two-factor/verify-totp", { code: "000000" })).status).toBe(401);
  expect((await client.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
  expect((await client.post("two-factor/verify-totp", { code: await code() })).status).toBe(200);
  expect((await client.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
});

it("a code without the password before it gives nothing", async () => {
  const { at, code } = await withFactor();
  const client = at.client();
  expect((await client.post("two-factor/verify-totp", { code: await code() })).status).toBe(401);
  expect(await client.session()).toBeNull();
});

it("a backup code counts once", async () => {
  const { at, codes } = await withFactor();
  const use = async () => {
    const client = at.client();
    await client.post("sign-in/email", { email: "ada@example.org", password });
    return (await client.post("two-factor/verify-backup-code", { code: codes[0] ?? "" })).status;
  };
  expect([await use(), await use()]).toEqual([200, 401]);
});

it("a user cannot turn the factor off without the password, nor by its profile", async () => {
  const { at, ada } = await withFactor();
  expect((await ada.post("two-factor/disable", { password: "wrong horse battery" })).status).toBe(400);
  await ada.post("update-user", { twoFactorEnabled: false });
  expect((await at.client().post("sign-in/email", { email: "ada@example.org", password })).body).toMatchObject({ twoFactorRedirect: true });
});

it("wrong codes are few: then the right one does not count either, until the password is given again", async () => {
  const { at, code } = await withFactor();
  const client = at.client();
  await client.post("sign-in/email", { email: "ada@example.org", password });
  const statuses: number[] = [];
  for (let tries = 0; tries < 12; tries++) statuses.push((await client.post("two-factor/verify-totp", { code: "000000" })).status);
  expect(statuses).not.toContain(200);
  expect((await client.post("two-factor/verify-totp", { code: await code() })).status).not.toBe(200);
  expect(await client.session()).toBeNull();
});

it("the cookie of one user's password does not open another's second factor", async () => {
  const { at, code } = await withFactor();
  await signedUp(at, "eve@example.org");
  const eve = at.client();
  await eve.post("sign-in/email", { email: "eve@example.org", password });
  expect((await eve.post("two-factor/verify-totp", { code: await code() })).status).not.toBe(200);
  expect(await eve.session()).toMatchObject({ user: { email: "eve@example.org" } });
});
