// `/admin`: GraphQL for administrators, with the same request and answer formats as `/graphql`.

import type { HttpRequest, HttpResponse, MaybePromise } from "../../../core/transport.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import { answerGraphQL } from "../graphql/graphql-endpoint.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import type { AdminApi } from "./admin-api.ts";
import { runAdmin } from "./run-admin.ts";

/** Answers requests to `api`. The route has checked the token. The origins that a schema lists do not apply here. */
export function adminEndpoint(api: AdminApi) {
  return (server: ServerParts, request: HttpRequest, guard: AdminGuard) => answerAdmin(api, server, request, guard);
}

function answerAdmin(api: AdminApi, server: ServerParts, request: HttpRequest, guard: AdminGuard): MaybePromise<HttpResponse> {
  const refusal = guard.addressProblem(request);
  return answerGraphQL(server, request, {
    settings: undefined,
    rights: { queriesOnly: false, introspects: true },
    // Trusted documents are documents of the API.
    documents: { persisted: server.persisted, trusted: undefined },
    execute: (each) => runAdmin({ api, server, request: each, http: request, refusal }),
  });
}
