// Converts the head of a `node:http` request to the kernel's plain data.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { HttpRequest } from "../../core/transport.ts";

export function headOf(request: IncomingMessage): Omit<HttpRequest, "body" | "onGone"> & { readonly remoteAddress: string } {
  const { method = "GET", url = "/", headers } = request;
  const { remoteAddress = "" } = request.socket;
  return { method, url, headers: flatHeaders(headers), remoteAddress };
}

/** Joins repeated headers. `Set-Cookie` is the only one that `node:http` leaves as a list; clients do not send it. */
function flatHeaders(headers: IncomingHttpHeaders): HttpRequest["headers"] {
  if (isFlat(headers)) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));
}

function isFlat(headers: IncomingHttpHeaders): headers is Readonly<Record<string, string | undefined>> {
  return headers["set-cookie"] === undefined;
}
