// Two servers on one database: sessions and rate limits are of both.

import { expect, it } from "vitest";
import { accountsServer, password, signedUp, threeSignIns } from "../../plugins/accounts/accounts-server.ts";
import { begun, watchings } from "../../plugins/accounts/live-watch.ts";
import { eventually } from "../../support/eventually.ts";

it("a session that one server revokes gives no claims on another, and its live queries end there", async () => {
  const first = await accountsServer();
  const second = await accountsServer({ place: first.place });
  const ada = await signedUp(first, "ada@example.org");
  const there = second.client();
  for (const [name, value] of ada.cookies) there.cookies.set(name, value);
  await ada.ask('mutation { addTask(input: [{ title: "Paint", owner: { email: "ada@example.org" } }]) { numUids } }');
  await eventually(async () => expect((await there.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [{ title: "Paint" }] }));
  const live = watchings["a WebSocket"](there, "{ queryTask { title } }");
  await begun(live);
  await ada.post("sign-out", {});
  await eventually(() => expect(live.isOver).toBe(true));
  expect((await there.ask("{ queryTask { title } }")).data).toEqual({ queryTask: [] });
});

it("two servers where one e-mail signs up at once make one user, and answer the same", async () => {
  const first = await accountsServer();
  const second = await accountsServer({ place: first.place });
  const sent = [first, second, first, second].map((at, index) =>
    at.client().post("sign-up/email", { email: "ada@example.org", password: `${password}${index}`, name: "Ada" }),
  );
  const answers = await Promise.all(sent);
  expect(answers.map(({ status, body }) => [status, JSON.stringify(body)])).toEqual(answers.map(() => [200, JSON.stringify(answers[0]?.body)]));
  expect((await first.system("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
  const signIns = await Promise.all(
    [0, 1, 2, 3].map((index) => second.client().post("sign-in/email", { email: "ada@example.org", password: `${password}${index}` })),
  );
  expect(signIns.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  await eventually(() => expect([...first.mails, ...second.mails].map(({ kind }) => kind)).toContain("verify"));
});

it("tries at a password on two servers count together", async () => {
  const first = await accountsServer({ accounts: { rateLimit: threeSignIns } });
  const second = await accountsServer({ place: first.place, accounts: { rateLimit: threeSignIns } });
  const statuses: number[] = [];
  for (const at of [first, second, first, second]) {
    statuses.push((await at.client().post("sign-in/email", { email: "ada@example.org", password })).status);
  }
  expect(statuses).toEqual([401, 401, 401, 429]);
});
