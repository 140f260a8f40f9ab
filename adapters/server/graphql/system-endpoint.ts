// `/admin/graphql`: the deployed API for administrators. The access rules of plugins do not apply, and the plan of a request can be asked for.

import { andThen, type HttpRequest, type HttpResponse, type MaybePromise } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import type { HttpContext } from "../context.ts";
import { answerGraphQL } from "./graphql-endpoint.ts";

export function systemEndpoint(context: HttpContext, request: HttpRequest): MaybePromise<HttpResponse> {
  return andThen(
    actionRefusal(context, request, { action: { name: "/admin/graphql" }, code: "ErrorUnauthorized" }),
    (refusal) => refusal ?? answer(context, request),
  );
}

function answer(context: HttpContext, request: HttpRequest): MaybePromise<HttpResponse> {
  return answerGraphQL(context, request, {
    settings: undefined,
    rights: { queriesOnly: false, introspects: true },
    // Trusted documents are those of clients.
    documents: { persisted: context.persisted, trusted: undefined },
    execute: (each) => context.execute({ ...each, as: "system" }),
  });
}
