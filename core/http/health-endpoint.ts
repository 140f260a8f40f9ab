// `/health` and `/probe/graphql`: whether the server is up, and how often its schema has changed.

import { createRequire } from "node:module";
import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import type { HttpContext } from "./context.ts";
import { openCors } from "./cors.ts";
import { openAnswer } from "./respond.ts";
import { queryOf } from "./url.ts";

const version: string = createRequire(import.meta.url)("quern/package.json").version;
const startedAtMs = Date.now();

/** `?live` and `?all` answer also while the server is not ready. */
export function healthEndpoint(context: HttpContext, request: Pick<HttpRequest, "url">): HttpResponse {
  const asked = new URLSearchParams(queryOf(request.url));
  if (!context.ready && !asked.has("live") && !asked.has("all")) return notReady("Please retry again, server is not ready to accept requests");
  const now = Date.now();
  return openAnswer([
    {
      instance: "alpha",
      address: "localhost:7080",
      status: context.ready ? "healthy" : "starting",
      group: "1",
      version,
      uptime: Math.floor((now - startedAtMs) / 1000),
      lastEcho: Math.floor(now / 1000),
      ongoing: [],
      indexing: [],
      ee_features: [],
      max_assigned: context.schemaUpdateCounter,
    },
  ]);
}

export function probeEndpoint(context: HttpContext): HttpResponse {
  if (!context.ready) return openAnswer({ status: "starting", schemaUpdateCounter: context.schemaUpdateCounter }, 503);
  return openAnswer({ status: "up", schemaUpdateCounter: context.schemaUpdateCounter });
}

function notReady(text: string): HttpResponse {
  return { status: 503, headers: { "content-type": "text/plain; charset=utf-8", ...openCors }, body: text };
}
