// The smallest stack on this store.

import { defineConfig } from "quern";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { lmdbStorage } from "./lmdb-store.ts";

export default defineConfig({
  storage: lmdbStorage({ path: "./data/lmdb" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin()],
  schema: `
    type Note {
      id: ID!
      text: String! @search(by: [term])
    }
  `,
});
