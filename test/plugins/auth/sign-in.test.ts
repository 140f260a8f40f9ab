// Tokens with the shape that sign-in services give them, signed by a local issuer with a key set: the recipes of docs/sign-in.md.

import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: KeyPair;
let address = "";
const issuer = createServer(async (_, response) => {
  const signing = { ...(await exportJWK(keys.publicKey)), kid: "signing", use: "sig", alg: "RS256" };
  // Keycloak publishes a key for encryption beside the other one.
  const encrypting = { ...(await exportJWK(keys.publicKey)), kid: "encrypting", use: "enc", alg: "RSA-OAEP" };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [encrypting, signing] }));
});
beforeAll(async () => {
  keys = await generateKeyPair("RS256", { extractable: true });
  await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
  const bound = issuer.address();
  address = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}/jwks.json`;
});
afterAll(() => void issuer.close());

/** Rules of the form that each recipe shows: a user sees own tasks, a role sees all. */
const schema = (settings: Readonly<Record<string, unknown>>, user: string, role: string) => `
  type Task @auth(query: { or: [
    { rule: "query($${user}: String!) { queryTask(filter: { owner: { eq: $${user} } }) { title } }" }
    { rule: "{$${role}: {eq: \\"admin\\"}}" }
  ] }) { title: String! @id  owner: String @search(by: [hash]) }
  # Service.Authorization ${JSON.stringify({ Header: "Authorization", JWKUrl: address, ...settings })}
`;

interface Service {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly user: string;
  readonly role: string;
  claims(subject: string, role: string): Readonly<Record<string, unknown>>;
}

const services: readonly Service[] = [
  {
    name: "Auth0",
    settings: { Namespace: "https://tasks.example/claims", Audience: ["https://tasks.example"] },
    user: "sub",
    role: "role",
    claims: (sub, role) => ({
      iss: "https://tenant.eu.auth0.com/",
      sub,
      aud: ["https://tasks.example", "https://tenant.eu.auth0.com/userinfo"],
      scope: "openid profile",
      "https://tasks.example/claims": { role },
    }),
  },
  {
    name: "Clerk",
    settings: { Namespace: "metadata", Audience: ["tasks"] },
    user: "sub",
    role: "role",
    claims: (sub, role) => ({
      iss: "https://clean-owl-1.clerk.accounts.dev",
      azp: "http://localhost:3000",
      sub,
      sid: "sess_1",
      aud: "tasks",
      metadata: { role },
    }),
  },
  {
    name: "Firebase",
    settings: { Namespace: "firebase", Audience: ["tasks-1a2b"] },
    user: "user_id",
    role: "role",
    claims: (sub, role) => ({
      iss: "https://securetoken.google.com/tasks-1a2b",
      aud: "tasks-1a2b",
      auth_time: 1,
      user_id: sub,
      sub,
      role,
      firebase: { identities: { email: [] }, sign_in_provider: "password" },
    }),
  },
  {
    name: "Keycloak",
    settings: { Namespace: "realm_access", Audience: ["account", "tasks"] },
    user: "preferred_username",
    role: "roles",
    claims: (sub, role) => ({
      iss: "http://127.0.0.1:8180/realms/tasks",
      sub: "5c1e",
      typ: "Bearer",
      azp: "tasks",
      aud: "account",
      preferred_username: sub,
      realm_access: { roles: ["offline_access", role] },
      resource_access: { account: { roles: ["manage-account"] } },
    }),
  },
];

describe.each(services)("a token of $name", ({ settings, user, role, claims }) => {
  const signed = (payload: Readonly<Record<string, unknown>>, kid = "signing") =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg: "RS256", typ: "JWT", kid }).setIssuedAt().setExpirationTime("5m").sign(keys.privateKey);

  it("shows a user the user's own objects, an administrator all, and nobody those of a stranger", async () => {
    const api = await deploy(schema(settings, user, role));
    await api.ask('mutation { addTask(input: [{ title: "a", owner: "auth|ada" }, { title: "b", owner: "auth|bo" }]) { numUids } }');
    const titles = async (token?: string) =>
      (await api.ask("{ queryTask(order: { asc: title }) { title } }", token ? { authorization: `Bearer ${token}` } : {})).data;
    expect(await titles()).toEqual({ queryTask: [] });
    expect(await titles(await signed(claims("auth|ada", "user")))).toEqual({ queryTask: [{ title: "a" }] });
    expect(await titles(await signed(claims("auth|ad", "admins")))).toEqual({ queryTask: [] });
    expect(await titles(await signed(claims("auth|bo", "admin")))).toEqual({ queryTask: [{ title: "a" }, { title: "b" }] });
  });

  it("is refused for another audience, and signed by an unknown key", async () => {
    const api = await deploy(schema(settings, user, role));
    const asked = async (token: string) => (await api.ask("{ queryTask { title } }", { authorization: `Bearer ${token}` })).errors?.length;
    expect(await asked(await signed({ ...claims("auth|ada", "admin"), aud: "somebody-else" }))).toBe(1);
    expect(await asked(await signed(claims("auth|ada", "admin"), "unknown"))).toBe(1);
  });
});
