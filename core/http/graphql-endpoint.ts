// `/graphql`: decodes the request, has it run, and dresses the answer.

import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import type { MaybePromise } from "../contracts/values.ts";
import type { Deployment } from "../deploy/deployment.ts";
import { writeJson } from "../json/write-json.ts";
import { andThen, rescued } from "../maybe-promise.ts";
import { panicText } from "../pipeline/faults.ts";
import type { GraphQLAnswer, GraphQLRequest } from "../pipeline/request.ts";
import type { HttpContext } from "./context.ts";
import { corsOf } from "./cors.ts";
import { isCrossSite } from "./cross-site.ts";
import { type DecodedRequest, decodeGraphQL } from "./decode-graphql.ts";
import { graphqlResponseType, prefersGraphqlResponse } from "./media-type.ts";
import { resolveDocument } from "./persisted-query.ts";
import { Refusal, tooLarge } from "./refusal.ts";
import { adminErrors } from "./respond.ts";

export function graphqlEndpoint(context: HttpContext, request: HttpRequest): MaybePromise<HttpResponse> {
  const deployment = context.deployment;
  if (request.method === "OPTIONS")
    return { status: 200, headers: { "content-type": "application/json", ...corsOf(request, deployment?.settings) }, body: "" };
  if (!context.keys.admits(request)) return unknownKey(request, deployment);
  return rescued(
    () => andThen(decodeGraphQL(request, context.limits), (decoded) => run(context, request, decoded, deployment)),
    (thrown) => refused(request, deployment, asRefusal(thrown, context)),
  );
}

/** For a body that the transport did not read to its end. */
export function graphqlBodyTooLarge(context: HttpContext, request: Omit<HttpRequest, "body">): HttpResponse {
  if (!context.keys.admits(request)) return unknownKey(request, context.deployment);
  return refused(request, context.deployment, tooLarge(context.limits.maxBodyBytes));
}

function run(context: HttpContext, request: HttpRequest, decoded: DecodedRequest, deployment: Deployment | undefined): MaybePromise<HttpResponse> {
  const queriesOnly = request.method === "GET" && isCrossSite(request);
  return andThen(resolveDocument(decoded, context.persisted), (query) =>
    andThen(context.execute(executionOf(request, decoded, query, queriesOnly)), (answer) =>
      queriesOnly && answer.kind === "mutation" ? refused(request, deployment, crossSite) : answered(request, deployment, answer),
    ),
  );
}

function executionOf(request: HttpRequest, decoded: DecodedRequest, query: string, queriesOnly: boolean): GraphQLRequest {
  const { operationName, variables, plan } = decoded;
  const { headers, onGone } = request;
  if (onGone === undefined) return { query, operationName, variables, headers, queriesOnly, plan };
  return { query, operationName, variables, headers, queriesOnly, plan, onGone };
}

const crossSite = new Refusal("A mutation by GET from a page of another site is refused. Send it by POST.", 403, "REQUEST_REFUSED");

function answered(request: HttpRequest, deployment: Deployment | undefined, answer: GraphQLAnswer): HttpResponse {
  const status = answer.requestErrors && prefersGraphqlResponse(request) ? 400 : 200;
  const headers = headersOf(request, deployment, answer.touched);
  return {
    status,
    headers: answer.maxAgeSeconds === undefined ? headers : { ...headers, ...caching(answer.maxAgeSeconds, deployment) },
    body: answer.body,
  };
}

function refused(request: Omit<HttpRequest, "body">, deployment: Deployment | undefined, refusal: Refusal): HttpResponse {
  const status = prefersGraphqlResponse(request) || refusal.status === 403 ? refusal.status : 200;
  const headers = headersOf(request, deployment, 0);
  const body = writeJson({ errors: [{ message: refusal.message }] });
  return { status, headers: status === 405 ? { ...headers, allow: "GET, POST, OPTIONS" } : headers, body };
}

function unknownKey(request: Pick<HttpRequest, "headers">, deployment: Deployment | undefined): HttpResponse {
  return { status: 401, headers: headersOf(request, deployment, 0), body: writeJson(adminErrors("ErrorUnauthorized", "Invalid X-Auth-Token")) };
}

function headersOf(request: Pick<HttpRequest, "headers">, deployment: Deployment | undefined, touched: number): Readonly<Record<string, string>> {
  return {
    "content-type": prefersGraphqlResponse(request) ? graphqlResponseType : "application/json",
    "graphql-toucheduids": String(touched),
    ...corsOf(request, deployment?.settings),
  };
}

/** A shared cache must not hand the answer for one origin to another. */
function caching(maxAgeSeconds: number, deployment: Deployment | undefined): Readonly<Record<string, string>> {
  const varies = deployment !== undefined && deployment.settings.allowedOrigins.length > 0 ? "Accept-Encoding, Origin" : "Accept-Encoding";
  return { "cache-control": `public,max-age=${maxAgeSeconds}`, vary: varies };
}

function asRefusal(thrown: unknown, context: HttpContext): Refusal {
  if (thrown instanceof Refusal) return thrown;
  context.log(thrown);
  return new Refusal(panicText, 500, "INTERNAL");
}
