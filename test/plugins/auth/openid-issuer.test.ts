// A real OpenID provider issues the tokens: the key set that its discovery document names, the audience of its API, and claims of a namespace.

import { createServer, type Server } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { deploy } from "./harness.ts";

const audience = "https://tasks.example";
const namespace = "https://tasks.example/claims";
const secret = "a-secret-of-some-client-of-forty-letters";
let issuer = "";
let server: Server;
let keySet = "";

beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    jwks: {
      keys: [{ ...(await exportJWK((await generateKeyPair("RS256", { extractable: true })).privateKey)), kid: "1", alg: "RS256", use: "sig" }],
    },
    clients: ["ada", "root"].map((client_id) => ({
      client_id,
      client_secret: secret,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({ audience: resource, scope: "tasks", accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } }),
      },
    },
    extraTokenClaims: (_, { clientId }) => ({ [namespace]: { role: clientId === "root" ? "admin" : "user" } }),
  });
  server = createServer(provider.callback()).listen(port, "127.0.0.1");
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  keySet = (await discovery.json()).jwks_uri;
});
afterAll(() => void server?.close());

/** By the client credentials grant, for an API of this name. */
async function tokenOf(client: string, resource = audience): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", resource, scope: "tasks" });
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
    body,
  });
  return (await response.json()).access_token;
}

it("tokens of an OpenID provider are verified by its key set, and carry subject and claims", async () => {
  const line = JSON.stringify({ Header: "Authorization", Namespace: namespace, JWKUrl: keySet, Audience: [audience] });
  const api = await deploy(`
    type Task @auth(query: { or: [
      { rule: "query($sub: String!) { queryTask(filter: { owner: { eq: $sub } }) { title } }" }
      { rule: "{$role: {eq: \\"admin\\"}}" }
    ] }) { title: String! @id  owner: String @search(by: [hash]) }
    # Service.Authorization ${line}
  `);
  await api.ask('mutation { addTask(input: [{ title: "a", owner: "ada" }, { title: "b", owner: "bo" }]) { numUids } }');
  const asked = async (token: string) => await api.ask("{ queryTask(order: { asc: title }) { title } }", { authorization: `Bearer ${token}` });
  expect(await asked(await tokenOf("ada"))).toEqual({ data: { queryTask: [{ title: "a" }] } });
  expect(await asked(await tokenOf("root"))).toEqual({ data: { queryTask: [{ title: "a" }, { title: "b" }] } });
  expect((await asked(await tokenOf("root", "https://other.example"))).errors).toHaveLength(1);
});
