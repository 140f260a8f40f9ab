// GraphiQL for browsers that open `/graphql`. The page contains everything it needs and loads nothing from other hosts.

import { gzipSync } from "node:zlib";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { acceptsGzip } from "../http/gzip.ts";
import { queryOf } from "../http/url.ts";
import { graphiqlHtml } from "./graphiql-html.ts";

/** Whether a browser navigates to the page. The URL may hold a query: that of a shared or reloaded page. */
export function wantsPage({ method, url, headers }: Omit<HttpRequest, "body">): boolean {
  if (method !== "GET" || !headers.accept?.toLowerCase().includes("text/html")) return false;
  if (headers["sec-fetch-mode"] === "navigate") return true;
  const parameters = new URLSearchParams(queryOf(url));
  return !["query", "extensions", "documentId", "doc_id"].some((name) => parameters.has(name));
}

/** Redirects `/` to GraphiQL. Relative, so that it works behind a proxy with a path prefix. */
export const redirectToGraphiql: HttpResponse = Object.freeze({
  status: 302,
  headers: Object.freeze({ location: "graphql", "cache-control": "no-store", vary: "Accept" }),
  body: "",
});

/** 1.5 MB, 0.6 MB compressed: rendered at the first visit, then cached. */
const pages = new Map<boolean, ReturnType<typeof render>>();

interface PageOptions {
  /** Whether every caller may introspect. Otherwise the page explains why it shows no documentation. */
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
