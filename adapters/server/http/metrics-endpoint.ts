// `/metrics`: counters and gauges in the format of the configured metrics library.

import { andThen, type MaybePromise, type Metrics } from "../../../core/index.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import { actionRefusal } from "../access/administer.ts";
import { refuseCaller } from "../access/refuse-caller.ts";
import type { HttpContext } from "../context.ts";
import { statisticsOf } from "../health/readable.ts";
import { adminErrors, openAnswer, textAnswer } from "./respond.ts";

export function metricsEndpoint(context: HttpContext, request: HttpRequest, guard: AdminGuard): MaybePromise<HttpResponse> {
  const { metrics } = context;
  if (metrics === undefined) return textAnswer(404, "404 page not found\n");
  if (request.method !== "GET" && request.method !== "HEAD") return openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), 405);
  if (metrics.open) return answer(context, metrics);
  const action = () => actionRefusal(context, request, { action: { name: "/metrics" }, code: "ErrorUnauthorized" });
  return refusal(request, guard) ?? andThen(action(), (refused) => refused ?? answer(context, metrics));
}

async function answer(context: HttpContext, metrics: Metrics): Promise<HttpResponse> {
  const statistics = await statisticsOf(context);
  const { contentType, body } = await metrics.expose({ storage: context.storage.name, statistics, gauges: context.gauges.read() });
  return { status: 200, headers: { "content-type": contentType, "cache-control": "no-store" }, body };
}

/** Needs the admin token, also as a bearer token, which scrapers can send more easily than another header. */
function refusal(request: HttpRequest, guard: AdminGuard): HttpResponse | undefined {
  const { headers } = request;
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const caller = bearer === undefined ? request : { ...request, headers: { "x-service-authtoken": bearer, ...headers } };
  return refuseCaller(caller, guard, { code: "ErrorUnauthorized", status: 403 });
}
