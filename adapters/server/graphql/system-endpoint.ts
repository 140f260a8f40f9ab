// `/admin/graphql`: the deployed API for administrators. The access rules of plugins do not apply, and the plan of a request can be asked for, also as a client: then with the rules that restrict it.

import type { GraphQLRequest } from "../../../core/index.ts";
import { andThen, type HttpRequest, type HttpResponse, type MaybePromise } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import type { DecodedRequest } from "./decode-graphql.ts";
import { answerGraphQL } from "./graphql-endpoint.ts";

export function systemEndpoint(server: ServerParts, request: HttpRequest): MaybePromise<HttpResponse> {
  return andThen(
    actionRefusal(server, request, { action: { name: "/admin/graphql" }, code: "ErrorUnauthorized" }),
    (refusal) => refusal ?? answer(server, request),
  );
}

function answer(server: ServerParts, request: HttpRequest): MaybePromise<HttpResponse> {
  return answerGraphQL(server, request, {
    settings: undefined,
    rights: { queriesOnly: false, introspects: true },
    // Trusted documents are those of clients.
    documents: { persisted: server.persisted, trusted: undefined },
    execute: (each, { as }) => server.kernel.execute(as === undefined ? { ...each, as: "system" } : asClient(each, as)),
  });
}

/** What a client with these headers would get. The request counts for nobody. */
function asClient(request: GraphQLRequest, headers: NonNullable<DecodedRequest["as"]>): GraphQLRequest {
  return { ...request, headers, caller: undefined, introspects: false, explains: true };
}
