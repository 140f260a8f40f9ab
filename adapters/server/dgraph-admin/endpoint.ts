// `/admin`: GraphQL for administrators, with the same request and answer formats as `/graphql`.

import type { HttpRequest, HttpResponse, MaybePromise } from "../../../core/transport.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import type { HttpContext } from "../context.ts";
import { answerGraphQL } from "../graphql/graphql-endpoint.ts";
import type { AdminApi } from "./admin-api.ts";
import { runAdmin } from "./run-admin.ts";

/** Answers requests to `api`. The route has checked the token. The origins that a schema lists do not apply here. */
export function adminEndpoint(api: AdminApi) {
  return (context: HttpContext, request: HttpRequest, guard: AdminGuard) => answerAdmin(api, context, request, guard);
}

function answerAdmin(api: AdminApi, context: HttpContext, request: HttpRequest, guard: AdminGuard): MaybePromise<HttpResponse> {
  const refusal = guard.addressProblem(request);
  return answerGraphQL(context, request, {
    settings: undefined,
    rights: { queriesOnly: false, introspects: true },
    // Trusted documents are documents of the API.
    documents: { persisted: context.persisted, trusted: undefined },
    execute: (each) => runAdmin({ api, context, request: each, http: request, refusal }),
  });
}
