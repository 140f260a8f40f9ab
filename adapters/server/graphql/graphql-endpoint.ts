// `/graphql`: decodes the request, executes it, and encodes the answer.

import {
  andThen,
  type CallerRights,
  type GraphQLAnswer,
  type GraphQLRequest,
  type Kernel,
  type MaybePromise,
  QuernError,
  rescued,
  type SchemaSettings,
  writeJson,
} from "../../../core/index.ts";
import { draining, faultText, panicText, readOnlyPageText, worded } from "../../../core/server.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { isReadOnlyPage } from "../access/foreign-page.ts";
import { graphiqlPage, wantsPage } from "../graphiql/graphiql-page.ts";
import { corsOf } from "../http/cors.ts";
import { graphqlResponseType, prefersGraphqlResponse } from "../http/media-type.ts";
import { HttpRefusal, noRoom, notOpen, notReady, refusalErrors, styleOf, tooLarge } from "../http/refusal.ts";
import { adminErrors, inPieces } from "../http/respond.ts";
import type { ForeignBody, ServerParts } from "../parts/server-parts.ts";
import { type DecodedRequest, decodeGraphQL } from "./decode-graphql.ts";
import { eventStream, wantsEvents } from "./event-stream.ts";
import { answeredInJson, foreignBodyOf } from "./foreign-body.ts";
import { type DocumentSources, permitPersisted, type ResolvedDocument, resolveDocument } from "./persisted-query.ts";

export function graphqlEndpoint(server: ServerParts, request: HttpRequest): MaybePromise<HttpResponse> {
  const settings = server.kernel.deployment?.settings;
  if (request.method === "OPTIONS") return { status: 200, headers: { "content-type": "application/json", ...corsOf(request, settings) }, body: "" };
  if (server.graphiql && wantsPage(request)) return graphiqlPage(request, { introspection: server.kernel.config.introspection ?? true });
  if (!server.keys.admits(request)) return unknownKey(request, settings);
  if (!server.kernel.ready && server.kernel.deployment === undefined && !wantsEvents(request))
    return refused(server, request, notReady(server.kernel.trouble));
  const rights = { queriesOnly: isReadOnlyPage(request, settings), introspects: server.introspects(request) };
  if (wantsEvents(request)) return noStream(server, request) ?? eventStream(server, request, rights);
  const service: GraphQLService = { settings, rights, documents: server, execute: (each) => server.kernel.execute(each) };
  const foreign = foreignBodyOf(server, request);
  return foreign === undefined ? answerGraphQL(server, request, service) : answerForeign(server, request, service, foreign);
}

/** A page that may not write sends no files either. */
function answerForeign(server: ServerParts, request: HttpRequest, service: GraphQLService, foreign: ForeignBody): MaybePromise<HttpResponse> {
  if (service.rights.queriesOnly) return refused(server, request, readOnlyPage);
  return rescued(
    () => answeredInJson(server, request, { foreign, answer: (each) => answerGraphQL(server, each, service) }),
    (thrown) => refused(server, request, asRefusal(thrown, server)),
  );
}

/** The differences between `/graphql` and `/admin`. */
export interface GraphQLService {
  /** Origins and headers of the schema; undefined: any origin. */
  readonly settings: SchemaSettings | undefined;
  /** With `queriesOnly`, mutations are refused with status 403. */
  readonly rights: CallerRights;
  readonly documents: DocumentSources;
  /** Never rejects. @param decoded the request as its client sent it */
  readonly execute: (request: GraphQLRequest, decoded: DecodedRequest) => MaybePromise<GraphQLAnswer>;
}

/** Decodes the request, executes it, and encodes the answer. */
export function answerGraphQL(server: ServerParts, request: HttpRequest, service: GraphQLService): MaybePromise<HttpResponse> {
  return rescued(
    () => andThen(decodeGraphQL(request, server), (decoded) => run(server, request, decoded, service)),
    (thrown) => refused(server, request, asRefusal(thrown, server)),
  );
}

/** The answer to a body that exceeds the limit. */
export function graphqlBodyTooLarge(server: ServerParts, request: Omit<HttpRequest, "body">): HttpResponse {
  const settings = server.kernel.deployment?.settings;
  if (!server.keys.admits(request)) return unknownKey(request, settings);
  return refused(server, request, tooLarge(server.bodyLimits(request).sent));
}

function run(server: ServerParts, request: HttpRequest, decoded: DecodedRequest, service: GraphQLService): MaybePromise<HttpResponse> {
  const { settings, rights, documents, execute } = service;
  return andThen(
    resolveDocument(decoded, documents, () => permitPersisted(server.access, request)),
    (document) =>
      andThen(execute(executionOf(server, request, decoded, { document, rights }), decoded), (answer) =>
        rights.queriesOnly && answer.kind === "mutation" ? refused(server, request, readOnlyPage) : answered(request, settings, answer),
      ),
  );
}

function executionOf(
  server: ServerParts,
  request: HttpRequest,
  decoded: DecodedRequest,
  {
    document: { query, keep: admitted },
    rights: { queriesOnly, introspects },
  }: { readonly document: ResolvedDocument; readonly rights: CallerRights },
): GraphQLRequest {
  const { operationName, variables, plan } = decoded;
  const { headers, onGone } = request;
  const exchange = server.kernel.telemetry.writesLines ? request : undefined;
  const caller = server.callerOf(request);
  // Explicit members, because a spread costs two microseconds here.
  if (onGone === undefined) return { query, operationName, variables, headers, queriesOnly, introspects, plan, exchange, admitted, caller };
  return { query, operationName, variables, headers, queriesOnly, introspects, plan, exchange, admitted, caller, onGone };
}

const readOnlyPage = new HttpRefusal(readOnlyPageText, 403, "REQUEST_REFUSED");

function answered(request: HttpRequest, settings: SchemaSettings | undefined, answer: GraphQLAnswer): HttpResponse {
  const headers = headersOf(request, settings, answer.touched);
  if (answer.retryAfterSeconds !== undefined) {
    const status = answer.isShareTaken === true ? 429 : 503;
    return { status, headers: { ...headers, "retry-after": String(answer.retryAfterSeconds) }, body: answer.body };
  }
  const status = answer.requestErrors && prefersGraphqlResponse(request) ? 400 : 200;
  const cached = answer.maxAgeSeconds === undefined ? headers : { ...headers, ...caching(answer.maxAgeSeconds, settings) };
  return answer.pieces === undefined ? { status, headers: cached, body: answer.body } : inPieces(status, cached, answer.pieces);
}

/** For every client, whatever it accepts. */
const plainStatuses: ReadonlySet<number> = new Set([403, 503]);

/** The answer to a request for whose body there is no room. */
export function graphqlOverloaded(server: ServerParts, request: Omit<HttpRequest, "body">): HttpResponse {
  return refused(server, request, noRoom());
}

function refused({ kernel }: ServerParts, request: Omit<HttpRequest, "body">, refusal: HttpRefusal): HttpResponse {
  const status = prefersGraphqlResponse(request) || plainStatuses.has(refusal.status) ? refusal.status : 200;
  const headers = headersOf(request, kernel.deployment?.settings, 0);
  const body = writeJson({ errors: refusalErrors(refusal, styleOf(kernel)) });
  if (status === 503) return { status, headers: { ...headers, "retry-after": "1" }, body };
  return { status, headers: status === 405 ? { ...headers, allow: "GET, POST, OPTIONS" } : headers, body };
}

/** The refusal of an event stream while draining. Clients of event streams retry after a failed response, but not after an error on the stream. */
function noStream({ clients, kernel }: ServerParts, request: HttpRequest): HttpResponse | undefined {
  const reason = reasonOf(kernel) ?? (clients.full ? new QuernError("OVERLOADED", clients.fullText) : undefined);
  if (reason === undefined) return undefined;
  const headers = headersOf(request, kernel.deployment?.settings, 0);
  const later = kernel.trouble?.kind === "lost" && !kernel.draining;
  const { code, message, compatible = message } = reason;
  const errors = worded([{ code, message, compatible, ...(later && { extensions: { code: "STORE_UNAVAILABLE" } }) }], styleOf(kernel));
  return { status: 503, headers: later ? { ...headers, "retry-after": "1" } : headers, body: writeJson({ errors }) };
}

function reasonOf({ draining: isDraining, ready, trouble }: Kernel): QuernError | undefined {
  if (isDraining) return draining;
  return ready && trouble?.kind !== "lost" ? undefined : new QuernError("STORE_UNAVAILABLE", notOpen(trouble));
}

function unknownKey(request: Pick<HttpRequest, "headers">, settings: SchemaSettings | undefined): HttpResponse {
  return { status: 401, headers: headersOf(request, settings, 0), body: writeJson(adminErrors("ErrorUnauthorized", "Invalid X-Auth-Token")) };
}

function headersOf(request: Pick<HttpRequest, "headers">, settings: SchemaSettings | undefined, touched: number): Readonly<Record<string, string>> {
  return {
    "content-type": prefersGraphqlResponse(request) ? graphqlResponseType : "application/json",
    "graphql-toucheduids": String(touched),
    ...corsOf(request, settings),
  };
}

/** A shared cache must not serve the answer for one origin to another. */
function caching(maxAgeSeconds: number, settings: SchemaSettings | undefined): Readonly<Record<string, string>> {
  const varies = settings !== undefined && settings.allowedOrigins.length > 0 ? "Accept-Encoding, Origin" : "Accept-Encoding";
  return { "cache-control": `public,max-age=${maxAgeSeconds}`, vary: varies };
}

function asRefusal(thrown: unknown, server: ServerParts): HttpRefusal {
  if (thrown instanceof HttpRefusal) return thrown;
  server.kernel.log.fault(thrown);
  return new HttpRefusal(faultText, 500, "INTERNAL", panicText);
}
