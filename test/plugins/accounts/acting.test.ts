// An administrator acts as a user, in a session of its own.

import { afterEach, describe, expect, it, vi } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { LogEntry } from "../../../core/index.ts";
import { accountsPlugin } from "../../../plugins/accounts/index.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { auditPlugin } from "../../../plugins/audit/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type AccountsServer, accountsServer, type Client, password, type Setup, secret, signedUp } from "./accounts-server.ts";
import { begun, watchings } from "./live-watch.ts";

const desk = { "x-service-authtoken": "desk" };

interface AdminAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

async function admin(at: AccountsServer, query: string, headers: Record<string, string> = desk): Promise<AdminAnswer> {
  const init = { method: "POST", body: JSON.stringify({ query }), headers: { "content-type": "application/json", ...headers } };
  return JSON.parse(await (await fetch(new URL("/admin", at.url()), init)).text());
}

const act = (email: string, minutes = 15) => `mutation { actAsAccount(email: "${email}", minutes: ${minutes}) { email by expiresAt token } }`;

interface Acting {
  readonly email: string;
  readonly by: string;
  readonly expiresAt: string;
  readonly token: string;
}

async function acting(at: AccountsServer, email = "ada@example.org", headers: Record<string, string> = desk): Promise<Acting> {
  const { data, errors } = await admin(at, act(email), headers);
  expect(errors).toBeUndefined();
  return data?.actAsAccount as Acting;
}

const guarded = async (setup: Setup = {}) => await accountsServer({ ...setup, config: { admin: { token: "desk" }, ...setup.config } });

const bearer = ({ token }: Acting) => ({ authorization: `Bearer ${token}` });

/** A browser whose cookie is the session that acts. */
async function browserOf(at: AccountsServer, session: Acting): Promise<Client> {
  const client = at.client();
  expect((await client.post("act-as/cookie", {}, bearer(session))).status).toBe(200);
  return client;
}

const sessionsOf = async (at: AccountsServer) =>
  (await admin(at, '{ accountSessions(email: "ada@example.org") { id from expiresAt actedBy } }')).data?.accountSessions as readonly {
    readonly id: string;
    readonly from: string;
    readonly expiresAt: string;
    readonly actedBy: string | null;
  }[];

afterEach(() => void vi.useRealTimers());

describe("an administrator who acts as a user", () => {
  it("has its claims, and stands among its sessions by name, while the last sign-in stays that of the user", async () => {
    const at = await guarded();
    const ada = await signedUp(at, "ada@example.org");
    const signedInAt = async () => (await admin(at, "{ accounts { signedInAt } }")).data;
    const before = await signedInAt();
    const session = await acting(at);
    expect(session).toMatchObject({ email: "ada@example.org", by: "admin token" });
    expect((await at.client().ask("{ queryUser { email } }", bearer(session))).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
    expect(await signedInAt()).toEqual(before);
    const [newest, own, ...others] = await sessionsOf(at);
    expect([newest, own?.actedBy, others]).toMatchObject([{ actedBy: "admin token", from: "127.0.0.1", expiresAt: session.expiresAt }, null, []]);
    const listed = JSON.parse(await (await ada.send("/api/auth/list-sessions")).text());
    expect(listed.map(({ actedBy }: { actedBy: unknown }) => actedBy).toSorted()).toEqual(["admin token", null]);
    const said = await at.client().send("/api/auth/get-session", { headers: bearer(session) });
    expect(JSON.parse(await said.text())).toMatchObject({ session: { actedBy: "admin token" }, user: { email: "ada@example.org" } });
  });

  it("acts for as long as it said, whatever it asks, while the session of a user is renewed", async () => {
    const at = await guarded({ accounts: { session: { updateAge: 0 } } });
    const ada = await signedUp(at, "ada@example.org");
    const session = await acting(at);
    const browser = await browserOf(at, session);
    const before = await sessionsOf(at);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    for (const client of [ada, browser]) expect(await client.session()).not.toBeNull();
    const after = await sessionsOf(at);
    expect(after.map(({ expiresAt }, index) => expiresAt > (before[index]?.expiresAt ?? ""))).toEqual([false, true]);
    vi.setSystemTime(Date.parse(session.expiresAt) + 1);
    expect((await at.client().ask("{ queryUser { email } }", bearer(session))).data).toEqual({ queryUser: [] });
    expect(await browser.session()).toBeNull();
    expect(await ada.session()).not.toBeNull();
  });

  const closed: readonly (readonly [path: string, body: object])[] = [
    ["change-password", { currentPassword: password, newPassword: "another password", revokeOtherSessions: true }],
    ["change-email", { newEmail: "eve@example.org" }],
    ["update-user", { name: "Eve" }],
    ["update-session", { actedBy: null }],
    ["delete-user", { password }],
    ["two-factor/enable", { password }],
    ["two-factor/disable", { password }],
    ["link-social", { provider: "github" }],
    ["unlink-account", { providerId: "credential" }],
    ["revoke-sessions", {}],
    ["revoke-other-sessions", {}],
    ["verify-password", { password }],
    ["sign-in/email", { email: "ada@example.org", password }],
  ];

  it("changes neither password nor e-mail nor factors, nor anything else of the account, by token or by cookie", async () => {
    const at = await guarded({ accounts: { twoFactor: true } });
    const ada = await signedUp(at, "ada@example.org");
    const session = await acting(at);
    const browser = await browserOf(at, session);
    const [token = "", signature = ""] = decodeURIComponent(session.token).split(".");
    const escaped = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}.${encodeURIComponent(signature)}`;
    const ways: readonly ((path: string, body: object) => ReturnType<Client["post"]>)[] = [
      (path, body) => at.client().post(path, body, bearer(session)),
      (path, body) => at.client().post(path, body, { authorization: `bEaReR   ${escaped}` }),
      (path, body) => browser.post(path, body),
      // Beside the session of the user itself.
      (path, body) => ada.post(path, body, bearer(session)),
      (path, body) => browser.post(path, body, { authorization: `Bearer ${decodeURIComponent(ada.cookie).split("=").slice(1).join("=")}` }),
    ];
    for (const [path, body] of closed) {
      for (const [index, way] of ways.entries())
        expect(await way(path, body), `${path}, way ${index}`).toMatchObject({ status: 403, body: { code: "ACTING" } });
    }
    for (const path of ["list-sessions", "list-accounts", "verify-email?token=x"])
      expect((await browser.send(`/api/auth/${path}`)).status, path).toBe(403);
    expect(await ada.session()).toMatchObject({ user: { name: "Ada", email: "ada@example.org" } });
    expect((await at.client().post("sign-in/email", { email: "ada@example.org", password })).status).toBe(200);
  });

  it("writes by GraphQL what the user may write, and neither changes what gives its claims nor deletes it", async () => {
    const at = await guarded();
    const ada = await signedUp(at, "ada@example.org");
    const session = await acting(at);
    const ask = async (query: string) => await at.client().ask(query, bearer(session));
    expect((await ask('mutation { addTask(input: [{ title: "Paint", owner: { email: "ada@example.org" } }]) { numUids } }')).errors).toBeUndefined();
    const refusals = [
      await ask('mutation { updateUser(input: { filter: {}, set: { email: "eve@example.org" } }) { numUids } }'),
      await ask('mutation { updateUser(input: { filter: {}, set: { role: "ADMIN" } }) { numUids } }'),
      await ask('mutation { deleteUser(filter: { email: { eq: "ada@example.org" } }) { numUids } }'),
    ];
    for (const { errors } of refusals) expect(errors).toHaveLength(1);
    expect((await at.system("{ queryUser { email role tasks { title } } }")).data).toEqual({
      queryUser: [{ email: "ada@example.org", role: "member", tasks: [{ title: "Paint" }] }],
    });
    expect((await ada.ask('mutation { deleteUser(filter: { email: { eq: "ada@example.org" } }) { numUids } }')).data).toEqual({
      deleteUser: { numUids: 1 },
    });
    expect((await ask("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
  });
});

describe("a session that acts", () => {
  const ends: readonly (readonly [string, (at: AccountsServer, session: Acting, ada: Client) => Promise<unknown>])[] = [
    ["who acts ends it", (at, session) => at.client().post("sign-out", {}, bearer(session))],
    ["its user revokes the others", (_at, _session, ada) => ada.post("revoke-other-sessions", {})],
    ["an administrator disables its user", (at) => admin(at, 'mutation { setAccount(email: "ada@example.org", disabled: true) { email } }')],
    [
      "an administrator ends it by its ID",
      async (at) => {
        const id = (await sessionsOf(at)).find(({ actedBy }) => actedBy !== null)?.id;
        return await admin(at, `mutation { signOutAccount(email: "ada@example.org", session: "${id}") }`);
      },
    ],
  ];

  it.each(ends)("gives no claims and no live query once %s", async (_what, end) => {
    const at = await guarded();
    const ada = await signedUp(at, "ada@example.org");
    const session = await acting(at);
    const browser = await browserOf(at, session);
    const live = watchings["an event stream"]?.(browser, "{ queryTask { title } }") ?? expect.fail("no such way");
    await begun(live);
    await end(at, session, ada);
    await eventually(() => expect(live.isOver).toBe(true));
    expect((await at.client().ask("{ queryUser { email } }", bearer(session))).data).toEqual({ queryUser: [] });
  });

  it("leaves the other sessions of the user when it ends by its ID", async () => {
    const at = await guarded();
    const ada = await signedUp(at, "ada@example.org");
    await acting(at);
    const id = (await sessionsOf(at))[0]?.id;
    expect((await admin(at, `mutation { signOutAccount(email: "ada@example.org", session: "${id}") }`)).data).toEqual({ signOutAccount: 1 });
    expect(await ada.session()).not.toBeNull();
    expect(await sessionsOf(at)).toHaveLength(1);
  });

  it("becomes the cookie of a browser that sends its token, for as long as it lasts, and no other session does", async () => {
    const at = await guarded();
    const ada = await signedUp(at, "ada@example.org");
    const session = await acting(at);
    const answer = await at.client().post("act-as/cookie", {}, bearer(session));
    const [, age] = /better-auth\.session_token=[^;]+; Max-Age=(\d+);.*HttpOnly/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
    expect(Number(age)).toBeGreaterThan(0);
    expect(Number(age)).toBeLessThanOrEqual(15 * 60);
    expect((await ada.post("act-as/cookie", {})).body).toMatchObject({ code: "NOT_ACTING" });
    expect((await at.client().post("act-as/cookie", {})).status).toBe(403);
    const browser = await browserOf(at, session);
    expect((await browser.post("act-as/cookie", {}, { origin: "https://evil.example" })).status).toBe(403);
    expect((await browser.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
    expect((await browser.ask("{ queryUser { email } }", { origin: "https://evil.example" })).data).toEqual({ queryUser: [] });
  });
});

describe("to act as a user", () => {
  const refused = async (answer: Promise<AdminAnswer>): Promise<string> => {
    const { data, errors = [] } = await answer;
    expect(data?.actAsAccount ?? null).toBeNull();
    return errors.map(({ message }) => message).join() || expect.fail("it was not refused");
  };

  it("nobody begins without the admin token: no user, no administrator of the application, no key of a client", async () => {
    const at = await guarded({ config: { admin: { token: "desk" }, apiKeys: [{ name: "shop", kind: "client", hash: "0".repeat(64) }] } });
    const ada = await signedUp(at, "ada@example.org");
    await at.system('mutation { updateUser(input: { filter: {}, set: { role: "ADMIN" } }) { numUids } }');
    const { cookie } = ada;
    const session = await acting(at);
    const tries: readonly Record<string, string>[] = [
      {},
      { cookie },
      { cookie, origin: at.url() },
      { "x-service-authtoken": "wrong" },
      { "x-auth-token": "shop" },
      bearer(session),
      { "x-service-authtoken": session.token },
    ];
    for (const headers of tries) await refused(admin(at, act("ada@example.org"), headers));
    expect(await sessionsOf(at)).toHaveLength(2);
  });

  it("a session that acts begins no other one, even with the admin token", async () => {
    const at = await guarded();
    await signedUp(at, "ada@example.org");
    await signedUp(at, "bob@example.org");
    const session = await acting(at);
    expect(await refused(admin(at, act("bob@example.org"), { ...desk, ...bearer(session) }))).toContain("End it first");
    const { cookie } = await browserOf(at, session);
    expect(await refused(admin(at, act("bob@example.org"), { ...desk, cookie }))).toContain("End it first");
    expect((await acting(at, "bob@example.org")).email).toBe("bob@example.org");
  });

  it("a server that asks no token needs one all the same, and a page of another origin has none", async () => {
    const at = await guarded({ config: { admin: { open: "loopback", token: "desk" } } });
    const ada = await signedUp(at, "ada@example.org");
    expect(await refused(admin(at, act("ada@example.org"), {}))).toContain("send the admin token");
    const page = { origin: "https://evil.example", "sec-fetch-site": "cross-site", cookie: ada.cookie };
    await refused(admin(at, act("ada@example.org"), page));
    expect((await acting(at)).by).toBe("admin token");
  });

  it("it is a user who is there and not disabled, for a minute to an hour", async () => {
    const at = await guarded();
    await signedUp(at, "ada@example.org");
    expect(await refused(admin(at, act("eve@example.org")))).toContain("No user has the e-mail");
    for (const minutes of [0, -1, 61]) expect(await refused(admin(at, act("ada@example.org", minutes)))).toContain("1 to 60 minutes");
    await admin(at, 'mutation { setAccount(email: "ada@example.org", disabled: true) { email } }');
    expect(await refused(admin(at, act("ada@example.org")))).toContain("disabled");
    expect(await sessionsOf(at)).toEqual([]);
  });

  it("under access control it takes a guardian, whose name the session has", async () => {
    const users = accountsPlugin({ secret, sendMail: async () => undefined });
    const acl = aclPlugin({ secret: "a secret of the specs: 0123456789abcdef" });
    const at = await accountsServer({ config: { plugins: [users, ...standardPlugins(), acl], admin: {} } });
    const login = async (user: string) => {
      const { data } = await admin(at, `mutation { login(userId: "${user}", password: "password") { response { accessJWT } } }`, {});
      const login = data?.login as { readonly response: { readonly accessJWT: string } } | undefined;
      return { "x-service-accesstoken": login?.response.accessJWT ?? "" };
    };
    const groot = await login("groot");
    await admin(at, 'mutation { addUser(input: [{ name: "eve", password: "password" }]) { user { name } } }', groot);
    await admin(at, 'mutation { addAccount(email: "ada@example.org", password: "correct horse battery staple") { email } }', groot);
    for (const headers of [{}, await login("eve")]) await refused(admin(at, act("ada@example.org"), headers));
    expect((await acting(at, "ada@example.org", groot)).by).toBe("user groot");
  });
});

it("the audit says who acted as whom, and who tried it; neither it nor a log has the token", async () => {
  const entries: LogEntry[] = [];
  const users = accountsPlugin({ secret, sendMail: async () => undefined });
  const log = { level: "debug", requests: "info", slowQueryMs: 0, to: { write: (entry: LogEntry) => void entries.push(entry) } } as const;
  const at = await accountsServer({ config: { plugins: [users, ...standardPlugins(), auditPlugin()], admin: { token: "desk" }, log } });
  const readings = async () => await (await fetch(new URL("/admin/requests/log", at.url()), { headers: desk })).text();
  await readings();
  await admin(at, 'mutation { addAccount(email: "ada@example.org", password: "correct horse battery staple") { email } }');
  await admin(at, act("ada@example.org", 61));
  const session = await acting(at);
  const browser = await browserOf(at, session);
  await browser.ask("{ queryUser { email } }");
  await at.client().ask("{ queryUser { email } }", bearer(session));
  await browser.post("change-password", { currentPassword: password, newPassword: "another password" });
  await browser.post("sign-out", {});
  const { data } = await admin(at, '{ audit(action: "actAsAccount") { who from what outcome } }');
  const of = { who: "admin token", from: "127.0.0.1" };
  expect(data?.audit).toEqual([
    { ...of, what: expect.stringMatching(/^began to act as the user 0x[0-9a-f]+ for 15 minutes$/), outcome: "done" },
    { ...of, what: expect.stringMatching(/for 61 minutes$/), outcome: "failed" },
  ]);
  const written = `${JSON.stringify(entries)}${await readings()}${JSON.stringify(data)}`;
  expect(written).toContain("acted by admin token");
  expect(written).toContain(`"path":"/api/auth/*","status":403`);
  const [token = ""] = session.token.split(".");
  expect(token).toMatch(/^\w{32}$/);
  expect(written).not.toContain(token);
});
