// A stack put together by hand: one storage, one transport, the plugins that the schema needs, one of them our own.

import { fileURLToPath } from "node:url";
import { defineConfig, serve } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { rangePlugin } from "./range-plugin.mjs";

const config = defineConfig({
  storage: leveldbStorage({ path: process.env.DATA ?? fileURLToPath(new URL("data", import.meta.url)) }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), rangePlugin()],
  port: Number(process.env.PORT ?? 8080),
  schema: `
    type Review {
      id: ID!
      about: String! @search(by: [hash])
      stars: Int! @range(min: 1, max: 5)
    }
  `,
});

const server = await serve(config);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
console.log(`${server.urls[0]}/graphql`);
