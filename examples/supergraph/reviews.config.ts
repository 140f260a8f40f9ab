// The service that owns reviews, and adds them to products.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { federationPlugin } from "quern/plugins/federation";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/reviews" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), federationPlugin(), searchPlugin()],
  schema: `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external"])

    type Review @key(fields: "id") {
      id: ID!
      stars: Int @search
      text: String
      product: Product @hasInverse(field: reviews)
    }

    extend type Product @key(fields: "upc") {
      upc: String! @id @external
      reviews: [Review]
    }
  `,
});
