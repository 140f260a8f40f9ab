// The head of a request as `node:http` has it, as the plain data that the kernel takes.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { HttpRequest } from "../../core/index.ts";

export function headOf(request: IncomingMessage): Omit<HttpRequest, "body" | "onGone"> {
  const { method = "GET", url = "/", headers } = request;
  const { remoteAddress = "" } = request.socket;
  return { method, url, headers: flatHeaders(headers), remoteAddress };
}

/** `Set-Cookie` is the one name that `node:http` never joins. No client sends it. */
export function flatHeaders(headers: IncomingHttpHeaders): HttpRequest["headers"] {
  if (isFlat(headers)) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));
}

function isFlat(headers: IncomingHttpHeaders): headers is Readonly<Record<string, string | undefined>> {
  return headers["set-cookie"] === undefined;
}
