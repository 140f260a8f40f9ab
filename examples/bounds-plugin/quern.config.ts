// A server with `@bounds`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { boundsPlugin } from "./bounds-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/bounds" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), boundsPlugin()],
  schema: `
    type Review {
      id: ID!
      about: String! @search(by: [hash])
      stars: Int! @bounds(min: 1, max: 5)
    }
  `,
});
