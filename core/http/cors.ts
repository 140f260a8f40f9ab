// The headers that let pages of other origins read an answer.

import type { HttpRequest } from "../contracts/transport.ts";
import type { SchemaSettings } from "../deploy/deployment.ts";

const allowedHeaders =
  "X-Service-AccessToken, X-Service-AuthToken, X-Dgraph-AccessToken, X-Dgraph-AuthToken, Content-Type, Content-Length, Accept-Encoding, Cache-Control, X-CSRF-Token, X-Auth-Token, X-Requested-With";

/** For paths that any origin may read. */
export const openCors: Readonly<Record<string, string>> = Object.freeze({
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "POST, OPTIONS",
  "access-control-allow-headers": allowedHeaders,
  "access-control-allow-credentials": "true",
});

/** For `/graphql`: with origins listed in the schema, only one of these is named, and only to itself. Headers that plugins read are allowed too. */
export function corsOf(request: Pick<HttpRequest, "headers">, settings: SchemaSettings | undefined): Readonly<Record<string, string>> {
  if (settings === undefined) return openCors;
  const open = withHeaders(settings);
  if (settings.allowedOrigins.length === 0) return open;
  const { "access-control-allow-origin": _anyOrigin, ...closed } = open;
  const origin = request.headers.origin;
  return origin !== undefined && settings.allowedOrigins.includes(origin) ? { "access-control-allow-origin": origin, ...closed } : closed;
}

const extended = new WeakMap<SchemaSettings, typeof openCors>();

function withHeaders(settings: SchemaSettings): typeof openCors {
  if (settings.headers.length === 0) return openCors;
  const known = extended.get(settings) ?? { ...openCors, "access-control-allow-headers": [allowedHeaders, ...settings.headers].join(",") };
  extended.set(settings, known);
  return known;
}
