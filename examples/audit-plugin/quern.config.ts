// A server with `@audit`. A proxy in front of it sets the header with the caller's name.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { auditPlugin } from "./audit-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/audit" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), auditPlugin({ who: ({ headers }) => headers["x-user"] })],
  schema: `
    type Account @audit {
      id: ID!
      owner: String! @search(by: [hash])
      cents: Int
    }
  `,
});
