// A sign-up writes a user, and then its password. What a crash between the two leaves does not keep the e-mail from its owner.

import type { BetterAuthPlugin } from "better-auth";
import { afterEach, expect, it, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { accountsServer, linkIn, password } from "./accounts-server.ts";

afterEach(() => void vi.useRealTimers());

/** Ends the next sign-up between its writes. */
function cutting(): BetterAuthPlugin & { cuts: number } {
  const plugin = {
    id: "cutting",
    cuts: 1,
    init: () => ({
      options: {
        databaseHooks: {
          account: {
            create: {
              before: async () => {
                if (plugin.cuts-- > 0) throw new Error("The process ends here.");
              },
            },
          },
        },
      },
    }),
  };
  return plugin;
}

function later(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
}

it("a sign-up that was cut is taken up by the next one a minute later, with its values and its password", async () => {
  const at = await accountsServer({ accounts: { plugins: [cutting()] } });
  const signUp = (text: string, name: string) => at.client().post("sign-up/email", { email: "ada@example.org", password: text, name });
  await signUp("password of the first", "First");
  await signUp("password of the second", "Second");
  expect(at.mails.filter(({ kind }) => kind === "verify")).toEqual([]);
  later();
  expect((await signUp(password, "Ada")).status).toBe(200);
  await eventually(() => expect(at.mails.at(-1)?.kind).toBe("verify"));
  const { pathname, search } = linkIn(at.mails);
  const ada = at.client();
  await ada.send(`${pathname}${search}`);
  expect(await ada.session()).toMatchObject({ user: { email: "ada@example.org", name: "Ada" } });
  expect((await at.system("{ queryUser { email name role } }")).data).toEqual({
    queryUser: [{ email: "ada@example.org", name: "Ada", role: "member" }],
  });
  const statusWith = async (text: string) => (await at.client().post("sign-in/email", { email: "ada@example.org", password: text })).status;
  expect([await statusWith("password of the second"), await statusWith(password)]).toEqual([401, 200]);
});

it("several who take it up at once make one user, and one of them gets the mail", async () => {
  const at = await accountsServer({ accounts: { plugins: [cutting()] } });
  const signUp = (text: string) => at.client().post("sign-up/email", { email: "ada@example.org", password: text, name: "Ada" });
  await signUp("password of the first");
  later();
  const answers = await Promise.all(["one password", "two passwords", "three passwords"].map(signUp));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await eventually(() => expect(at.mails.map(({ kind }) => kind)).toContain("verify"));
  expect(at.mails.filter(({ kind }) => kind === "verify")).toHaveLength(1);
  expect((await at.system("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
});

it("a user who has finished is not taken up, however long ago it signed up", async () => {
  const plugin = cutting();
  plugin.cuts = 0;
  const at = await accountsServer({ accounts: { plugins: [plugin] } });
  const signUp = (name: string) => at.client().post("sign-up/email", { email: "ada@example.org", password, name });
  await signUp("Ada");
  later();
  await signUp("Eve");
  expect((await at.system("{ queryUser { name } }")).data).toEqual({ queryUser: [{ name: "Ada" }] });
  await eventually(() => expect(at.mails.map(({ kind }) => kind)).toEqual(["verify", "existing"]));
});
