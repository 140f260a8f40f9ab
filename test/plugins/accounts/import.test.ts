// Users of other services, with the hashes of their passwords.

import { createCipheriv, scryptSync } from "node:crypto";
import { hash as argon2 } from "@node-rs/argon2";
import { hash as bcrypt } from "bcrypt";
import { describe, expect, it } from "vitest";
import { type AccountsServer, accountsServer, password } from "./accounts-server.ts";

/** As the tools of Firebase compute it. */
function firebase(text: string, salt: string, key: string): string {
  const derived = scryptSync(text, Buffer.concat([Buffer.from(salt, "base64"), Buffer.from("Bw==", "base64")]), 32, { N: 2 ** 10, r: 8, p: 1 });
  const cipher = createCipheriv("aes-256-ctr", derived, Buffer.alloc(16));
  const hash = Buffer.concat([cipher.update(Buffer.from(key, "base64")), cipher.final()]).toString("base64");
  return `$fbscrypt$v=1,n=10,r=8,p=1,ss=Bw==,sk=${key}$${salt}$${hash}`;
}

const key = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==";

/** The example of https://github.com/firebase/scrypt, in the form in which Supabase keeps it. */
const published = `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${key}$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==`;

async function imported(
  at: AccountsServer,
  ...lines: readonly object[]
): Promise<readonly { readonly outcome: string; readonly why: string | null }[]> {
  const response = await fetch(new URL("/admin", at.url()), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      query: 'mutation ($lines: [String!]!) { importAccounts(type: "User", lines: $lines) { outcome why } }',
      variables: { lines: lines.map((line) => JSON.stringify(line)) },
    }),
  });
  const { data, errors } = JSON.parse(await response.text());
  expect(errors).toBeUndefined();
  return data.importAccounts;
}

const signIn = async (at: AccountsServer, email: string, text: string) => (await at.client().post("sign-in/email", { email, password: text })).status;

/** As it is stored. */
async function storedHash(at: AccountsServer): Promise<string> {
  const snapshot = at.server.kernel.storage.snapshot({ version: at.server.kernel.deployment?.version ?? 0 });
  try {
    const { columns } = await snapshot.find({ types: ["accounts.account"], where: { kind: "all" }, fields: ["accounts.account.password"] });
    return String(columns[0]?.[0]);
  } finally {
    snapshot.close();
  }
}

describe("a user who is imported", () => {
  const hashes: readonly (readonly [string, (text: string) => Promise<string>])[] = [
    ["bcrypt, as of Supabase and Auth0", (text) => bcrypt(text, 4)],
    ["bcrypt of PHP", async (text) => (await bcrypt(text, 4)).replace("$2b$", "$2y$")],
    ["argon2id", (text) => argon2(text, { memoryCost: 64, timeCost: 2 })],
    ["argon2i", (text) => argon2(text, { memoryCost: 64, timeCost: 2, algorithm: 1 })],
    ["Firebase's scrypt", async (text) => firebase(text, "42xEC+ixf3L2lw==", key)],
  ];

  it.each(hashes)("with a hash of %s signs in with its password and with no other, and gets a hash of better-auth's own", async (_what, hashOf) => {
    const at = await accountsServer();
    const passwordHash = await hashOf(password);
    expect(await imported(at, { email: "Ada@example.org", name: "Ada", role: "ADMIN", passwordHash, emailVerified: true })).toEqual([
      { outcome: "ADDED", why: null },
    ]);
    expect(await signIn(at, "ada@example.org", `${password}!`)).toBe(401);
    expect(await storedHash(at)).toBe(passwordHash);
    const ada = at.client();
    expect((await ada.post("sign-in/email", { email: "ada@example.org", password })).status).toBe(200);
    expect((await ada.ask("{ queryUser { email name role } }")).data).toEqual({
      queryUser: [{ email: "ada@example.org", name: "Ada", role: "ADMIN" }],
    });
    expect(await storedHash(at)).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
    expect([await signIn(at, "ada@example.org", password), await signIn(at, "ada@example.org", `${password}!`)]).toEqual([200, 401]);
  });

  it("with the published example of Firebase signs in", async () => {
    const at = await accountsServer();
    await imported(at, { email: "ada@example.org", passwordHash: published, emailVerified: true });
    expect([await signIn(at, "ada@example.org", "user2password"), await signIn(at, "ada@example.org", "user1password")]).toEqual([401, 200]);
  });

  it("with a hash of bcrypt does not sign in with a password that only begins with the 72 bytes that bcrypt knows", async () => {
    const at = await accountsServer();
    const long = "x".repeat(72);
    await imported(at, { email: "ada@example.org", passwordHash: await bcrypt(long, 4), emailVerified: true });
    expect([await signIn(at, "ada@example.org", `${long}y`), await signIn(at, "ada@example.org", long)]).toEqual([401, 200]);
  });

  it("keeps its second password: an old hash does not come back when it has changed meanwhile", async () => {
    const at = await accountsServer();
    await imported(at, { email: "ada@example.org", passwordHash: await bcrypt(password, 4), emailVerified: true });
    const ada = at.client();
    await ada.post("sign-in/email", { email: "ada@example.org", password });
    await ada.post("change-password", { currentPassword: password, newPassword: "another password" });
    await imported(at, { email: "ada@example.org", passwordHash: await bcrypt(password, 4), emailVerified: true });
    expect([await signIn(at, "ada@example.org", password), await signIn(at, "ada@example.org", "another password")]).toEqual([401, 200]);
  });

  it("confirms its e-mail where the line does not say that it has, and has no sessions where the line says that it is disabled", async () => {
    const at = await accountsServer();
    const passwordHash = await bcrypt(password, 4);
    await imported(at, { email: "ada@example.org", passwordHash }, { email: "bob@example.org", passwordHash, emailVerified: true, disabled: true });
    expect([await signIn(at, "ada@example.org", password), await signIn(at, "bob@example.org", password)]).toEqual([401, 403]);
    expect(at.mails.map(({ to, kind }) => [to, kind])).toEqual([["ada@example.org", "verify"]]);
  });
});

describe("an import", () => {
  it("that runs again completes what was cut and leaves the rest, and a user without a password gets one", async () => {
    const at = await accountsServer();
    const passwordHash = await bcrypt(password, 4);
    await at.system('mutation { addUser(input: [{ email: "ada@example.org" }]) { numUids } }');
    const lines = [{ email: "ada@example.org", passwordHash }, { email: "bob@example.org", passwordHash }, { email: "eve@example.org" }];
    const outcomes = async () => (await imported(at, ...lines)).map(({ outcome }) => outcome);
    expect([await outcomes(), await outcomes()]).toEqual([
      ["COMPLETED", "ADDED", "ADDED"],
      ["KEPT", "KEPT", "KEPT"],
    ]);
  });

  it("refuses a line whose hash cannot be checked or costs too much, or whose values do not fit, and shows no hash", async () => {
    const at = await accountsServer();
    const salt = "c29tZXNhbHRzb21lc2FsdA";
    const bad = [
      { email: "a@example.org", passwordHash: "5f4dcc3b5aa765d61d8327deb882cf99" },
      { email: "a@example.org", passwordHash: `$2b$31$${"a".repeat(53)}` },
      { email: "a@example.org", passwordHash: `$argon2id$v=19$m=4194304,t=3,p=4$${salt}$${salt}` },
      { email: "a@example.org", passwordHash: published.replace("n=14", "n=30") },
      { email: "a@example.org", passwordHash: 7 },
      { passwordHash: published },
      { email: "a@example.org", nothing: 1, passwordHash: published },
      { email: "a@example.org", emailVerified: "yes" },
    ];
    const outcomes = await imported(at, ...bad);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(bad.map(() => "REFUSED"));
    for (const { why } of outcomes) expect(why).not.toMatch(/5f4dcc3b|aaaa|c29tZXNhbHR|lSrfV15/);
    expect((await at.system("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
  });
});
