// A server with `@histogram`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { histogramPlugin } from "./histogram-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/histogram" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), histogramPlugin()],
  schema: `
    type Mill @histogram(field: "stones") {
      id: ID!
      stones: Int
    }
  `,
});
