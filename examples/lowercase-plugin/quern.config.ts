// A server with `@lowercase`.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { lowercasePlugin } from "./lowercase-plugin.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/lowercase" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), lowercasePlugin()],
  schema: `
    type User {
      email: String! @id @lowercase
      name: String
    }
  `,
});
