// Users who sign in beside read workers, access control lists and federation: claims arrive there, and end with the session.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { accountsPlugin } from "../../../plugins/accounts/index.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { started, temporaryFolder } from "../../cli/quern.ts";
import { eventually } from "../../support/eventually.ts";
import { accountsServer, Client, password, schema, secret, signedUp } from "./accounts-server.ts";

const own = "{ queryUser { email } }";

it("a read worker answers each user with its own claims, and nobody after the session has ended", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "schema.graphql"), schema);
  const config = fileURLToPath(new URL("readers.config.mjs", import.meta.url));
  const server = await started(folder.path, "--config", config, "--schema", "schema.graphql", "--admin-open");
  onTestFinished(async () => {
    server.child.kill("SIGTERM");
    await server.ended;
    folder.remove();
  });
  const metric = async (name: string) => {
    const text = await (await fetch(new URL("/metrics", server.url))).text();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  };
  const signedIn = async (email: string) => {
    const client = new Client(new URL(server.url).origin);
    await client.post("sign-up/email", { email, password, name: "A" });
    expect((await client.post("sign-in/email", { email, password })).status).toBe(200);
    return client;
  };
  const [ada, bob] = [await signedIn("ada@example.org"), await signedIn("bob@example.org")];
  await eventually(async () => {
    await ada.ask(own);
    expect(await metric("quern_read_workers_ready")).toBe(1);
  });
  const handed = await metric("quern_read_workers_queries_total");
  const answers = await Promise.all([ada, bob, ada, bob, new Client(ada.url)].map(async (client) => (await client.ask(own)).data));
  const of = (email: string) => ({ queryUser: [{ email }] });
  expect(answers).toEqual([of("ada@example.org"), of("bob@example.org"), of("ada@example.org"), of("bob@example.org"), { queryUser: [] }]);
  expect(await metric("quern_read_workers_queries_total")).toBe(handed + 5);
  const { cookie } = ada;
  await ada.post("sign-out", {});
  expect((await new Client(ada.url).ask(own, { cookie })).data).toEqual({ queryUser: [] });
  expect((await bob.ask(own)).data).toEqual(of("bob@example.org"));
});

it("under access control a session gives claims to rules and no rights of a group, and the token of a group gives no claims", async () => {
  const users = accountsPlugin({ secret, sendMail: async () => undefined, emailAndPassword: { requireEmailVerification: false } });
  const acl = aclPlugin({ secret: "a secret of the specs: 0123456789abcdef" });
  const at = await accountsServer({ config: { plugins: [users, ...standardPlugins(), acl], admin: {} } });
  const response = await fetch(new URL("/admin", at.url()), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: 'mutation { login(userId: "groot", password: "password") { response { accessJWT } } }' }),
  });
  const token = { "x-service-accesstoken": JSON.parse(await response.text()).data.login.response.accessJWT };
  const ada = at.client();
  await ada.post("sign-up/email", { email: "ada@example.org", password, name: "Ada" });
  expect((await ada.post("sign-in/email", { email: "ada@example.org", password })).status).toBe(200);
  expect((await ada.ask(own)).errors).toMatchObject([{ message: expect.stringContaining("no accessJwt available") }]);
  expect((await ada.ask(own, token)).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
  expect((await at.client().ask(own, token)).data).toEqual({ queryUser: [] });
  const { cookie } = ada;
  await ada.post("sign-out", {});
  expect((await at.client().ask(own, { ...token, cookie })).data).toEqual({ queryUser: [] });
});

it("shows a gateway of a federation that sends the cookie on the entities that its user may see", async () => {
  const at = await accountsServer({ schema: schema.replace("type User", 'type User @key(fields: "email")') });
  const [ada] = [await signedUp(at, "ada@example.org"), await signedUp(at, "bob@example.org")];
  const entities = `{ _entities(representations: [{ __typename: "User", email: "ada@example.org" }, { __typename: "User", email: "bob@example.org" }]) { ... on User { email } } }`;
  expect((await ada.ask(entities)).data).toEqual({ _entities: [{ email: "ada@example.org" }, null] });
  expect((await at.client().ask(entities)).data).toEqual({ _entities: [null, null] });
  expect(JSON.stringify((await ada.ask("{ _service { sdl } }")).data)).not.toContain("accounts.");
  const { cookie } = ada;
  await ada.post("sign-out", {});
  expect((await at.client().ask(entities, { cookie })).data).toEqual({ _entities: [null, null] });
});
