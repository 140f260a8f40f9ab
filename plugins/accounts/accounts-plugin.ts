// `@account`: users who sign up and in, with what `@auth` reads of them.

import type { DirectivePlugin } from "../../core/plugin.ts";
import { AccountsService } from "./accounts-service.ts";
import type { AccountsOptions } from "./options.ts";
import { definitions } from "./schema/definitions.ts";
import { withPluginTables } from "./store/plugin-tables.ts";
import { layoutOf } from "./store/tables.ts";

/**
 * Users sign in at `/api/auth/*`, which better-auth answers. Put it before `authPlugin()`:
 *
 *     plugins: [accountsPlugin({ secret: process.env.QUERN_ACCOUNTS_SECRET }), identityPlugin(), searchPlugin(), authPlugin()]
 */
export function accountsPlugin(options: AccountsOptions = {}): DirectivePlugin {
  const tables = withPluginTables(options.plugins ?? []);
  const service = new AccountsService(options, tables);
  return {
    name: "accounts",
    definitions,
    stores: layoutOf(tables),
    serving: ({ host }) => service.serving(host),
    model: (context) => service.hooks(context),
    server: (kernel) => service.attach(kernel),
  };
}
