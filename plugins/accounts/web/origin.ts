// Where a page is from that sends a request, and under which origin this server is known.

import type { RequestView } from "../../../core/plugin.ts";

type Headers = RequestView["headers"];

/**
 * Whether a browser sends the request for a page of another origin. `Sec-Fetch-Site` is certain, but browsers omit it on plain HTTP except on loopback; then
 * `Origin` decides. What is neither, such as a program, is no page.
 *
 * @param listed origins whose pages count as the server's own
 */
export function isForeignPage(headers: Headers, listed: readonly string[]): boolean {
  const { origin } = headers;
  if (origin !== undefined && listed.includes(origin)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  return origin !== undefined && hostOf(origin) !== headers.host?.toLowerCase();
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function isLoopback(hostname: string): boolean {
  return loopbackNames.has(hostname) || hostname === "::1" || hostname.endsWith(".localhost") || hostname.startsWith("127.");
}

/** The origin that a request to this machine names: others could make links lead to them. Undefined: it names another. */
export function loopbackOrigin({ host }: Headers): string | undefined {
  const url = `http://${host ?? ""}`;
  if (host === undefined || !URL.canParse(url)) return undefined;
  const { hostname, origin } = new URL(url);
  return isLoopback(hostname) ? origin : undefined;
}
