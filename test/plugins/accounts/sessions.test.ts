// How long a session gives its claims, and what ends with it.

import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { accountsServer, Client, password, schema, signedUp } from "./accounts-server.ts";
import { begun, watchings } from "./live-watch.ts";

const add = (title: string, email: string) => `mutation { addTask(input: [{ title: "${title}", owner: { email: "${email}" } }]) { numUids } }`;

async function otherDevice({ url }: Client, email: string): Promise<Client> {
  const other = new Client(url);
  expect((await other.post("sign-in/email", { email, password })).status).toBe(200);
  return other;
}

describe.each(Object.entries(watchings))("a live query over %s", (_way, watching) => {
  const ends: readonly (readonly [string, (client: Client, other: Client) => Promise<unknown>])[] = [
    ["its user signs out", (client) => client.post("sign-out", {})],
    ["its session is revoked from another device", (_client, other) => other.post("revoke-other-sessions", {})],
    [
      "its user changes the password and revokes the others",
      (_client, other) => other.post("change-password", { currentPassword: password, newPassword: `${password}!`, revokeOtherSessions: true }),
    ],
    ["its user is deleted", (_client, other) => other.ask('mutation { deleteUser(filter: { email: { eq: "ada@example.org" } }) { numUids } }')],
  ];

  it.each(ends)("ends at once when %s, and those of others go on", async (_what, end) => {
    const at = await accountsServer();
    const [ada, bob] = [await signedUp(at, "ada@example.org"), await signedUp(at, "bob@example.org", { name: "Bob" })];
    const other = await otherDevice(ada, "ada@example.org");
    const [own, bobs] = [watching(ada, "{ queryTask { title } }"), watching(bob, "{ queryTask { title } }")];
    await begun(own);
    await begun(bobs);
    await end(ada, other);
    await eventually(() => expect(own.isOver).toBe(true));
    await bob.ask(add("Rest", "bob@example.org"));
    await eventually(() => expect(bobs.heard.join("")).toContain("Rest"));
    expect(own.heard.join("")).not.toContain("Rest");
    expect(bobs.isOver).toBe(false);
  });

  it("goes on when its user changes what gives no claim, and ends when a claim changes", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    const own = watching(ada, "{ queryTask { title } }");
    await begun(own);
    await ada.post("update-user", { name: "Countess" });
    await ada.ask(add("Paint", "ada@example.org"));
    await eventually(() => expect(own.heard.join("")).toContain("Paint"));
    expect(own.isOver).toBe(false);
    await at.system('mutation { updateUser(input: { filter: { email: { eq: "ada@example.org" } }, set: { role: "ADMIN" } }) { numUids } }');
    await eventually(() => expect(own.isOver).toBe(true));
  });
});

describe("claims of a session", () => {
  it("are read once and kept, until the session is gone", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    const other = await otherDevice(ada, "ada@example.org");
    await ada.ask(add("Paint", "ada@example.org"));
    for (let i = 0; i < 3; i++) expect((await ada.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [{ title: "Paint" }] });
    await other.post("revoke-other-sessions", {});
    expect((await ada.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [] });
    expect((await other.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [{ title: "Paint" }] });
  });

  it("are those of the user as it is now, in the next request", async () => {
    const at = await accountsServer({ schema: schema.replace(/ {4}query: .*queryUser.*\n/, "") });
    const ada = await signedUp(at, "ada@example.org");
    const bob = await signedUp(at, "bob@example.org");
    await bob.ask(add("Rest", "bob@example.org"));
    const erase = (client: Client) => client.ask('mutation { deleteUser(filter: { email: { eq: "bob@example.org" } }) { numUids } }');
    expect((await erase(ada)).data).toEqual({ deleteUser: { numUids: 0 } });
    await at.system('mutation { updateUser(input: { filter: { email: { eq: "ada@example.org" } }, set: { role: "ADMIN" } }) { numUids } }');
    expect((await erase(ada)).data).toEqual({ deleteUser: { numUids: 1 } });
    expect(await bob.session()).toBeNull();
    expect((await bob.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [] });
  });

  it("end when the session's time is over", async () => {
    const at = await accountsServer({ accounts: { session: { expiresIn: 1 } } });
    const ada = await signedUp(at, "ada@example.org");
    await eventually(async () => expect((await ada.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [] }));
  });

  it("are gone with the data that an administrator drops", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    expect((await ada.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
    await fetch(`${at.url()}/alter`, { method: "POST", body: JSON.stringify({ drop_op: "DATA" }) });
    expect((await at.system("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
    await at.system('mutation { addUser(input: [{ email: "ada@example.org" }]) { numUids } }');
    expect((await ada.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
  });
});

it("what better-auth keeps of a user is gone with the user, whoever deletes it", async () => {
  const at = await accountsServer();
  const [ada, bob] = [await signedUp(at, "ada@example.org"), await signedUp(at, "bob@example.org")];
  await at.system('mutation { deleteUser(filter: { email: { eq: "ada@example.org" } }) { numUids } }');
  expect(await ada.session()).toBeNull();
  expect((await at.client().post("sign-in/email", { email: "ada@example.org", password })).status).toBe(401);
  const again = await signedUp(at, "ada@example.org", { name: "Another" });
  expect(await again.session()).toMatchObject({ user: { name: "Another", role: "member" } });
  expect(await ada.session()).toBeNull();
  expect(await bob.session()).not.toBeNull();
});
