// A server with an index kind of its own for `@search`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { searchPlugin } from "quern/plugins/search";
import { soundex } from "./soundex.mjs";

export default defineConfig({
  storage: leveldbStorage({ path: process.env.DATA ?? "./data/soundex" }),
  transports: [wsTransport()],
  plugins: [searchPlugin({ kinds: [soundex] })],
  schema: `
    type Person {
      id: ID!
      name: String! @search(by: [soundex, term])
    }
  `,
});
