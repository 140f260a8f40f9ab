// `/admin/readings`: the current numbers of the kernel and the storage as JSON, whether or not metrics are configured.

import { andThen, type HttpRequest, type HttpResponse, type MaybePromise } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import type { HttpContext } from "../context.ts";
import { openAnswer } from "../http/respond.ts";

export function readingsEndpoint(context: HttpContext, request: HttpRequest): MaybePromise<HttpResponse> {
  const action = { name: "/admin/readings" };
  return andThen(actionRefusal(context, request, { action, code: "ErrorUnauthorized" }), (refusal) => refusal ?? readings(context));
}

async function readings({ ready, storage, gauges }: HttpContext): Promise<HttpResponse> {
  // A store that opens or closes has no statistics.
  const statistics = ready ? await storage.statistics() : {};
  return openAnswer({ data: { storage: storage.name, statistics, gauges: gauges.read() } });
}
