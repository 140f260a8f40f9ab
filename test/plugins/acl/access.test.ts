// Access control by rules of groups: who may log in, what a changed rule does, and who administrates.

import { SignJWT } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { createKernel } from "../../../core/index.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { comparedCosts, useFullCost } from "../../support/bcrypt.ts";
import { newStorage } from "../../support/storage.ts";
import { type AclServer, aclServer, prepared, secret, withQuestions } from "./server.ts";

const schema = `
  type Boat @withSubscription { tag: String! @id  seats: Int @search  crew: [Sailor] @hasInverse(field: boat) }
  type Sailor { name: String! @id  boat: Boat }
`;

let running: AclServer | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

async function start(options = {}, config = {}): Promise<AclServer> {
  running = await aclServer(options, config);
  return running;
}

const rules = { reader: { "Boat.tag": 4 }, writer: { "Boat.tag": 6, "dgraph.type": 2 }, typist: { Boat: 4 }, all: { "service.all": 7 } };
const addBoat = 'mutation { addBoat(input: [{ tag: "a", seats: 4 }]) { numUids } }';
const seats = "{ queryBoat { tag seats } }";
const login = (password: string, user = "reader") => `mutation { login(userId: "${user}", password: "${password}") { response { refreshJWT } } }`;

describe("a login", () => {
  it("works before a schema is deployed, and users are there after a restart and a redeploy", async () => {
    const server = await start();
    const { groot, reader } = await prepared(server, schema, rules);
    await server.graphql(addBoat, groot);
    running = withQuestions(await server.restart());
    expect((await running.graphql("{ queryBoat { tag } }", reader)).data).toEqual({ queryBoat: [{ tag: "a" }] });
    expect((await running.admin(login("reader-pass-1"))).errors).toBeUndefined();
  });

  it("fails in the same words and at the same cost for an unknown user as for a wrong password", async () => {
    useFullCost();
    const server = await start();
    await prepared(server, schema, rules);
    const failed = async (query: string) => {
      comparedCosts();
      const { data, errors } = await server.admin(query);
      return { data, errors, costs: comparedCosts() };
    };
    const wrong = await failed(login("wrong-pass"));
    expect(wrong.costs).toEqual(["$2b$10$"]);
    expect(await failed(login("wrong-pass", "nobody"))).toEqual(wrong);
  });

  it("is refused after as many failures of a user from one address as may be, and goes on for others and from elsewhere", async () => {
    const server = await start({ maxFailedLogins: 3 });
    await prepared(server, schema, rules);
    const failures = await Promise.all(Array.from({ length: 8 }, () => server.admin(login("wrong-pass"), undefined, "10.0.0.1")));
    const invalid = failures.filter(({ errors }) => errors?.[0]?.message === "resolving login failed because invalid username or password");
    expect([failures.length, invalid.length]).toEqual([8, 3]);
    const { errors } = await server.admin(login("reader-pass-1"), undefined, "10.0.0.1");
    expect(errors?.[0]?.message).toMatch(/^resolving login failed because too many failed logins; try again in \d seconds$/);
    expect((await server.admin(login("reader-pass-1"), undefined, "10.0.0.2")).errors).toBeUndefined();
    expect((await server.admin(login("writer-pass-1", "writer"), undefined, "10.0.0.1")).errors).toBeUndefined();
  });

  it("never takes an access token for a refresh token, nor the other way round", async () => {
    const server = await start();
    const { reader } = await prepared(server, schema, rules);
    const { data } = await server.admin(login("reader-pass-1"));
    const refresh = data.login.response.refreshJWT;
    const renew = (token: string | undefined) => server.admin(`mutation { login(refreshToken: "${token}") { response { __typename } } }`);
    expect((await renew(refresh)).errors).toBeUndefined();
    expect((await renew(reader)).errors?.[0]?.message).toBe("resolving login failed because invalid username or password");
    expect((await server.graphql("{ aggregateBoat { count } }", refresh)).data).toBeUndefined();
    expect((await server.admin("{ getCurrentUser { name } }", refresh)).data).toEqual({ getCurrentUser: null });
  });

  it("gives tokens that only this secret signs", async () => {
    const server = await start();
    const { groot } = await prepared(server, schema, rules);
    const forged = await new SignJWT({ userid: "groot", groups: ["guardians"], namespace: 0 })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1h")
      .sign(Buffer.from(secret.toUpperCase()));
    const { data, errors } = await server.graphql(seats, forged);
    expect({ data, message: errors?.[0]?.message }).toEqual({
      data: undefined,
      message:
        "Dgraph query failed because Dgraph execution failed because rpc error: code = Unauthenticated desc = unable to parse jwt token: token signature is invalid: signature is invalid",
    });
    const [head = "", , signature = ""] = groot?.split(".") ?? [];
    const claims = Buffer.from(JSON.stringify({ userid: "reader", groups: ["guardians"], namespace: 0, exp: 4e9 })).toString("base64url");
    expect((await server.admin("{ health { status } }", `${head}.${claims}.${signature}`)).data).toEqual({ health: [] });
  });
});

describe("a rule", () => {
  it("counts at once for tokens that are there, and no longer when it is removed", async () => {
    const server = await start();
    const { groot, reader } = await prepared(server, schema, rules);
    await server.graphql(addBoat, groot);
    const change = (patch: string) =>
      server.admin(`mutation { updateGroup(input: { filter: { name: { eq: "readers" } }, ${patch} }) { group { name } } }`, groot);
    expect((await server.graphql(seats, reader)).data).toEqual({ queryBoat: [{ tag: "a", seats: null }] });
    await change('set: { rules: [{ predicate: "Boat.seats", permission: 4 }] }');
    expect((await server.graphql(seats, reader)).data).toEqual({ queryBoat: [{ tag: "a", seats: 4 }] });
    await change('remove: { rules: ["Boat.seats"] }');
    expect((await server.graphql(seats, reader)).data).toEqual({ queryBoat: [{ tag: "a", seats: null }] });
  });

  it("counts for running subscriptions, which end with their token", async () => {
    const server = await start({ accessTtlMs: 15_000 });
    const { groot, reader } = await prepared(server, schema, rules);
    await server.graphql(addBoat, groot);
    const live = server.kernel.live({ query: `subscription ${seats}`, headers: { "x-dgraph-accesstoken": reader } });
    expect((await live.next()).value?.data).toEqual({ queryBoat: [{ tag: "a", seats: null }] });
    await server.admin(
      'mutation { updateGroup(input: { filter: { name: { eq: "readers" } }, set: { rules: [{ predicate: "Boat.seats", permission: 4 }] } }) { group { name } } }',
      groot,
    );
    expect((await live.next()).value?.data).toEqual({ queryBoat: [{ tag: "a", seats: 4 }] });
    await expect(live.next()).rejects.toMatchObject({ code: "SUBSCRIPTION_EXPIRED" });
  });

  it("may name a type for all of its predicates, also those that come with a later schema", async () => {
    const server = await start();
    const { groot, typist } = await prepared(server, schema, rules);
    await server.graphql(addBoat, groot);
    expect((await server.graphql("{ queryBoat { tag seats } querySailor { name } }", typist)).data).toEqual({
      queryBoat: [{ tag: "a", seats: 4 }],
      querySailor: [],
    });
    const headers = { host: "localhost", "x-service-accesstoken": groot };
    const later = schema.replace("seats: Int", "sails: Int seats: Int");
    await server.kernel.http({ method: "POST", url: "/admin/schema", headers, body: Buffer.from(later), remoteAddress: "127.0.0.1" });
    await server.graphql('mutation { addBoat(input: [{ tag: "b", sails: 3 }]) { numUids } }', groot);
    expect((await server.graphql('{ getBoat(tag: "b") { sails } }', typist)).data).toEqual({ getBoat: { sails: 3 } });
  });

  it("for everything leaves the predicates of the server to guardians", async () => {
    const server = await start();
    const { all } = await prepared(server, schema, rules);
    expect((await server.graphql(addBoat, all)).errors).toBeUndefined();
    const { errors } = await server.admin('mutation { addGroup(input: [{ name: "mine" }]) { group { name } } }', all);
    expect(errors?.[0]?.message).toContain("unauthorized to mutate following predicates: dgraph.type dgraph.xid");
  });
});

describe("the data", () => {
  it("without users and groups can be dropped, and with all there is groot and its first password again", async () => {
    const server = await start();
    const { groot, reader } = await prepared(server, schema, rules);
    const alter = (body: object, token = groot) =>
      server.kernel.http({
        method: "POST",
        url: "/alter",
        headers: { host: "localhost", "x-service-accesstoken": token },
        body: Buffer.from(JSON.stringify(body)),
        remoteAddress: "127.0.0.1",
      });
    expect((await alter({ drop_all: true }, reader)).body).toContain("only guardians are allowed to drop all data, but the current user is reader");
    await alter({ drop_op: "DATA" });
    expect((await server.admin(login("reader-pass-1"))).errors).toBeUndefined();
    await alter({ drop_all: true });
    expect((await server.admin(login("reader-pass-1"))).errors).toHaveLength(1);
    const again = await server.token("groot");
    expect((await server.admin("{ queryUser { name } queryGroup { name rules { predicate } } }", again)).data).toEqual({
      queryUser: [{ name: "groot" }],
      queryGroup: [{ name: "guardians", rules: [] }],
    });
  });
});

describe("the admin paths", () => {
  it("are for guardians: the first password works until it is changed, and an admin token that is configured is needed beside", async () => {
    const server = await start({}, { admin: { token: "lantern" } });
    const answer = await server.admin('mutation { login(userId: "groot", password: "password") { response { accessJWT } } }');
    expect(answer.errors?.[0]?.message).toBe("Invalid X-Dgraph-AuthToken");
  });

  it("hide nothing of a server that is open to its own machine: a guardian is needed there too", async () => {
    const server = await start({}, { admin: { open: "loopback" } });
    expect((await server.admin("{ getGQLSchema { schema } }")).errors?.[0]?.message).toBe(
      "resolving getGQLSchema failed because rpc error: code = PermissionDenied desc = no accessJwt available",
    );
    expect((await server.admin("{ getGQLSchema { schema } }", await server.token("groot"))).errors).toBeUndefined();
  });

  it.each(["/state", "/metrics", "/admin/draining?enable=true", "/admin/shutdown"])("%s refuses a user", async (url) => {
    const metrics = { contentType: "text/plain", open: false, expose: () => ({ contentType: "text/plain", body: "a 1" }) };
    const server = await start({}, url === "/metrics" ? { metrics } : {});
    const { all } = await prepared(server, schema, rules);
    const method = url.includes("draining") ? "POST" : "GET";
    const headers = { host: "localhost", "x-service-accesstoken": String(all) };
    const { body } = await server.kernel.http({ method, url, headers, body: new Uint8Array(0), remoteAddress: "127.0.0.1" });
    expect(String(body)).toContain("Only guardians are allowed access. User 'all' is not a member of guardians group.");
    expect(server.kernel.draining).toBe(false);
  });
});

describe("the plugin", () => {
  it("refuses a secret that is short, missing, or in a file that is not there", async () => {
    for (const options of [{ secret: "short" }, {}, { secretFile: "/no/such/file" }, { secret, accessTtlMs: 5 }])
      await expect(aclServer({ secret: undefined, ...options } as never), JSON.stringify(options)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("refuses every field of a kernel without a server, which has no users", async () => {
    const kernel = createKernel({ storage: await newStorage(), plugins: [aclPlugin({ secret })], log: { level: "silent" } });
    await kernel.open();
    try {
      await kernel.deploy("type A { b: String }");
      const token = await new SignJWT({ userid: "a", groups: ["b"], namespace: 0 })
        .setProtectedHeader({ alg: "HS256" })
        .setExpirationTime("1h")
        .sign(Buffer.from(secret));
      const { body } = await kernel.execute({ query: "{ queryA { b } }", headers: { "x-service-accesstoken": token } });
      expect(JSON.parse(body)).toMatchObject({ errors: [{ message: expect.stringContaining("Access control needs a server") }] });
    } finally {
      await kernel.close();
    }
  });
});
