// A server with `@softDelete`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { softDeletePlugin } from "./soft-delete-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/soft-delete" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), softDeletePlugin()],
  schema: `
    type Note @softDelete {
      id: ID!
      text: String! @search(by: [hash])
    }
  `,
});
