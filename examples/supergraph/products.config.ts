// The service that owns products.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { federationPlugin } from "quern/plugins/federation";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/products" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), federationPlugin(), searchPlugin()],
  schema: `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@inaccessible"])

    type Product @key(fields: "upc") {
      upc: String! @id
      name: String @search(by: [term])
      cents: Int @search
      "What the shop pays. Clients of the gateway do not see it."
      cost: Int @inaccessible
    }
  `,
});
