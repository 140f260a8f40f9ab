// `/health` and `/probe/graphql`: readiness, and the number of schema changes.

import { drainingText } from "../../../core/server.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { openCors } from "../http/cors.ts";
import { openAnswer } from "../http/respond.ts";
import { queryOf } from "../http/url.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { nodeHealth } from "./node-health.ts";

/** `?live` and `?all` answer 200 also while the server is not ready. */
export function healthEndpoint(server: ServerParts, request: Pick<HttpRequest, "url" | "headers">): HttpResponse {
  const parameters = new URLSearchParams(queryOf(request.url));
  if (!parameters.has("live") && !parameters.has("all")) {
    if (!server.kernel.ready) return notReady("Please retry again, server is not ready to accept requests");
    if (server.kernel.draining) return notReady(drainingText);
  }
  return openAnswer([{ ...nodeHealth(server.kernel, request), max_assigned: server.kernel.schemaUpdateCounter }]);
}

export function probeEndpoint(server: ServerParts): HttpResponse {
  if (!server.kernel.ready) return openAnswer({ status: "starting", schemaUpdateCounter: server.kernel.schemaUpdateCounter }, 503);
  return openAnswer({ status: "up", schemaUpdateCounter: server.kernel.schemaUpdateCounter });
}

function notReady(text: string): HttpResponse {
  return { status: 503, headers: { "content-type": "text/plain; charset=utf-8", ...openCors }, body: text };
}
