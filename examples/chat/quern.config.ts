// A server of messages, with a page at /chat.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "quern";
import { standardStack } from "quern/adapters/cli";
import { pagePlugin } from "../page-plugin/page-plugin.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// `npm run build` bundles the page.
const built = (name: string) => here(`../../dist/examples/chat/page/${name}`);

// Its files are beside the data, or where QUERN_FILES_AT says.
const { plugins = [], ...stack } = standardStack({ data: process.env.DATA ?? "./data/chat" });

export default defineConfig({
  ...stack,
  plugins: [...plugins, pagePlugin({ "/chat": here("page/index.html"), "/chat/page.js": built("page.js"), "/chat/page.css": built("page.css") })],
  schema: readFileSync(here("schema.graphql"), "utf8"),
});
