// `/admin`: GraphQL for administrators, decoded and dressed as on `/graphql`.

import type { HttpRequest, HttpResponse, MaybePromise } from "../../../core/index.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import type { HttpContext } from "../context.ts";
import { answerGraphQL } from "../graphql/graphql-endpoint.ts";
import { runAdmin } from "./run-admin.ts";

/** The token was looked at before. Origins listed in a schema do not concern the administration. */
export function adminEndpoint(context: HttpContext, request: HttpRequest, guard: AdminGuard): MaybePromise<HttpResponse> {
  const refusal = guard.addressProblem(request);
  return answerGraphQL(context, request, {
    settings: undefined,
    rights: { queriesOnly: false, introspects: true },
    // Documents of the administration are not those of the API.
    documents: { persisted: context.persisted, trusted: undefined },
    execute: (each) => runAdmin({ context, request: each, refusal }),
  });
}
