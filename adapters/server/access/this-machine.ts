// Tells requests that a process of this machine sends on its own behalf from those that a proxy or a page of another origin sends.

import { isIP } from "node:net";
import type { HttpRequest } from "../../../core/index.ts";

export type Caller = Pick<HttpRequest, "url" | "headers" | "remoteAddress">;

/** An IPv4 address on an IPv6 socket is an IPv4 address. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Whether the peer has a loopback address and says of no other client that the request is its. A peer without an address has none. */
export function hasLoopbackPeer({ headers, remoteAddress = "" }: Caller): boolean {
  return !isForwarded(headers) && isLoopbackAddress(plainAddress(remoteAddress));
}

/**
 * As `hasLoopbackPeer`, and no page of another origin had a browser send it: `Host` is a loopback name, so that no other name leads here
 * (DNS rebinding); `Origin` is absent, the same as `Host`, or one of `origins`.
 *
 * @param origins exact; `*` is none
 */
export function isFromThisMachine(caller: Caller, origins: readonly string[] = []): boolean {
  const { url, headers } = caller;
  // Only a client of a proxy sends an absolute target.
  return url.startsWith("/") && hasLoopbackPeer(caller) && isLoopbackHost(headers.host) && isOwnPage(headers, origins);
}

/** `localhost:8080`, `127.0.0.1`, `[::1]:8080`: of a `Host` header. */
export function isLoopbackHost(host: string | undefined): boolean {
  const [, name] = /^([^:@[\]]+|\[::1\])(?::\d{1,5})?$/.exec(host ?? "") ?? [];
  return name !== undefined && (/^localhost\.?$/i.test(name) || name === "[::1]" || isLoopbackAddress(name));
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

function isForwarded(headers: Caller["headers"]): boolean {
  return Object.keys(headers).some((name) => headers[name] !== undefined && (name.startsWith("x-forwarded-") || proxyHeaders.has(name)));
}

const proxyHeaders: ReadonlySet<string> = new Set(["forwarded", "via", "x-forwarded", "x-real-ip"]);

/** Images and links carry no `Origin`; browsers say by `Sec-Fetch-Site` where these come from. `none`: the address bar. */
function isOwnPage({ origin, host = "", ...headers }: Caller["headers"], origins: readonly string[]): boolean {
  if (origin !== undefined && origin !== "*" && origins.includes(origin)) return true;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return false;
  const site = headers["sec-fetch-site"];
  return site === undefined || site === "same-origin" || site === "none";
}
