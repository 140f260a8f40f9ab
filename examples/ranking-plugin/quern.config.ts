// A server with `@ranked`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { rankingPlugin } from "./ranking-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/ranking" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), rankingPlugin()],
  schema: `
    type Article {
      title: String! @id
      text: String! @ranked
      author: Author
    }
    type Author {
      name: String! @id
      articles: [Article] @hasInverse(field: author)
    }
  `,
});
