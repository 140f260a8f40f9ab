// `/metrics`: counters and gauges in the format of the configured metrics library.

import { andThen, type Kernel, type MaybePromise, type Metrics } from "../../../core/index.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import { actionRefusal } from "../access/administer.ts";
import { refuseCaller } from "../access/refuse-caller.ts";
import { adminErrors, openAnswer, textAnswer } from "../http/respond.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { statisticsOf } from "./readable.ts";

export function metricsEndpoint(server: ServerParts, request: HttpRequest, guard: AdminGuard): MaybePromise<HttpResponse> {
  const { metrics } = server.kernel.config;
  if (metrics === undefined) return textAnswer(404, "404 page not found\n");
  if (request.method !== "GET" && request.method !== "HEAD") return openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), 405);
  if (metrics.open) return answer(server.kernel, metrics);
  const action = () => actionRefusal(server, request, { action: { name: "/metrics" }, code: "ErrorUnauthorized" });
  return refusal(request, guard) ?? andThen(action(), (refused) => refused ?? answer(server.kernel, metrics));
}

async function answer(kernel: Kernel, metrics: Metrics): Promise<HttpResponse> {
  const statistics = await statisticsOf(kernel);
  const { contentType, body } = await metrics.expose({ storage: kernel.storage.name, statistics, gauges: kernel.gauges.read() });
  return { status: 200, headers: { "content-type": contentType, "cache-control": "no-store" }, body };
}

/** Needs the admin token, also as a bearer token, which scrapers can send more easily than another header. */
function refusal(request: HttpRequest, guard: AdminGuard): HttpResponse | undefined {
  const { headers } = request;
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const caller = bearer === undefined ? request : { ...request, headers: { "x-service-authtoken": bearer, ...headers } };
  return refuseCaller(caller, guard, { code: "ErrorUnauthorized", status: 403 });
}
