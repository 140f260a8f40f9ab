// `/health` and `/probe/graphql`: readiness, and the number of schema changes.

import { drainingText } from "../../../core/server.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { openCors } from "../access/cors.ts";
import type { HttpContext } from "../context.ts";
import { openAnswer } from "../http/respond.ts";
import { queryOf } from "../http/url.ts";
import { nodeHealth } from "./node-health.ts";

/** `?live` and `?all` answer 200 also while the server is not ready. */
export function healthEndpoint(context: HttpContext, request: Pick<HttpRequest, "url">): HttpResponse {
  const parameters = new URLSearchParams(queryOf(request.url));
  if (!parameters.has("live") && !parameters.has("all")) {
    if (!context.ready) return notReady("Please retry again, server is not ready to accept requests");
    if (context.draining) return notReady(drainingText);
  }
  return openAnswer([{ ...nodeHealth(context), max_assigned: context.schemaUpdateCounter }]);
}

export function probeEndpoint(context: HttpContext): HttpResponse {
  if (!context.ready) return openAnswer({ status: "starting", schemaUpdateCounter: context.schemaUpdateCounter }, 503);
  return openAnswer({ status: "up", schemaUpdateCounter: context.schemaUpdateCounter });
}

function notReady(text: string): HttpResponse {
  return { status: 503, headers: { "content-type": "text/plain; charset=utf-8", ...openCors }, body: text };
}
