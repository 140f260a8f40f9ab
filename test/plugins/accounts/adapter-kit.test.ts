// better-auth's own specs of database adapters, over the hidden types in which its rows lie. Those of transactions are left out: the adapter says that it has none.

import {
  authFlowTestSuite,
  caseInsensitiveTestSuite,
  joinsTestSuite,
  normalTestSuite,
  testAdapter,
  uuidTestSuite,
} from "@better-auth/test-utils/adapter";
import type { BetterAuthOptions } from "better-auth";
import { createAdapterFactory } from "better-auth/adapters";
import { getAuthTables } from "better-auth/db";
import { afterAll, expect, it } from "vitest";
import type { DirectivePlugin, KernelAccess } from "../../../core/plugin.ts";
import { adapterOf } from "../../../plugins/accounts/store/adapter.ts";
import { HiddenRows } from "../../../plugins/accounts/store/hidden-rows.ts";
import { withPluginTables } from "../../../plugins/accounts/store/plugin-tables.ts";
import { accountTables, layoutOf, type Tables } from "../../../plugins/accounts/store/tables.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

/** The tables of better-auth for some options, as if all came of a plugin. */
function tablesFor(options: BetterAuthOptions): Tables {
  const named = Object.entries(getAuthTables(options)).map(([model, { fields }]) => [
    model === "user" ? "users" : model,
    { fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [field.fieldName ?? name, field])) },
  ]);
  const { users, ...tables } = withPluginTables([{ id: "all", schema: Object.fromEntries(named) }]);
  return { ...tables, user: users ?? { columns: {} } };
}

let running: TemporaryKernel | undefined;
let access: KernelAccess | undefined;

async function opened(tables: Tables): Promise<void> {
  const plugin: DirectivePlugin = {
    name: "accounts",
    definitions: "",
    stores: layoutOf(tables),
    model: () => undefined,
    server: (kernel) => {
      access = kernel;
      return {};
    },
  };
  await running?.remove();
  running = await temporaryKernel({ plugins: [plugin] });
}

afterAll(() => running?.remove());

const { execute } = await testAdapter({
  adapter: async (options) => {
    const tables = tablesFor(options);
    if (running === undefined) await opened(tables);
    const kernel = () => access ?? expect.fail("The kernel is not open.");
    return adapterOf(createAdapterFactory, { rows: new HiddenRows(kernel, tables), users: undefined });
  },
  runMigrations: async (options) => await opened(tablesFor(options)),
  tests: [normalTestSuite(), authFlowTestSuite(), caseInsensitiveTestSuite(), joinsTestSuite(), uuidTestSuite()],
  onFinish: async () => undefined,
});
execute();

it("the tables that are written down have every column of better-auth's, of its kind", async () => {
  const { twoFactor } = await import("better-auth/plugins/two-factor");
  const { user, ...tables } = tablesFor({ plugins: [twoFactor()], rateLimit: { storage: "database" } });
  for (const [name, { columns }] of Object.entries(tables)) {
    for (const [column, { kind, lookup }] of Object.entries(columns)) {
      const written = accountTables[name]?.columns[column];
      expect(written?.kind, `${name}.${column}`).toBe(kind);
      if (lookup !== undefined) expect(written?.lookup, `${name}.${column}`).toBeDefined();
    }
  }
  expect(Object.keys(accountTables.profile?.columns ?? {})).toEqual(
    expect.arrayContaining(Object.keys(user?.columns ?? {}).filter((each) => each !== "email")),
  );
});
