// Every path there is, and what comes before its own work: who may call, by which method, from where.

import type { HttpRequest, HttpResponse, MaybePromise } from "../../core/index.ts";
import type { AdminGuard } from "./access/admin-guard.ts";
import { refuseCaller } from "./access/refuse-caller.ts";
import type { HttpContext } from "./context.ts";
import { alterEndpoint } from "./dgraph-admin/alter-endpoint.ts";
import { adminEndpoint } from "./dgraph-admin/endpoint.ts";
import { healthEndpoint, probeEndpoint } from "./dgraph-admin/health-endpoint.ts";
import { cacheEndpoint, drainingEndpoint, loginEndpoint, shutdownEndpoint, stateEndpoint } from "./dgraph-admin/rest-endpoints.ts";
import { deployEndpoint, deployFailed, validateEndpoint } from "./dgraph-admin/schema-endpoint.ts";
import { toGraphiql, wantsPage } from "./graphiql/graphiql-page.ts";
import { graphqlEndpoint } from "./graphql/graphql-endpoint.ts";
import { metricsEndpoint } from "./http/metrics-endpoint.ts";
import { adminErrors, openAnswer, openHeaders, textAnswer, tokenRefused } from "./http/respond.ts";

export interface Route {
  /** Whether the answer is packed for a client that takes gzip. */
  readonly packs: boolean;
  /** Whether the path is for administrators: pages of other origins read none of its answers, unless their origin is configured. */
  readonly admin?: boolean;
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
  ["/admin/schema", { packs: true, admin: true, refuse: refuseDeploy, answer: deployEndpoint }],
  ["/admin/schema/validate", { packs: true, admin: true, refuse: refuseValidate, answer: validateEndpoint }],
  ["/alter", { packs: true, admin: true, refuse: refuseAlter, answer: alterEndpoint }],
  ["/metrics", { packs: true, admin: true, answer: metricsEndpoint }],
  ["/health", { packs: false, answer: healthEndpoint }],
  ["/probe/graphql", { packs: false, answer: probeEndpoint }],
  ["/admin", { packs: true, admin: true, refuse: refuseAdmin, answer: adminEndpoint }],
  ["/admin/shutdown", { packs: true, admin: true, refuse: refuseHelper("GET"), answer: shutdownEndpoint }],
  ["/admin/draining", { packs: true, admin: true, refuse: refuseHelper("POST", "PUT"), answer: drainingEndpoint }],
  ["/admin/config/cache_mb", { packs: false, admin: true, refuse: refuseHelper("GET", "PUT"), answer: cacheEndpoint }],
  ["/state", { packs: true, admin: true, refuse: refuseState, answer: stateEndpoint }],
  ["/login", { packs: true, admin: true, refuse: refuseLogin, answer: loginEndpoint }],
]);

export const notFound: HttpResponse = textAnswer(404, "404 page not found\n");
const unknownAdministration: Route = { packs: false, admin: true, refuse: refuseStranger, answer: () => notFound };

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
    return request.method === "OPTIONS" ? openHeaders : undefined;
  };
}

function refuseLogin(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method === "OPTIONS") return openHeaders;
  if (request.method !== "POST") return methodNotAllowed;
  return refuseCaller(request, guard, { code: "ErrorInvalidRequest" });
}

function refuseState(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method === "OPTIONS") return openHeaders;
  return refuseCaller(request, guard, { code: "ErrorUnauthorized", status: 403 });
}

function refuseDeploy(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (!guard.hasToken(request)) return wrongToken;
  if (request.method === "OPTIONS") return openHeaders;
  if (!isWrite(request)) return invalidMethod;
  const problem = guard.addressProblem(request);
  return problem === undefined ? undefined : openAnswer(adminErrors("Error", deployFailed(problem)));
}

function refuseValidate(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (!guard.hasToken(request)) return wrongToken;
  const problem = guard.addressProblem(request);
  return problem === undefined ? undefined : openAnswer(adminErrors("Error", problem));
}

function refuseAlter(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method === "OPTIONS") return openHeaders;
  if (!isWrite(request)) return invalidMethod;
  const refusal = refuseCaller(request, guard, { code: "Error" });
  if (refusal !== undefined) return refusal;
  return guard.mayDrop(request) ? undefined : openAnswer(adminErrors("Error", "Dropping is switched off here. Set admin.drop to true to allow it."));
}

const invalidMethod = openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), 400);
const methodNotAllowed = openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), 405);
const wrongToken = tokenRefused("Invalid X-Dgraph-AuthToken", "ErrorUnauthorized");

function isWrite(request: Pick<HttpRequest, "method">): boolean {
  return request.method === "POST" || request.method === "PUT";
}
