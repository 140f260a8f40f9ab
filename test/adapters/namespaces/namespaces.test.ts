// One server with several namespaces: they are made, used and deleted, each with a schema, data and users of its own.

import { describe, expect, it } from "vitest";
import { tenantsPlace } from "../../support/tenants-place.ts";
import { deploy, tenantsServer } from "./tenants.ts";

const boats = "type Boat { tag: String! @id  seats: Int @search }";
const trains = "type Train { name: String! @id }";

const start = async (config = {}) => await tenantsServer(await tenantsPlace(), config);
const messages = (answer: { errors?: readonly { message: string }[] | undefined }) => answer.errors?.map(({ message }) => message);

describe("a namespace", () => {
  it("has a schema and data of its own", async () => {
    const server = await start();
    const zero = await server.groot(0);
    await deploy(server, trains, zero);
    const { namespace, token } = await server.tenant(boats);
    expect(namespace).toBe(1);
    await server.graphql('mutation { addBoat(input: [{ tag: "a", seats: 4 }]) { numUids } }', token);
    expect((await server.graphql("{ queryBoat { tag seats } }", token)).data).toEqual({ queryBoat: [{ tag: "a", seats: 4 }] });
    expect(messages(await server.graphql("{ queryBoat { tag } }", zero))?.[0]).toContain("queryBoat");
    expect(messages(await server.graphql("{ queryTrain { name } }", token))?.[0]).toContain("queryTrain");
    expect((await server.graphql("{ queryTrain { name } }", zero)).data).toEqual({ queryTrain: [] });
  });

  it("has users and passwords of its own", async () => {
    const server = await start();
    const one = await server.tenant();
    const two = await server.tenant();
    await server.admin('mutation { addUser(input: [{ name: "ann", password: "ann-pass-1" }]) { user { name } } }', one.token);
    const names = async (token: string) =>
      (await server.admin("{ queryUser { name } }", token)).data.queryUser.map(({ name }: { name: string }) => name);
    expect([await names(one.token), await names(two.token), await names(await server.groot(0))]).toEqual([["ann", "groot"], ["groot"], ["groot"]]);
    const login = (namespace: number) =>
      server.admin(`mutation { login(userId: "ann", password: "ann-pass-1", namespace: ${namespace}) { response { refreshJWT } } }`);
    expect((await login(one.namespace)).errors).toBeUndefined();
    expect(messages(await login(two.namespace))).toEqual(["resolving login failed because invalid username or password"]);
    expect(messages(await login(77))).toEqual(["resolving login failed because invalid username or password"]);
    await expect(server.groot(one.namespace)).rejects.toThrow("invalid username or password");
  });

  it("is refreshed by a refresh token of its own, which no other one takes", async () => {
    const server = await start();
    const one = await server.tenant();
    const two = await server.tenant();
    const { data } = await server.admin(
      `mutation { login(userId: "groot", password: "tenant-pass", namespace: ${one.namespace}) { response { refreshJWT } } }`,
    );
    const refresh = (more: string) =>
      server.admin(`mutation { login(refreshToken: "${data.login.response.refreshJWT}"${more}) { response { accessJWT } } }`);
    const renewed = await refresh("");
    expect((await server.admin("{ state { namespaces } }", renewed.data.login.response.accessJWT)).data).toEqual({ state: { namespaces: [1] } });
    expect(messages(await refresh(`, namespace: ${two.namespace}`))).toEqual(["resolving login failed because invalid username or password"]);
    expect((await refresh(`, namespace: ${one.namespace}`)).errors).toBeUndefined();
    const rest = await server.ask("/login", JSON.stringify({ userid: "groot", password: "tenant-pass", namespace: two.namespace }));
    expect(typeof rest.data.accessJWT).toBe("string");
  });

  it("is gone with all that was in it when it is deleted, and its number is never given away again", async () => {
    const place = await tenantsPlace();
    const server = await tenantsServer(place);
    const zero = await server.groot(0);
    const one = await server.tenant(boats);
    const gone = await server.admin(`mutation { deleteNamespace(input: { namespaceId: ${one.namespace} }) { namespaceId message } }`, zero);
    expect(gone.data).toEqual({ deleteNamespace: { namespaceId: one.namespace, message: "Deleted namespace successfully" } });
    await expect(server.groot(one.namespace, "tenant-pass")).rejects.toThrow("invalid username or password");
    expect(messages(await server.graphql("{ queryBoat { tag } }", one.token))?.[0]).not.toContain("queryBoat { tag }");
    expect((await server.tenant()).namespace).toBe(one.namespace + 1);
    expect((await server.admin("{ state { namespaces } }", zero)).data).toEqual({ state: { namespaces: [0, 2] } });
    expect(messages(await server.admin(`mutation { deleteNamespace(input: { namespaceId: 1 }) { message } }`, zero))).toEqual([
      "resolving deleteNamespace failed because error deleting non-existing namespace 0x1",
    ]);
    expect(messages(await server.admin(`mutation { deleteNamespace(input: { namespaceId: 0 }) { message } }`, zero))).toEqual([
      "resolving deleteNamespace failed because Cannot delete default namespace",
    ]);
  });

  it("is there again after a restart", async () => {
    const place = await tenantsPlace();
    const first = await tenantsServer(place);
    const { namespace, token } = await first.tenant(boats);
    await first.graphql('mutation { addBoat(input: [{ tag: "a" }]) { numUids } }', token);
    await first.kernel.close();
    const second = await tenantsServer(place);
    expect((await second.graphql("{ queryBoat { tag } }", token)).data).toEqual({ queryBoat: [{ tag: "a" }] });
    expect((await second.tenant()).namespace).toBe(namespace + 1);
  });

  it("is made with the password of its first user, who may change it, as may guardians of namespace 0", async () => {
    const server = await start();
    const zero = await server.groot(0);
    const short = await server.admin('mutation { addNamespace(input: { password: "short" }) { namespaceId } }', zero);
    expect(messages(short)?.[0]).toContain("Password too short");
    const plain = await server.admin("mutation { addNamespace { namespaceId message } }", zero);
    expect(plain.data.addNamespace.message).toBe("Created namespace successfully");
    const namespace = plain.data.addNamespace.namespaceId;
    await server.groot(namespace);
    const reset = (user: string) =>
      server.admin(
        `mutation { resetPassword(input: { userId: "${user}", password: "other-pass", namespace: ${namespace} }) { userId message namespace } }`,
        zero,
      );
    expect((await reset("groot")).data.resetPassword).toEqual({ userId: "groot", message: "Reset password is successful", namespace });
    await server.groot(namespace, "other-pass");
    await server.groot(0);
    expect(messages(await reset("nobody"))).toEqual(["resolving resetPassword failed because Failed to reset password, user doesn't exist"]);
  });
});

describe("guardians of another namespace than 0", () => {
  it.each([
    'addNamespace(input: { password: "some-pass" }) { namespaceId }',
    "deleteNamespace(input: { namespaceId: 1 }) { namespaceId }",
    'resetPassword(input: { userId: "groot", password: "some-pass", namespace: 0 }) { userId }',
    "shutdown { response { code } }",
    "draining(enable: true) { response { code } }",
    "config(input: { cacheMb: 1 }) { response { code } }",
    'backup(input: { destination: "/tmp/x" }) { response { code } }',
    'restore(input: { location: "/tmp/x" }) { code }',
    "assign(input: { what: UID, num: 1 }) { response { startId } }",
  ])("may not %s", async (field) => {
    const server = await start();
    const { token } = await server.tenant();
    expect(messages(await server.admin(`mutation { ${field} }`, token))?.[0]).toContain("Only superadmin is allowed to do this operation");
  });

  it("neither read metrics of the process nor stop it", async () => {
    const server = await start();
    const { token } = await server.tenant();
    const headers = { "x-dgraph-accesstoken": token };
    for (const path of ["/metrics", "/admin/shutdown"]) {
      const { text } = await server.ask(path, "", headers, "GET");
      expect(text, path).toMatch(/404|not a member of guardians|superadmin/);
    }
    const { text } = await server.ask("/admin/draining?enable=true", "", headers);
    expect(text).toContain("Only superadmin");
    expect(server.kernel.draining).toBe(false);
  });
});
