// Sign-in by a provider: a real OpenID provider on loopback, and a browser that follows its redirects.

import { createServer } from "node:http";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { type AccountsServer, accountsServer, Client, signedUp } from "./accounts-server.ts";

const client = { client_id: "tasks", client_secret: "a-secret-of-some-client-of-forty-letters" };

interface Profile {
  readonly email: string;
  readonly email_verified: boolean;
}

/** Who asks it has logged in there as `profile`, and consents to everything. */
async function provider(profile: Profile) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const oidc = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: "1", alg: "RS256", use: "sig" }] },
    clients: [{ ...client, redirect_uris: ["http://placeholder.example/"] }],
    cookies: { keys: ["a key of cookies"] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "role", "ROLE"] },
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, name: "Ada", role: "ADMIN", ROLE: "ADMIN", ...profile }) }),
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({ clientId: client.client_id, accountId: context.oidc.session?.accountId ?? "" });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  // The port of the server that it leads back to is not known before it listens.
  Object.assign(oidc.Client.prototype, { redirectUriAllowed: (uri: string) => /^http:\/\/127\.0\.0\.1:\d+\/api\/auth\/\S+$/.test(uri) });
  const handle = oidc.callback();
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/interaction/")) void oidc.interactionFinished(request, response, { login: { accountId: "ada-there" } });
    else void handle(request, response);
  }).listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  return {
    issuer,
    plugin: genericOAuth({
      config: [
        {
          providerId: "local",
          discoveryUrl: `${issuer}/.well-known/openid-configuration`,
          clientId: client.client_id,
          clientSecret: client.client_secret,
          scopes: ["openid", "email", "profile"],
          pkce: true,
        },
      ],
    }),
  };
}

/** Until the provider leads back to the server. */
async function leadBack(browser: Client, issuer: string): Promise<URL> {
  const begun = await browser.post("sign-in/social", { provider: "local", callbackURL: "/home" });
  const there = new Client(issuer);
  for (let url = new URL(String(begun.body.url)), steps = 0; steps < 10; steps++) {
    if (url.origin === browser.url) return url;
    const response = await there.send(`${url.pathname}${url.search}`);
    url = new URL(response.headers.get("location") ?? "", url);
  }
  throw new Error("The provider does not lead back.");
}

async function setUp(profile: Profile = { email: "ada@example.org", email_verified: true }) {
  const { issuer, plugin } = await provider(profile);
  const at = await accountsServer({ accounts: { plugins: [plugin] } });
  const browser = at.client();
  const open = (url: URL, with_: Client = browser) => with_.send(`${url.pathname}${url.search}`);
  return { at, issuer, browser, open };
}

const users = async (at: AccountsServer) => (await at.system("{ queryUser { email role } }")).data.queryUser;

it("a user of the provider is one of the schema, with its defaults, whatever else the provider says of it", async () => {
  const { at, issuer, browser, open } = await setUp();
  const back = await leadBack(browser, issuer);
  expect((await open(back)).headers.get("location")).toBe("/home");
  expect(await users(at)).toEqual([{ email: "ada@example.org", role: "member" }]);
  expect((await browser.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
});

it("the way there carries state and a challenge, and the way back counts once, with its state, in its browser", async () => {
  const { at, issuer, browser, open } = await setUp();
  const begun = new URL(String((await browser.post("sign-in/social", { provider: "local", callbackURL: "/home" })).body.url));
  expect(begun.searchParams.get("code_challenge_method")).toBe("S256");
  expect(begun.searchParams.get("state")).toMatch(/.{20}/);
  const back = await leadBack(browser, issuer);
  const stranger = at.client();
  await open(back, stranger);
  expect(await stranger.session()).toBeNull();
  const changed = new URL(back);
  changed.searchParams.set("state", "another");
  await open(changed);
  expect(await browser.session()).toBeNull();
  expect(await users(at)).toEqual([]);
  const again = await leadBack(browser, issuer);
  await open(again);
  expect(await browser.session()).not.toBeNull();
  const replayed = at.client();
  await open(again, replayed);
  expect(await replayed.session()).toBeNull();
});

it("who claims an e-mail at the provider that it has not confirmed there does not get the user who has it here", async () => {
  const { at, issuer, browser, open } = await setUp({ email: "ada@example.org", email_verified: false });
  await signedUp(at, "ada@example.org");
  await open(await leadBack(browser, issuer));
  expect(await browser.session()).toBeNull();
});

it("who has confirmed its e-mail there gets the user who has confirmed it here", async () => {
  const { at, issuer, browser, open } = await setUp();
  await signedUp(at, "ada@example.org");
  await open(await leadBack(browser, issuer));
  expect(await browser.session()).toMatchObject({ user: { email: "ada@example.org", role: "member" } });
  expect(await users(at)).toEqual([{ email: "ada@example.org", role: "member" }]);
});
