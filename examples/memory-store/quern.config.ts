// The smallest stack on this store.

import { defineConfig } from "quern";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { memoryStorage } from "./memory-store.ts";

export default defineConfig({
  storage: memoryStorage(),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin()],
  schema: `
    type Note {
      id: ID!
      text: String! @search(by: [term])
    }
  `,
});
