// A server with `@slug`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { slugPlugin } from "./slug-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/slug" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), slugPlugin()],
  schema: `
    type Article {
      title: String!
      path: String! @slug(from: "title")
      related: [Article]
    }
  `,
});
