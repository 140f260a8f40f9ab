// CORS headers: which origins may read an answer.

import type { SchemaSettings } from "../../../core/index.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { answerHeaders, requestHeaders } from "./own-headers.ts";

const allowedHeaders = requestHeaders.join(", ");

/** Any origin may read the answer. */
export const openCors: Readonly<Record<string, string>> = Object.freeze({
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "POST, OPTIONS",
  "access-control-allow-headers": allowedHeaders,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": answerHeaders.join(", "),
});

/** For `/graphql`: any origin, or those that the schema lists. Request headers that plugins read are allowed too. */
export function corsOf(request: Pick<HttpRequest, "headers">, settings: SchemaSettings | undefined): Readonly<Record<string, string>> {
  if (settings === undefined) return openCors;
  const open = withHeaders(settings);
  if (settings.allowedOrigins.length === 0) return open;
  const { "access-control-allow-origin": _anyOrigin, ...closed } = open;
  const origin = request.headers.origin;
  return origin !== undefined && settings.allowedOrigins.includes(origin) ? { "access-control-allow-origin": origin, ...closed } : closed;
}

/**
 * For admin paths: restricts an answer that any origin could read to `origins`.
 *
 * @param origins `*`: any
 */
export function adminCors(response: HttpResponse, request: Pick<HttpRequest, "headers">, origins: readonly string[]): HttpResponse {
  if (response.headers[allowOrigin] === undefined || origins.includes("*")) return response;
  const { origin } = request.headers;
  const closed = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !name.startsWith("access-control-")));
  if (origin === undefined || !origins.includes(origin)) return { ...response, headers: closed };
  return { ...response, headers: { ...response.headers, [allowOrigin]: origin, vary: "Origin" } };
}

const allowOrigin = "access-control-allow-origin";
const extended = new WeakMap<SchemaSettings, typeof openCors>();

function withHeaders(settings: SchemaSettings): typeof openCors {
  if (settings.headers.length === 0) return openCors;
  const known = extended.get(settings) ?? { ...openCors, "access-control-allow-headers": [allowedHeaders, ...settings.headers].join(",") };
  extended.set(settings, known);
  return known;
}
