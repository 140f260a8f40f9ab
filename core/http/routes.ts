// Every path there is, and what comes before its own work: who may call, by which method, from where.

import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import type { MaybePromise } from "../contracts/values.ts";
import { adminEndpoint } from "./admin/endpoint.ts";
import { cacheEndpoint, drainingEndpoint, loginEndpoint, shutdownEndpoint, stateEndpoint } from "./admin/rest-endpoints.ts";
import type { AdminGuard } from "./admin-guard.ts";
import { alterEndpoint } from "./alter-endpoint.ts";
import type { HttpContext } from "./context.ts";
import { isCrossSite } from "./cross-site.ts";
import { toGraphiql, wantsPage } from "./graphiql-page.ts";
import { graphqlEndpoint } from "./graphql-endpoint.ts";
import { healthEndpoint, probeEndpoint } from "./health-endpoint.ts";
import { metricsEndpoint } from "./metrics-endpoint.ts";
import { adminErrors, openAnswer, openHeaders, textAnswer } from "./respond.ts";
import { deployEndpoint, deployFailed, validateEndpoint } from "./schema-endpoint.ts";

export interface Route {
  /** Whether the answer is packed for a client that takes gzip. */
  readonly packs: boolean;
  /** The answer to a request that goes no further; undefined lets it pass. */
  readonly refuse?: (request: Omit<HttpRequest, "body">, guard: AdminGuard) => HttpResponse | undefined;
  readonly answer: (context: HttpContext, request: HttpRequest, guard: AdminGuard) => MaybePromise<HttpResponse>;
}

/** Undefined where nothing is. Below `/admin` even that is told only to those who may administrate. */
export function routeOf(path: string): Route | undefined {
  return routes.get(path) ?? (path.startsWith("/admin/") ? unknownAdministration : undefined);
}

export function isKnownPath(path: string): boolean {
  return routes.has(path);
}

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/", { packs: false, refuse: refuseAllButVisitors, answer: ({ graphiql }) => (graphiql ? toGraphiql : notFound) }],
  ["/graphql", { packs: true, answer: graphqlEndpoint }],
  ["/admin/schema", { packs: true, refuse: refuseDeploy, answer: deployEndpoint }],
  ["/admin/schema/validate", { packs: true, refuse: refuseValidate, answer: validateEndpoint }],
  ["/alter", { packs: true, refuse: refuseAlter, answer: alterEndpoint }],
  ["/metrics", { packs: true, answer: metricsEndpoint }],
  ["/health", { packs: false, answer: healthEndpoint }],
  ["/probe/graphql", { packs: false, answer: probeEndpoint }],
  ["/admin", { packs: true, refuse: refuseAdmin, answer: adminEndpoint }],
  ["/admin/shutdown", { packs: true, refuse: refuseHelper("GET"), answer: shutdownEndpoint }],
  ["/admin/draining", { packs: true, refuse: refuseHelper("POST", "PUT"), answer: drainingEndpoint }],
  ["/admin/config/cache_mb", { packs: false, refuse: refuseHelper("GET", "PUT"), answer: cacheEndpoint }],
  ["/state", { packs: true, refuse: refuseUnknownKey, answer: stateEndpoint }],
  ["/login", { packs: true, refuse: refuseLogin, answer: loginEndpoint }],
]);

export const notFound: HttpResponse = textAnswer(404, "404 page not found\n");
const unknownAdministration: Route = { packs: false, refuse: refuseStranger, answer: () => notFound };

function refuseAllButVisitors(request: Omit<HttpRequest, "body">): HttpResponse | undefined {
  return wantsPage(request) ? undefined : notFound;
}

function refuseStranger(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  return guard.hasToken(request) ? undefined : wrongToken;
}

/** A wrong method is told before a wrong token. */
function refuseAdmin(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method !== "GET" && request.method !== "POST" && request.method !== "OPTIONS") return methodNotAllowed;
  if (!guard.hasToken(request)) return wrongToken;
  return request.method === "OPTIONS" ? openHeaders : undefined;
}

function refuseHelper(...methods: readonly string[]): Route["refuse"] & {} {
  return (request, guard) => {
    if (request.method !== "OPTIONS" && !methods.includes(request.method)) return methodNotAllowed;
    if (!guard.hasToken(request)) return wrongToken;
    if (request.method === "OPTIONS") return openHeaders;
    // Some of them change something by GET.
    return isCrossSite(request) ? crossSite : undefined;
  };
}

function refuseLogin(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method === "OPTIONS") return openHeaders;
  if (request.method !== "POST") return methodNotAllowed;
  const problem = guard.tokenProblem(request) ?? guard.addressProblem(request);
  return problem === undefined ? undefined : openAnswer(adminErrors("ErrorInvalidRequest", problem));
}

function refuseUnknownKey(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method === "OPTIONS") return openHeaders;
  return guard.admits(request) ? undefined : unknownKey;
}

function refuseDeploy(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (!guard.hasToken(request)) return wrongToken;
  if (request.method === "OPTIONS") return openHeaders;
  if (!isWrite(request)) return invalidMethod;
  if (isCrossSite(request)) return crossSite;
  const problem = guard.addressProblem(request);
  return problem === undefined ? undefined : openAnswer(adminErrors("Error", deployFailed(problem)));
}

/** No token is needed to look at a schema text. */
function refuseValidate(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  const problem = guard.addressProblem(request);
  return problem === undefined ? undefined : openAnswer(adminErrors("Error", problem));
}

function refuseAlter(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method === "OPTIONS") return openHeaders;
  if (!isWrite(request)) return invalidMethod;
  if (isCrossSite(request)) return crossSite;
  const problem = guard.tokenProblem(request) ?? guard.addressProblem(request);
  if (problem !== undefined) return openAnswer(adminErrors("Error", problem));
  return guard.mayDrop(request) ? undefined : openAnswer(adminErrors("Error", "Dropping is switched off here. Set admin.drop to true to allow it."));
}

const invalidMethod = openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), 400);
const methodNotAllowed = openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), 405);
const unknownKey = openAnswer(adminErrors("ErrorUnauthorized", "Invalid X-Auth-Token"), 401);
const wrongToken = openAnswer(adminErrors("ErrorUnauthorized", "Invalid X-Dgraph-AuthToken"));
const crossSite = openAnswer(adminErrors("ErrorForbidden", "A change asked for by a page of another site is refused."), 403);

function isWrite(request: Pick<HttpRequest, "method">): boolean {
  return request.method === "POST" || request.method === "PUT";
}
