// A shop: orders, lines and stock.

import { readFileSync } from "node:fs";
import { defineConfig } from "quern";
import { standardStack } from "quern/adapters/cli";

export default defineConfig({
  ...standardStack({ data: process.env.DATA ?? "./data/shop" }),
  schema: readFileSync(new URL("schema.graphql", import.meta.url), "utf8"),
});
