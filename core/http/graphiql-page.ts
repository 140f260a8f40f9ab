// GraphiQL, for somebody who opens `/graphql` in a browser. Everything it needs is in the page: no other host is asked for anything.

import { gzipSync } from "node:zlib";
import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import { acceptsGzip } from "./gzip.ts";
import { queryOf } from "./url.ts";

/** A browser that was sent here by its address bar: it wants a page. A query in the address is one that the page was shared or loaded again with. */
export function wantsPage({ method, url, headers }: Omit<HttpRequest, "body">): boolean {
  if (method !== "GET" || !headers.accept?.toLowerCase().includes("text/html")) return false;
  if (headers["sec-fetch-mode"] === "navigate") return true;
  const asked = new URLSearchParams(queryOf(url));
  return !asked.has("query") && !asked.has("extensions");
}

/** For whoever leaves out the path. Relative, so that it holds behind a proxy that serves this under a path of its own. */
export const toGraphiql: HttpResponse = Object.freeze({
  status: 302,
  headers: Object.freeze({ location: "graphql", "cache-control": "no-store", vary: "Accept" }),
  body: "",
});

interface Page {
  readonly text: string;
  readonly packed: Uint8Array;
}

/** Seven megabytes, two when packed: made at the first visit, then kept. */
const pages = new Map<boolean, Promise<Page>>();

export async function graphiqlPage(
  request: Pick<HttpRequest, "headers">,
  { introspection }: { readonly introspection: boolean },
): Promise<HttpResponse> {
  const page = pages.get(introspection) ?? render(introspection ? defaultQuery : queryWithoutIntrospection);
  pages.set(introspection, page);
  const { text, packed } = await page;
  if (!acceptsGzip(request)) return { status: 200, headers, body: text };
  return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: packed };
}

/**
 * The page sends its requests to the address that it came from. Subscriptions come as event streams: of a WebSocket a browser lets no page
 * set headers, and those of the page's Headers pane say who asks.
 */
async function render(query: string): Promise<Page> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const text = renderGraphiQL({ title: "Quern", subscriptionsProtocol: "SSE", defaultQuery: query });
  return { text, packed: gzipSync(text) };
}

const defaultQuery = `# Ctrl-Space completes, Ctrl-Enter runs. The book at the left lists all that can be asked.
{
  __schema { queryType { fields { name } } }
}
`;

const queryWithoutIntrospection = `# Introspection is switched off on this server (introspection: false), so there is no documentation and no completion here.
# With the admin token in the Headers pane below, and the schema fetched again, there is: { "X-Service-AuthToken": "..." }
{
  __typename
}
`;

const headers = Object.freeze({
  "content-type": "text/html; charset=utf-8",
  "cache-control": "private,max-age=3600",
  vary: "Accept, Accept-Encoding",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});
