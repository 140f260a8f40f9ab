// `/health` and `/probe/graphql`: whether the server is up, and how often its schema has changed.

import { drainingText, type HttpRequest, type HttpResponse } from "../../../core/index.ts";
import { openCors } from "../access/cors.ts";
import type { HttpContext } from "../context.ts";
import { openAnswer } from "../http/respond.ts";
import { queryOf } from "../http/url.ts";
import { nodeHealth } from "./node-health.ts";

/** `?live` and `?all` answer also while the server is not ready. */
export function healthEndpoint(context: HttpContext, request: Pick<HttpRequest, "url">): HttpResponse {
  const asked = new URLSearchParams(queryOf(request.url));
  if (!asked.has("live") && !asked.has("all")) {
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
