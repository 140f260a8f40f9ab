// Sign-up, sign-in and sign-out over HTTP, and what rules read of who is signed in.

import { describe, expect, it } from "vitest";
import { accountsServer, Client, password, signedUp } from "./accounts-server.ts";

describe.each(["ws", "yoga"] as const)("over the transport %s", (transport) => {
  it("makes a user of the schema's type, with defaults, who is signed in by the link of a mail", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "Ada@Example.org", { transport });
    expect((await at.system("{ queryUser { email name role } }")).data).toEqual({
      queryUser: [{ email: "ada@example.org", name: "Ada", role: "member" }],
    });
    expect(await ada.session()).toMatchObject({ user: { email: "ada@example.org", name: "Ada", role: "member", emailVerified: true } });
  });

  it("gives claims of the session to rules, of a cookie and of a bearer token, until the session is revoked", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org", { transport });
    const bob = await signedUp(at, "bob@example.org", { transport, name: "Bob" });
    const add = (title: string, email: string) =>
      `mutation { addTask(input: [{ title: "${title}", owner: { email: "${email}" } }]) { task { title } } }`;
    expect(await ada.ask(add("Paint", "ada@example.org"))).toMatchObject({ data: { addTask: { task: [{ title: "Paint" }] } } });
    expect((await ada.ask(add("Steal", "bob@example.org"))).errors).toHaveLength(1);
    expect((await bob.ask(add("Rest", "bob@example.org"))).errors).toBeUndefined();
    expect((await ada.ask("{ queryTask { title owner { name } } }")).data).toEqual({ queryTask: [{ title: "Paint", owner: { name: "Ada" } }] });
    expect((await at.client(transport).ask("{ queryTask { title } }")).data).toEqual({ queryTask: [] });

    const other = at.client(transport);
    const signIn = await other.post("sign-in/email", { email: "bob@example.org", password });
    expect(signIn.status).toBe(200);
    const authorization = `Bearer ${signIn.headers.get("set-auth-token")}`;
    const program = new Client(at.url(transport));
    expect((await program.ask("{ queryTask { title } }", { authorization })).data).toEqual({ queryTask: [{ title: "Rest" }] });
    await other.post("sign-out", {});
    expect((await program.ask("{ queryTask { title } }", { authorization })).data).toEqual({ queryTask: [] });
    expect((await bob.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [{ title: "Rest" }] });
  });

  it("refuses a wrong password and a cookie whose signature is wrong", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org", { transport });
    expect((await at.client(transport).post("sign-in/email", { email: "ada@example.org", password: "wrong horse battery" })).status).toBe(401);
    for (const [name, value] of ada.cookies) ada.cookies.set(name, value.replace(/^[^.]+/, "forged"));
    expect(await ada.session()).toBeNull();
    expect((await ada.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [] });
  });
});
