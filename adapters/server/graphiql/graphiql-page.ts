// GraphiQL, for somebody who opens `/graphql` in a browser. Everything it needs is in the page: no other host is asked for anything.

import { gzipSync } from "node:zlib";
import type { HttpRequest, HttpResponse } from "../../../core/index.ts";
import { acceptsGzip } from "../http/gzip.ts";
import { queryOf } from "../http/url.ts";
import { graphiqlHtml } from "./graphiql-html.ts";

/** A browser that was sent here by its address bar: it wants a page. A query in the address is one that the page was shared or loaded again with. */
export function wantsPage({ method, url, headers }: Omit<HttpRequest, "body">): boolean {
  if (method !== "GET" || !headers.accept?.toLowerCase().includes("text/html")) return false;
  if (headers["sec-fetch-mode"] === "navigate") return true;
  const asked = new URLSearchParams(queryOf(url));
  return !["query", "extensions", "documentId", "doc_id"].some((name) => asked.has(name));
}

/** For whoever leaves out the path. Relative, so that it holds behind a proxy that serves this under a path of its own. */
export const toGraphiql: HttpResponse = Object.freeze({
  status: 302,
  headers: Object.freeze({ location: "graphql", "cache-control": "no-store", vary: "Accept" }),
  body: "",
});

/** 1.5 MB, 0.6 MB when packed: made at the first visit, then kept. */
const pages = new Map<boolean, ReturnType<typeof render>>();

interface PageOptions {
  /** Whether everybody may introspect. Without it the page says why it shows no documentation. */
  readonly introspection: boolean;
}

export async function graphiqlPage(request: Pick<HttpRequest, "headers">, options: PageOptions): Promise<HttpResponse> {
  const page = pages.get(options.introspection) ?? render(options);
  pages.set(options.introspection, page);
  const { text, packed, headers } = await page;
  if (!acceptsGzip(request)) return { status: 200, headers, body: text };
  return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: packed };
}

async function render(options: PageOptions) {
  const { text, policy } = await graphiqlHtml(options);
  return { text, packed: gzipSync(text), headers: { ...fixedHeaders, "content-security-policy": policy } };
}

const fixedHeaders = Object.freeze({
  "content-type": "text/html; charset=utf-8",
  "cache-control": "private,max-age=3600",
  vary: "Accept, Accept-Encoding",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});
