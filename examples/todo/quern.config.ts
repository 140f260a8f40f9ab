// A server of tasks, with a page at /todo.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "quern";
import { standardPlugins, standardStack } from "quern/adapters/cli";
import { pagePlugin } from "../page-plugin/page-plugin.ts";
import { signInPlugin } from "./sign-in-plugin.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// `npm run build` bundles the page.
const built = (name: string) => here(`../../dist/examples/todo/page/${name}`);

export default defineConfig({
  ...standardStack({ data: process.env.DATA ?? "./data/todo" }),
  plugins: [
    ...standardPlugins(),
    signInPlugin(),
    pagePlugin({ "/todo": here("page/index.html"), "/todo/page.js": built("page.js"), "/todo/page.css": built("page.css") }),
  ],
  schema: readFileSync(here("schema.graphql"), "utf8"),
});
