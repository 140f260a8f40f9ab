// A server with `@range`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { rangePlugin } from "./range-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/range" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), rangePlugin()],
  schema: `
    type Review {
      id: ID!
      about: String! @search(by: [hash])
      stars: Int! @range(min: 1, max: 5)
    }
  `,
});
