// Distinguishes requests of processes on this machine from those that a proxy forwards or a page of another origin sends.

import { isIP } from "node:net";
import type { HttpRequest } from "../../../core/transport.ts";

export type Caller = Pick<HttpRequest, "url" | "headers" | "remoteAddress">;

/** The IPv4 address of an IPv4-mapped IPv6 address (`::ffff:127.0.0.1`); others unchanged. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Whether the peer has a loopback address and forwards for no other client. A peer without an address, as on a Unix socket, does not count. */
export function hasLoopbackPeer({ headers, remoteAddress = "" }: Caller): boolean {
  return !isForwarded(headers) && isLoopbackAddress(plainAddress(remoteAddress));
}

/**
 * Whether a process on this machine sent the request, and no page of another origin: the peer is loopback, `Host` is a loopback name
 * (against DNS rebinding), and `Origin` is absent, equal to `Host`, or one of `origins`.
 *
 * @param origins exact origins; `*` is ignored
 */
export function isFromThisMachine(caller: Caller, origins: readonly string[] = []): boolean {
  const { url, headers } = caller;
  // Only clients of a proxy send an absolute target.
  return url.startsWith("/") && hasLoopbackPeer(caller) && isLoopbackHost(headers.host) && isOwnPage(headers, origins);
}

/** Whether a `Host` header names loopback: `localhost:8080`, `127.0.0.1`, `[::1]:8080`. */
export function isLoopbackHost(host: string | undefined): boolean {
  const [, name] = /^([^:@[\]]+|\[::1\])(?::\d{1,5})?$/.exec(host ?? "") ?? [];
  return name !== undefined && (/^localhost\.?$/i.test(name) || name === "[::1]" || isLoopbackAddress(name));
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

function isForwarded(headers: Caller["headers"]): boolean {
  return Object.keys(headers).some((name) => headers[name] !== undefined && (addressHeader.test(name) || proxyHeaders.has(name)));
}

/** `X-Forwarded-For`, `CF-Connecting-IP`, `True-Client-IP`, `Fastly-Client-IP`, `X-Real-IP`, `X-Azure-ClientIP`: proxies and networks have a name each. */
const addressHeader = /forwarded|(?:^|[-_])(?:client|socket)?ip(?:v[46])?$/u;
const proxyHeaders: ReadonlySet<string> = new Set([
  "cdn-loop",
  "cf-ray",
  "cf-visitor",
  "via",
  "x-envoy-external-address",
  "x-original-host",
  "x-original-url",
  "x-remote-addr",
]);

/** Requests of images and links carry no `Origin`, but `Sec-Fetch-Site`; its value `none` is the address bar. */
function isOwnPage({ origin, host = "", ...headers }: Caller["headers"], origins: readonly string[]): boolean {
  if (origin !== undefined && origin !== "*" && origins.includes(origin)) return true;
  const own = host.toLowerCase();
  if (origin !== undefined && origin.toLowerCase() !== `http://${own}` && origin.toLowerCase() !== `https://${own}`) return false;
  const site = headers["sec-fetch-site"];
  return site === undefined || site === "same-origin" || site === "none";
}
