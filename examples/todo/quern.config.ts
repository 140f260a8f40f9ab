// A server of tasks whose users sign up and in, with a page at /todo.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { defineConfig } from "quern";
import { accountsFromEnvironment, standardPlugins, standardStack } from "quern/adapters/cli";
import { accountsPlugin } from "quern/plugins/accounts";
import { pagePlugin } from "../page-plugin/page-plugin.ts";
import { providersPlugin } from "./providers-plugin.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// `npm run build` bundles the page.
const built = (name: string) => here(`../../dist/examples/todo/page/${name}`);

const stack = standardStack({ data: process.env.DATA ?? "./data/todo" });
const accounts = await accountsFromEnvironment(stack.storage);

// A provider that speaks OpenID Connect, such as that of provider.mjs.
const issuer = process.env.OIDC_ISSUER;
const local = {
  providerId: "oidc",
  discoveryUrl: `${issuer}/.well-known/openid-configuration`,
  clientId: process.env.OIDC_CLIENT_ID ?? "tasks",
  clientSecret: process.env.OIDC_CLIENT_SECRET ?? "a secret of both, for development",
  scopes: ["openid", "email", "profile"],
  pkce: true,
};

export default defineConfig({
  ...stack,
  plugins: [
    accountsPlugin({ ...accounts, twoFactor: true, plugins: issuer ? [genericOAuth({ config: [local] })] : [] }),
    ...standardPlugins(),
    providersPlugin([...Object.keys(accounts.socialProviders ?? {}), ...(issuer ? [local.providerId] : [])]),
    pagePlugin({ "/todo": here("page/index.html"), "/todo/page.js": built("page.js"), "/todo/page.css": built("page.css") }),
  ],
  schema: readFileSync(here("schema.graphql"), "utf8"),
});
