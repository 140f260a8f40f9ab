// A server of messages, with a page at /chat.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "quern";
import { standardPlugins, standardStack } from "quern/adapters/cli";
import { pagePlugin } from "../page-plugin/page-plugin.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// `npm run build` bundles the page.
const built = (name: string) => here(`../../dist/examples/chat/page/${name}`);

export default defineConfig({
  ...standardStack({ data: process.env.DATA ?? "./data/chat" }),
  plugins: [
    ...standardPlugins(),
    pagePlugin({ "/chat": here("page/index.html"), "/chat/page.js": built("page.js"), "/chat/page.css": built("page.css") }),
  ],
  schema: readFileSync(here("schema.graphql"), "utf8"),
});
