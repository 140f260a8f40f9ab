// A server with functions in a thread of their own, a webhook, and a service that one of the functions asks.

import { readFileSync } from "node:fs";
import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { lambdaPlugin } from "quern/plugins/lambda";
import { searchPlugin } from "quern/plugins/search";
import { startWeatherService } from "./weather-service.ts";

startWeatherService();

export default defineConfig({
  storage: leveldbStorage({ path: process.env.DATA ?? "./data/functions" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), searchPlugin(), lambdaPlugin({ functions: new URL("functions.ts", import.meta.url), signingKey: "change-me" })],
  schema: readFileSync(new URL("schema.graphql", import.meta.url), "utf8"),
});
