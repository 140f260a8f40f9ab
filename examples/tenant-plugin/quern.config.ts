// A server with `@tenant`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { dqlPlugin } from "quern/plugins/dql";
import { identityPlugin } from "quern/plugins/identity";
import { tenantPlugin } from "./tenant-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/tenant" }),
  transports: [wsTransport()],
  // A header proves nothing: behind a proxy that sets it, or for a try. By default the tenant is a claim of the token.
  plugins: [identityPlugin(), dqlPlugin(), tenantPlugin({ tenantOf: ({ headers }) => headers["x-tenant"] })],
  schema: `
    type Invoice @tenant {
      id: ID!
      cents: Int!
    }
    type Query {
      invoices: [Invoice] @custom(dql: "{ invoices(func: type(Invoice)) { cents: Invoice.cents } }")
    }
  `,
});
