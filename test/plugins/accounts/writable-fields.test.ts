// What a client may set of a user: the fields that `signUp` names, and nothing else, by whatever way.

import { describe, expect, it } from "vitest";
import { type AccountsServer, accountsServer, type Client, password, schema, signedUp } from "./accounts-server.ts";

const everything = {
  role: "ADMIN",
  ROLE: "ADMIN",
  claims: { ROLE: "ADMIN", USER: "root@example.org" },
  emailVerified: true,
  id: "0x1",
  tasks: [{ title: "Mine" }],
  account: { role: "ADMIN" },
  user: { role: "ADMIN" },
  disabled: true,
  unfinishedSince: null,
  twoFactorEnabled: true,
  createdAt: "2001-01-01T00:00:00Z",
  password_hash: "x",
  "User.role": "ADMIN",
  __proto__x: { role: "ADMIN" },
  constructor: { role: "ADMIN" },
};

async function roleOf(at: AccountsServer, email: string): Promise<unknown> {
  const { data } = await at.system("query ($email: String!) { getUser(email: $email) { name role tasks { title } } }", { email });
  return data.getUser;
}

describe("a client that signs up", () => {
  it("sets no other field, no claim, nothing nested and nothing of better-auth's own", async () => {
    const at = await accountsServer();
    const client = at.client();
    for (const [index, [name, value]] of Object.entries(everything).entries()) {
      const email = `eve${index}@example.org`;
      await client.post("sign-up/email", { email, password, name: "Eve", [name]: value });
      expect([null, { name: "Eve", role: "member", tasks: [] }], name).toContainEqual((await roleOf(at, email)) ?? null);
      expect((await client.post("sign-in/email", { email, password })).status, name).toBe(401);
    }
  });

  it("sets a field that signUp names, and not the neighbour that it does not name", async () => {
    const at = await accountsServer({
      schema: schema.replace("name: String\n", "name: String\n nick: String\n level: Int\n").replace('signUp: ["name"]', 'signUp: ["name", "nick"]'),
    });
    const ada = at.client();
    await ada.post("sign-up/email", { email: "ada@example.org", password, name: "Ada", nick: "ace" });
    await ada.post("sign-up/email", { email: "bob@example.org", password, name: "Bob", nick: "b", level: 7 });
    expect((await at.system("{ queryUser(order: { asc: email }) { nick level } }")).data).toEqual({
      queryUser: [
        { nick: "ace", level: null },
        { nick: "b", level: null },
      ],
    });
  });

  it("cannot when users are invited, by any way", async () => {
    const at = await accountsServer({ schema: schema.replace('signUp: ["name"]', "signUp: false") });
    expect((await at.client().post("sign-up/email", { email: "eve@example.org", password, name: "Eve" })).status).toBe(400);
    expect((await at.system("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
  });
});

describe("a user who has signed in", () => {
  const tries: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
    ...Object.entries(everything).map(
      ([name, value]) => [`the profile's ${name}`, (client: Client) => client.post("update-user", { [name]: value })] as const,
    ),
    [
      "role by GraphQL",
      (client) => client.ask('mutation { updateUser(input: { filter: { email: { eq: "ada@example.org" } }, set: { role: "ADMIN" } }) { numUids } }'),
    ],
    ["role by removing it", (client) => client.ask('mutation { updateUser(input: { filter: {}, remove: { role: "member" } }) { numUids } }')],
    [
      "role by an upsert",
      (client) => client.ask('mutation { addUser(input: [{ email: "ada@example.org", role: "ADMIN" }], upsert: true) { numUids } }'),
    ],
    [
      "role in a nested object",
      (client) => client.ask('mutation { addTask(input: [{ title: "x", owner: { email: "ada@example.org", role: "ADMIN" } }]) { numUids } }'),
    ],
    [
      "role of a new user beside a task",
      (client) => client.ask('mutation { addTask(input: [{ title: "x", owner: { email: "new@example.org", role: "ADMIN" } }]) { numUids } }'),
    ],
    [
      "the e-mail by GraphQL",
      (client) => client.ask('mutation { updateUser(input: { filter: {}, set: { email: "root@example.org" } }) { numUids } }'),
    ],
    ["the e-mail by its profile", (client) => client.post("update-user", { email: "root@example.org" })],
  ];

  it("changes neither its claims nor its e-mail, by its profile or by GraphQL, alone or nested", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    for (const [what, attempt] of tries) {
      await attempt(ada);
      expect((await at.system("{ queryUser { email role } }")).data, what).toEqual({ queryUser: [{ email: "ada@example.org", role: "member" }] });
      expect(await ada.session(), what).toMatchObject({ user: { email: "ada@example.org", emailVerified: true, role: "member" } });
    }
  });

  it("changes its name, by its profile and by GraphQL", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    expect((await ada.post("update-user", { name: "Ada L." })).status).toBe(200);
    expect(await roleOf(at, "ada@example.org")).toMatchObject({ name: "Ada L." });
    await ada.ask('mutation { updateUser(input: { filter: {}, set: { name: "Countess" } }) { numUids } }');
    expect(await ada.session()).toMatchObject({ user: { name: "Countess" } });
  });

  it("who is an administrator changes the role of another, who has it from the next request on, and not its own", async () => {
    const open = schema
      .replace(/ {4}update: .*\n/, () => '    update: { rule: "{$ROLE: { eq: \\"ADMIN\\" } }" }\n')
      .replace(/ {4}query: .*queryUser.*\n/, "");
    const at = await accountsServer({ schema: open });
    const [root, bob] = [await signedUp(at, "root@example.org"), await signedUp(at, "bob@example.org")];
    const promote = (email: string, role: string) =>
      `mutation { updateUser(input: { filter: { email: { eq: "${email}" } }, set: { role: "${role}" } }) { numUids } }`;
    expect((await root.ask(promote("bob@example.org", "ADMIN"))).data).toEqual({ updateUser: { numUids: 0 } });
    await at.system(promote("root@example.org", "ADMIN"));
    expect((await root.ask(promote("bob@example.org", "ADMIN"))).data).toEqual({ updateUser: { numUids: 1 } });
    expect((await bob.ask(promote("root@example.org", "member"))).data).toEqual({ updateUser: { numUids: 1 } });
    expect((await bob.ask(promote("bob@example.org", "OWNER"))).errors?.[0]?.message).toContain("role of User");
  });
});

describe("a client that has not signed in", () => {
  it("adds users where rules allow it, and gives them no claims", async () => {
    const at = await accountsServer({ schema: schema.replace(/ @auth\(\n(?: {4}(?:query|update|add|delete):.*\n){4} {2}\)/, "") });
    const nobody = at.client();
    const refused = await nobody.ask('mutation { addUser(input: [{ email: "eve@example.org", role: "ADMIN" }]) { numUids } }');
    expect(refused.errors?.[0]?.message).toContain("role of User");
    await nobody.ask('mutation { addUser(input: [{ email: "EVE@example.org" }]) { numUids } }');
    expect((await at.system("{ queryUser { email role } }")).data).toEqual({ queryUser: [{ email: "eve@example.org", role: "member" }] });
  });
});
