// What users change of their own account: the e-mail, which is the key of their object, and whether there is one.

import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type AccountsServer, accountsServer, type Client, linkIn, password, signedUp } from "./accounts-server.ts";

const add = (title: string, email: string) => `mutation { addTask(input: [{ title: "${title}", owner: { email: "${email}" } }]) { numUids } }`;

/** Opens the link of the next mail. */
async function confirm(at: AccountsServer, client: Client, ask: () => Promise<unknown>): Promise<string> {
  const sent = at.mails.length;
  await ask();
  await eventually(() => expect(at.mails.length).toBeGreaterThan(sent));
  const to = at.mails.at(-1)?.to ?? "";
  const { pathname, search } = linkIn(at.mails);
  await client.send(`${pathname}${search}`);
  return to;
}

describe("an e-mail that changes", () => {
  it("changes when both addresses have confirmed it, and with it the key, the claim and what rules show", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    await ada.ask(add("Paint", "ada@example.org"));
    const emails = async () => (await at.system("{ queryUser { email tasks { title } } }")).data.queryUser;
    const first = await confirm(at, ada, () => ada.post("change-email", { newEmail: "Countess@Example.org" }));
    expect(first).toBe("ada@example.org");
    expect(await emails()).toEqual([{ email: "ada@example.org", tasks: [{ title: "Paint" }] }]);
    await eventually(() => expect(at.mails.at(-1)?.to).toBe("countess@example.org"));
    const { pathname, search } = linkIn(at.mails);
    await ada.send(`${pathname}${search}`);
    expect(await emails()).toEqual([{ email: "countess@example.org", tasks: [{ title: "Paint" }] }]);
    const again = at.client();
    expect((await again.post("sign-in/email", { email: "countess@example.org", password })).status).toBe(200);
    expect((await again.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [{ title: "Paint" }] });
    expect((await at.client().post("sign-in/email", { email: "ada@example.org", password })).status).toBe(401);
  });

  it("stays what it is when another user has the new one, and the answer is the same", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    await signedUp(at, "bob@example.org");
    const answers = [
      await ada.post("change-email", { newEmail: "bob@example.org" }),
      await ada.post("change-email", { newEmail: "free@example.org" }),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, answers[1]?.body],
      [200, answers[1]?.body],
    ]);
    expect((await at.system("{ queryUser(order: { asc: email }) { email } }")).data.queryUser).toEqual([
      { email: "ada@example.org" },
      { email: "bob@example.org" },
    ]);
  });
});

describe("a user who deletes its account", () => {
  it("is gone with its sessions and passwords, and its tasks stay without an owner", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org");
    await ada.ask(add("Paint", "ada@example.org"));
    expect((await ada.post("delete-user", { password: "wrong horse battery" })).status).toBe(400);
    expect((await ada.post("delete-user", { password })).status).toBe(200);
    expect((await at.system("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
    expect((await at.client().post("sign-in/email", { email: "ada@example.org", password })).status).toBe(401);
    expect(await ada.session()).toBeNull();
  });
});
