// Serves the files of a page beside the API, so that a page needs no other server and no CORS.

import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { DirectivePlugin, HttpResponse, PluginRoute } from "quern/plugin";

/**
 * @param files files by the path that serves them: `{ "/todo": "page/index.html", "/todo/page.js": "built/page.js" }`. Nothing else is served.
 */
export function pagePlugin(files: Readonly<Record<string, string>>): DirectivePlugin {
  const routes = Object.entries(files).map(([path, file]) => routeOf(path, file));
  return { name: "page", definitions: "", model: () => undefined, server: () => ({ routes }) };
}

function routeOf(path: string, file: string): PluginRoute {
  return { path, methods: ["GET"], access: "everybody", answer: () => fileAnswer(file) };
}

/** Reads the file for each request: a page that was built again needs no restart. */
async function fileAnswer(file: string): Promise<HttpResponse> {
  const headers = { ...fixedHeaders, "content-type": contentTypes[extname(file)] ?? "application/octet-stream" };
  try {
    return { status: 200, headers, body: await readFile(file, "utf8") };
  } catch {
    return { status: 404, headers: { "content-type": "text/plain" }, body: `${file} does not exist. Build it: npm run build\n` };
  }
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

const fixedHeaders = {
  "cache-control": "no-cache",
  "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};
