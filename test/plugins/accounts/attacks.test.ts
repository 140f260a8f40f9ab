// What somebody tries who has no account, or wants that of another.

import { describe, expect, it } from "vitest";
import { MemoryStore } from "../../../adapters/memory/memory-store.ts";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { eventually } from "../../support/eventually.ts";
import { FaultyStore } from "../../support/faulty-store.ts";
import { type AccountsServer, accountsServer, Client, linkIn, password, schema, signedUp, threeSignIns } from "./accounts-server.ts";

const wrong = "wrong horse battery";

/** What differs from one answer to the next anyway is left out. */
function comparable({ status, body, headers }: Awaited<ReturnType<Client["post"]>>, email: string): unknown {
  const named = [...headers.keys()].filter((name) => !["date", "content-length"].includes(name)).sort();
  return {
    status,
    text: JSON.stringify(body)
      .replaceAll(email.toLowerCase(), "<email>")
      .replace(/pending-\w+/, "<id>"),
    named,
  };
}

describe("a client without an account", () => {
  const questions: readonly (readonly [string, (client: Client, email: string) => ReturnType<Client["post"]>])[] = [
    ["a sign-up", (client, email) => client.post("sign-up/email", { email, password, name: "Ada" })],
    ["a sign-up with a value that the schema refuses", (client, email) => client.post("sign-up/email", { email, password, name: "x".repeat(50) })],
    ["a sign-up with a nickname that is taken", (client, email) => client.post("sign-up/email", { email, password, name: "A", nick: "ada" })],
    ["a sign-in with a wrong password", (client, email) => client.post("sign-in/email", { email, password: wrong })],
    ["a request for a new password", (client, email) => client.post("request-password-reset", { email })],
    ["a request for another mail", (client, email) => client.post("send-verification-email", { email })],
  ];

  it.each(questions)("does not learn whether an e-mail is known by %s", async (_what, ask) => {
    const at = await accountsServer({
      schema: schema.replace("name: String\n", "name: String @length(max: 20)\n nick: String @id\n").replace('["name"]', '["name", "nick"]'),
    });
    await signedUp(at, "known@example.org");
    await at.client().post("sign-up/email", { email: "unconfirmed@example.org", password, name: "Ada" });
    await at.system('mutation { addUser(input: [{ email: "invited@example.org" }, { email: "ada@example.org", nick: "ada" }]) { numUids } }');
    const answer = async (email: string) => comparable(await ask(at.client(), email), email);
    const free = await answer("free@example.org");
    for (const email of ["known@example.org", "unconfirmed@example.org", "invited@example.org", "KNOWN@example.org"]) {
      expect(await answer(email), email).toEqual(free);
    }
  });

  it("does not learn it by the time that an answer takes: a password is hashed as often, whether the e-mail is known or not", async () => {
    let hashed = 0;
    const counted = {
      hash: async (text: string) => `${++hashed ? "counted" : ""} ${text}`,
      verify: async ({ hash, password: text }: { readonly hash: string; readonly password: string }) => ++hashed > 0 && hash === `counted ${text}`,
    };
    const at = await accountsServer({ accounts: { emailAndPassword: { password: counted } } });
    await signedUp(at, "known@example.org");
    await at.client().post("sign-up/email", { email: "unconfirmed@example.org", password, name: "Ada" });
    await at.system('mutation { addUser(input: [{ email: "invited@example.org" }]) { numUids } }');
    const hashesOf = async (ask: (email: string) => Promise<unknown>, email: string) => {
      hashed = 0;
      await ask(email);
      return hashed;
    };
    for (const [what, ask] of questions) {
      const counts: number[] = [];
      for (const email of ["known@example.org", "unconfirmed@example.org", "invited@example.org", "free@example.org"])
        counts.push(await hashesOf((given) => ask(at.client(), given), email));
      expect(new Set(counts).size, `${what}: ${counts}`).toBe(1);
    }
    expect(await hashesOf((email) => at.client().post("sign-in/email", { email, password: wrong }), "another@example.org")).toBe(1);
  });

  it("cannot read users by their e-mail at /api/auth", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    for (const path of ["list-users", "get-user?email=ada@example.org", "admin/list-users", "user", "ok/../list-sessions"]) {
      expect(await (await at.client().send(`/api/auth/${path}`)).text(), path).not.toContain("ada@example.org");
    }
    expect(await ada.session()).not.toBeNull();
  });
});

describe("many tries", () => {
  const tries = async (at: AccountsServer, count: number, headers: (index: number) => Record<string, string>) => {
    const client = at.client();
    const statuses: number[] = [];
    for (let index = 0; index < count; index++) {
      statuses.push((await client.post("sign-in/email", { email: "ada@example.org", password: wrong }, headers(index))).status);
    }
    return statuses;
  };
  const forged = (index: number) => {
    const address = `203.0.113.${index}`;
    return { "x-forwarded-for": address, "x-real-ip": address, "cf-connecting-ip": address, "x-client-ip": address, "x-accounts-address": address };
  };

  it("are refused with 429, whatever address the client claims", async () => {
    const at = await accountsServer({ accounts: { rateLimit: threeSignIns } });
    expect(await tries(at, 8, forged)).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
  });

  it("count by the client's address behind a trusted proxy, and of what it sends by the last one alone", async () => {
    const at = await accountsServer({ accounts: { rateLimit: threeSignIns }, config: { trustProxy: ["127.0.0.1"] } });
    expect(await tries(at, 5, (index) => ({ "x-forwarded-for": `203.0.113.${index}` }))).toEqual([401, 401, 401, 401, 401]);
    expect(await tries(at, 5, (index) => ({ "x-forwarded-for": `203.0.113.${index}, 198.51.100.7` }))).toEqual([401, 401, 401, 429, 429]);
  });

  it("of one network of IPv6 are counted together, whatever address of its own the client takes", async () => {
    const at = await accountsServer({ accounts: { rateLimit: threeSignIns } });
    const headers = { host: new URL(at.url()).host, "content-type": "application/json" };
    const body = Buffer.from(JSON.stringify({ email: "ada@example.org", password: wrong }));
    const statuses: number[] = [];
    for (const remoteAddress of ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::7", "2001:db8:1:3::1"])
      statuses.push((await at.server.kernel.http({ method: "POST", url: "/api/auth/sign-in/email", headers, body, remoteAddress })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 401]);
  });

  it("at once are counted one by one", async () => {
    const at = await accountsServer({ accounts: { rateLimit: threeSignIns } });
    const sent = Array.from({ length: 20 }, () => at.client().post("sign-in/email", { email: "ada@example.org", password: wrong }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(17);
  });
});

describe("links of mails", () => {
  const asked = async (at: AccountsServer): Promise<string> => {
    await at.client().post("request-password-reset", { email: "ada@example.org", redirectTo: "/set" });
    await eventually(() => expect(at.mails.at(-1)?.kind).toBe("reset"));
    return linkIn(at.mails).pathname.split("/").at(-1) ?? "";
  };

  it("set a new password once, and end all sessions", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    const token = await asked(at);
    const set = (newPassword: string) => at.client().post("reset-password", { token, newPassword });
    expect((await set("a new password")).status).toBe(200);
    expect((await set("another password")).status).toBe(400);
    expect(await ada.session()).toBeNull();
    const statusWith = async (text: string) => (await at.client().post("sign-in/email", { email: "ada@example.org", password: text })).status;
    expect([await statusWith("a new password"), await statusWith("another password"), await statusWith(password)]).toEqual([200, 401, 401]);
  });

  it("used three times at once count once", async () => {
    const at = await accountsServer();
    await signedUp(at, "ada@example.org");
    const token = await asked(at);
    const answers = await Promise.all([0, 1, 2].map((index) => at.client().post("reset-password", { token, newPassword: `password ${index}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it("lead nowhere but to the server and to listed origins", async () => {
    const at = await accountsServer({ accounts: { trustedOrigins: ["https://app.example"] } });
    const reset = async (redirectTo: string) => (await at.client().post("request-password-reset", { email: "a@example.org", redirectTo })).status;
    for (const target of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "https://app.example.evil.example/"]) {
      expect(await reset(target), target).toBe(403);
    }
    expect(await reset("/set")).toBe(200);
    expect(await reset("https://app.example/set")).toBe(200);
  });

  it("of sign-ups, sign-ins and providers lead nowhere else either", async () => {
    const at = await accountsServer({ accounts: { socialProviders: { github: { clientId: "id", clientSecret: "secret" } } } });
    const ask = async (path: string, body: object) => (await at.client().post(path, { email: "a@example.org", password, name: "A", ...body })).status;
    const ways = [
      ["sign-up/email", "callbackURL"],
      ["sign-in/email", "callbackURL"],
      ["send-verification-email", "callbackURL"],
      ["sign-in/social", "callbackURL"],
      ["sign-in/social", "errorCallbackURL"],
      ["sign-in/social", "newUserCallbackURL"],
    ] as const;
    for (const [path, name] of ways) {
      const provider = path === "sign-in/social" ? { provider: "github" } : {};
      for (const target of ["https://evil.example/", "//evil.example", "/\\evil.example"])
        expect(await ask(path, { ...provider, [name]: target }), `${path} ${name} ${target}`).toBe(403);
    }
    expect(await ask("sign-in/social", { provider: "github", callbackURL: "/home" })).toBe(200);
  });

  it("name the server as it is configured, not as a request does", async () => {
    const at = await accountsServer({ accounts: { url: "http://127.0.0.1:1" } });
    await at
      .client()
      .post(
        "sign-up/email",
        { email: "ada@example.org", password, name: "Ada" },
        { origin: "http://127.0.0.1:1", "x-forwarded-host": "evil.example" },
      );
    await eventually(() => expect(at.mails).toHaveLength(1));
    expect(linkIn(at.mails).host).toBe("127.0.0.1:1");
  });
});

describe("sign-ups", () => {
  it("with one e-mail at once make one user, and all are answered the same", async () => {
    const at = await accountsServer();
    const sent = Array.from({ length: 6 }, (_, index) =>
      at.client().post("sign-up/email", { email: index % 2 ? "ADA@example.org" : "ada@example.org", password: `${password}${index}`, name: "Ada" }),
    );
    const answers = await Promise.all(sent);
    const texts = answers.map((answer) => JSON.stringify(comparable(answer, "ada@example.org")));
    expect(texts).toEqual(texts.map(() => texts[0]));
    expect((await at.system("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
  });

  it("take texts for one e-mail that people take for one", async () => {
    const at = await accountsServer();
    await signedUp(at, "ada@example.org");
    const sent = at.mails.length;
    for (const email of [
      "ADA@EXAMPLE.ORG",
      " ada@example.org",
      "ada@example.org ",
      "ａｄａ@example.org",
      "ada@exam\u00adple.org",
      "ada@example.org\u0000",
    ]) {
      await at.client().post("sign-up/email", { email, password, name: "Eve" });
    }
    expect((await at.system("{ queryUser { email name } }")).data).toEqual({ queryUser: [{ email: "ada@example.org", name: "Ada" }] });
    expect(at.mails.slice(sent).map(({ kind }) => kind)).not.toContain("verify");
  });

  it("are not the only way by which texts for one e-mail make one user: administrators, imports, mutations and changes are others", async () => {
    const at = await accountsServer();
    await signedUp(at, "kate@example.org");
    const bob = await signedUp(at, "bob@example.org", { name: "Bob" });
    const admin = async (field: string) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ query: `mutation { ${field} }` }) };
      return await (await fetch(new URL("/admin", at.url()), init)).text();
    };
    // The sign of Kelvin, wide letters, white space around.
    for (const email of ["\u212aate@example.org", "ｋａｔｅ@example.org", " KATE@EXAMPLE.ORG\t"]) {
      const text = JSON.stringify(email);
      expect(await admin(`addAccount(email: ${text}, password: "${password}") { email }`), text).toContain("errors");
      expect(await admin(`importAccounts(type: "User", lines: [${JSON.stringify(JSON.stringify({ email }))}]) { outcome }`), text).toContain("KEPT");
      expect(await at.system("mutation ($email: String!) { addUser(input: [{ email: $email }]) { numUids } }", { email }), text).toHaveProperty(
        "errors",
      );
      await bob.post("change-email", { newEmail: email });
    }
    const emails = (await at.system("{ queryUser(order: { asc: email }) { email } }")).data;
    expect(emails).toEqual({ queryUser: [{ email: "bob@example.org" }, { email: "kate@example.org" }] });
  });

  it("refuse passwords that are too short or too long, and compare long ones whole", async () => {
    const at = await accountsServer();
    const client = at.client();
    const status = async (text: string) => (await client.post("sign-up/email", { email: "a@example.org", password: text, name: "A" })).status;
    expect([await status("short"), await status("x".repeat(129))]).toEqual([400, 400]);
    const long = "x".repeat(100);
    await at.client().post("sign-up/email", { email: "ada@example.org", password: `${long}1`, name: "Ada" });
    await eventually(() => expect(at.mails).toHaveLength(1));
    const { pathname, search } = linkIn(at.mails);
    await at.client().send(`${pathname}${search}`);
    const statusWith = async (text: string) => (await at.client().post("sign-in/email", { email: "ada@example.org", password: text })).status;
    expect([await statusWith(`${long}1`), await statusWith(`${long}2`)]).toEqual([200, 401]);
  });
});

describe("a session", () => {
  it("that an attacker has planted is not that of the one who signs in", async () => {
    const at = await accountsServer();
    await signedUp(at, "ada@example.org");
    const eve = await signedUp(at, "eve@example.org");
    const victim = at.client();
    for (const [name, value] of eve.cookies) victim.cookies.set(name, value);
    await victim.post("sign-in/email", { email: "ada@example.org", password });
    expect(victim.cookie).not.toBe(eve.cookie);
    expect(await victim.session()).toMatchObject({ user: { email: "ada@example.org" } });
    expect(await eve.session()).toMatchObject({ user: { email: "eve@example.org" } });
  });

  it("is a cookie that scripts do not read, and that only HTTPS carries where the server is behind it", async () => {
    const plain = await accountsServer();
    await signedUp(plain, "ada@example.org");
    const answer = await new Client(plain.url()).post("sign-in/email", { email: "ada@example.org", password });
    expect(answer.headers.get("set-cookie")).toMatch(/better-auth\.session_token=.*HttpOnly; SameSite=Lax/);
    const behind = await accountsServer({ accounts: { url: "https://tasks.example", emailAndPassword: { requireEmailVerification: false } } });
    const own = { origin: "https://tasks.example" };
    await behind.client().post("sign-up/email", { email: "ada@example.org", password, name: "Ada" }, own);
    const secure = await behind.client().post("sign-in/email", { email: "ada@example.org", password }, own);
    expect(secure.headers.get("set-cookie")).toMatch(/__Secure-better-auth\.session_token=.*; HttpOnly; Secure; SameSite=Lax/);
  });
});

it("a store that fails answers 503, says nothing of itself, and works again afterwards", async () => {
  const store = new FaultyStore(new MemoryStore());
  const at = await accountsServer({ accounts: { rateLimit: threeSignIns }, config: { storage: orderedStorage(store) } });
  const signIn = () => at.client().post("sign-in/email", { email: "ada@example.org", password: wrong });
  expect((await signIn()).status).toBe(401);
  store.writes("fail");
  const failed = await signIn();
  expect(failed).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
  expect(JSON.stringify(failed.body)).not.toContain("device");
  store.writes("pass");
  await eventually(async () => expect((await signIn()).status).not.toBe(503));
});
