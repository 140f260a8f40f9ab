// A provider of sign-ins on this machine, for development, in place of GitHub or Google: OpenID Connect, by oidc-provider. It believes everybody.

import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

const port = Number(process.env.PORT ?? 9000);
const tasks = process.env.TASKS ?? "http://127.0.0.1:8080";
const issuer = `http://127.0.0.1:${port}`;
const { privateKey } = await generateKeyPair("RS256", { extractable: true });

const oidc = new Provider(issuer, {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: "1", alg: "RS256", use: "sig" }] },
  clients: [{ client_id: "tasks", client_secret: "a secret of both, for development", redirect_uris: [`${tasks}/api/auth/callback/oidc`] }],
  cookies: { keys: ["a key of cookies, for development"] },
  // Who signs out of the tasks stays signed in here.
  features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  conformIdTokenClaims: false,
  findAccount: (_context, email) => ({ accountId: email, claims: () => ({ sub: email, email, email_verified: true, name: email.split("@")[0] }) }),
  loadExistingGrant: async ({ oidc: { provider, session } }) => {
    const grant = new provider.Grant({ clientId: "tasks", accountId: session?.accountId ?? "" });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  },
});

const form = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A provider</title><h1>A provider of sign-ins</h1>
<form><label>Your e-mail <input name="email" type="email" required></label> <button>Continue</button></form></html>`;

const handle = oidc.callback();
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
  const email = searchParams.get("email");
  if (!pathname.startsWith("/interaction/")) handle(request, response);
  else if (email === null) response.writeHead(200, { "content-type": "text/html" }).end(form);
  else void oidc.interactionFinished(request, response, { login: { accountId: email } });
}).listen(port, "127.0.0.1", () => console.log(issuer));
