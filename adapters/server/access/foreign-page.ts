// What pages of other origins may do at the API. Quern knows no cookies, so that a page has no rights of its visitor but one: to reach
// a server that only the visitor's machine or network reaches. Reading is left to CORS. Writing is decided here, for every way in.

import type { HttpRequest, SchemaSettings } from "../../../core/index.ts";
import { isLoopbackHost } from "./this-machine.ts";

type Head = Pick<HttpRequest, "method" | "headers">;

/**
 * Whether the request comes from a page that may not write. A page of the server's own origin may, and one whose origin the schema lists.
 * For any other page a browser asks first (CORS preflight) whether it may POST, and the answer to that decides: it allows every origin as
 * long as the schema lists none. Browsers ask for no such leave before a GET or a WebSocket, and a page of another site must not write to
 * a server on its visitor's own machine: these are refused.
 */
export function isReadOnlyPage({ method, headers }: Head, settings: Pick<SchemaSettings, "allowedOrigins"> | undefined): boolean {
  const { origin } = headers;
  const listed = settings?.allowedOrigins ?? [];
  if (!isForeign(headers) || (origin !== undefined && listed.includes(origin))) return false;
  const isPreflighted = method === "POST";
  // With a list the preflight has kept browsers away from a POST.
  return !isPreflighted || (listed.length === 0 && headers["sec-fetch-site"] === "cross-site" && isLoopbackHost(headers.host));
}

/** Sent for a page of another origin. `Sec-Fetch-Site` says it for certain; browsers leave it out on plain HTTP beyond loopback. */
function isForeign(headers: Head["headers"]): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return headers.origin !== undefined && hostOf(headers.origin) !== headers.host?.toLowerCase();
}

/** Of an origin, `null` among them, which has none. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
