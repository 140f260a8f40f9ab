// `/admin/graphql`: the deployed API for administrators. The access rules of plugins do not apply, and the plan of a request can be asked for, also as a client: then with the rules that restrict it.

import type { GraphQLAnswer, GraphQLRequest } from "../../../core/index.ts";
import { andThen, type HttpRequest, type HttpResponse, type MaybePromise } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import { editText } from "../access/deed-texts.ts";
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
    execute: (each, { as }) =>
      andThen(server.kernel.execute(as === undefined ? { ...each, as: "system" } : asClient(each, as)), (answered) =>
        answered.kind === "mutation" && server.deeds.areHeard ? noted(server, { request, query: each.query }, answered) : answered,
      ),
  });
}

interface AskedMutation {
  readonly request: HttpRequest;
  readonly query: string;
}

async function noted(server: ServerParts, { request, query }: AskedMutation, answered: GraphQLAnswer): Promise<GraphQLAnswer> {
  const outcome = answered.requestErrors ? "failed" : "done";
  await server.deeds.note(request, { action: "/admin/graphql", what: editText(query, answered.touched), outcome });
  return answered;
}

/** What a client with these headers would get. The request counts for nobody. */
function asClient(request: GraphQLRequest, headers: NonNullable<DecodedRequest["as"]>): GraphQLRequest {
  return { ...request, headers, caller: undefined, introspects: false, explains: true };
}
