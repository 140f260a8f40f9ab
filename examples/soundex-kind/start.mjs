// A stack put together by hand, with an index kind of our own handed to `@search`.

import { fileURLToPath } from "node:url";
import { defineConfig, serve } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { searchPlugin } from "quern/plugins/search";
import { soundex } from "./soundex.mjs";

const config = defineConfig({
  storage: leveldbStorage({ path: process.env.DATA ?? fileURLToPath(new URL("data", import.meta.url)) }),
  transports: [wsTransport()],
  plugins: [searchPlugin({ kinds: [soundex] })],
  port: Number(process.env.PORT ?? 8080),
  schema: `
    type Person {
      id: ID!
      name: String! @search(by: [soundex, term])
    }
  `,
});

const server = await serve(config);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
console.log(`${server.urls[0]}/graphql`);
