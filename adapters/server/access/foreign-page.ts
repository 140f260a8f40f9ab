// Whether a page of another origin may write through the API, by HTTP, event stream or WebSocket. Quern uses no cookies, so the only thing
// such a page gains from its visitor is access to a server that only the visitor's machine or network reaches. CORS decides about reading.

import type { SchemaSettings } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import { isLoopbackHost } from "../http/this-machine.ts";

type Head = Pick<HttpRequest, "method" | "headers">;

/**
 * Whether the request comes from a page that may not write. A page of the server's own origin may, and one whose origin the schema lists.
 * For any other page the CORS preflight decides whether it may POST: every origin may while the schema lists none. Browsers send GET
 * requests and open WebSockets without a preflight, so these may not write. Neither may a page of another site write to a server at a
 * loopback name, even with a preflight.
 */
export function isReadOnlyPage({ method, headers }: Head, settings: Pick<SchemaSettings, "allowedOrigins"> | undefined): boolean {
  const { origin } = headers;
  const listed = settings?.allowedOrigins ?? [];
  if (!isForeign(headers) || (origin !== undefined && listed.includes(origin))) return false;
  const isPreflighted = method === "POST" && !isForm(headers);
  // With a list, browsers have refused such a POST after the preflight.
  return !isPreflighted || (listed.length === 0 && headers["sec-fetch-site"] === "cross-site" && isLoopbackHost(headers.host));
}

/** Whether a browser sends it without a preflight: a form, and no header that a form cannot have. */
function isForm(headers: Head["headers"]): boolean {
  return /^\s*multipart\/form-data/iu.test(headers["content-type"] ?? "") && !neverOfForms.some((name) => headers[name] !== undefined);
}

/** Clients of the multipart request specification send one of them. */
const neverOfForms = ["apollo-require-preflight", "graphql-require-preflight", "x-apollo-operation-name", "x-requested-with"];

/** Whether a page of another origin sent it. `Sec-Fetch-Site` is certain, but browsers omit it on plain HTTP except on loopback. */
function isForeign(headers: Head["headers"]): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return headers.origin !== undefined && hostOf(headers.origin) !== headers.host?.toLowerCase();
}

/** The host of an origin; undefined for the origin `null`. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
