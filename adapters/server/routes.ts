// The route table: every path, the checks that a request passes in this order, and the endpoint that answers it.

import type { HttpRequest, HttpResponse, MaybePromise } from "../../core/transport.ts";
import type { AdminGuard } from "./access/admin-guard.ts";
import { adminAddress, administrator, adminToken, type Check, methods, preflight } from "./access/checks.ts";
import { consoleFile, consoleFolder, consolePage, redirectToConsole } from "./console/console-page.ts";
import { type AdminApi, adminApi, nothingClaimed } from "./dgraph-admin/admin-api.ts";
import { alterEndpoint } from "./dgraph-admin/alter-endpoint.ts";
import { adminEndpoint } from "./dgraph-admin/endpoint.ts";
import { healthEndpoint, probeEndpoint } from "./dgraph-admin/health-endpoint.ts";
import { cacheEndpoint, drainingEndpoint, loginEndpoint, shutdownEndpoint, stateEndpoint } from "./dgraph-admin/rest-endpoints.ts";
import { deployEndpoint, deployFailed, validateEndpoint } from "./dgraph-admin/schema-endpoint.ts";
import { redirectToGraphiql, wantsPage } from "./graphiql/graphiql-page.ts";
import { graphqlEndpoint } from "./graphql/graphql-endpoint.ts";
import { systemEndpoint } from "./graphql/system-endpoint.ts";
import { metricsEndpoint } from "./health/metrics-endpoint.ts";
import { liveEndpoint, readyEndpoint } from "./health/probes.ts";
import { PathPattern } from "./http/path-pattern.ts";
import { textAnswer } from "./http/respond.ts";
import type { ServerParts } from "./parts/server-parts.ts";
import { commitStream } from "./tasks/commit-stream.ts";
import { importEndpoint } from "./tasks/import-endpoint.ts";
import { liveQueriesEndpoint, readingsEndpoint, requestLogEndpoint, requestsEndpoint, storeEndpoint } from "./tasks/readings-endpoint.ts";

export interface Route {
  /** Whether the answer is compressed for a client that accepts gzip. */
  readonly gzip: boolean;
  /** Whether the path is for administrators: pages of other origins cannot read its answers, unless `admin.origins` lists their origin. */
  readonly admin: boolean;
  /** Applied in order; the first refusal is the answer. Their order is part of the wire format: it decides which of two faults is reported. */
  readonly checks: readonly Check[];
  /** Whether it takes bodies as they arrive. */
  readonly streams?: boolean;
  readonly answer: (server: ServerParts, request: HttpRequest, guard: AdminGuard) => MaybePromise<HttpResponse>;
}

/** Paths with parameters that lead to one route. */
export interface RoutePattern {
  readonly pattern: PathPattern;
  readonly route: Route;
}

/** Every path of one server: its own, and those that plugins have claimed. */
export class RouteTable {
  readonly #routes: ReadonlyMap<string, Route>;
  /** Those that are literal the longest come first. */
  readonly #patterns: readonly RoutePattern[];

  /** @param claimed by path */
  constructor(api: AdminApi, claimed: ReadonlyMap<string, Route>, patterns: readonly RoutePattern[]) {
    this.#routes = new Map([...ownRoutes(api), ...claimed]);
    this.#patterns = [...patterns].sort((a, b) => PathPattern.compare(a.pattern, b.pattern));
  }

  /** Undefined: there is none. A path below `/admin` that does not exist needs the admin token like the others, and hides that it does not exist. */
  routeOf(path: string): Route | undefined {
    const route = this.#routes.get(path);
    if (route !== undefined) return route;
    if (path.startsWith("/admin/")) return unknownAdminPath;
    return path.startsWith(consoleFolder) ? consoleFiles : this.#patternOf(path)?.route;
  }

  /** One of few names for all paths of clients: the path of a route, or `other`. */
  labelOf(path: string): string {
    if (this.#routes.has(path)) return path;
    return isServersOwn(path) ? "other" : (this.#patternOf(path)?.pattern.text ?? "other");
  }

  #patternOf(path: string): RoutePattern | undefined {
    return this.#patterns.find(({ pattern }) => pattern.match(path) !== undefined);
  }
}

/** Below these the server answers for every path. */
export function isServersOwn(path: string): boolean {
  return path.startsWith("/admin/") || path.startsWith(consoleFolder);
}

/** Whether the server answers the path itself, so that a plugin cannot claim it. */
export function isOwnPath(path: string): boolean {
  return ownPaths.has(path) && !claimablePaths.has(path);
}

/** The server only refuses these by itself. */
const claimablePaths: ReadonlySet<string> = new Set(["/login"]);

/** The answer to a request that fails a check of `route`; undefined: it passes all. */
export function refusalOf(route: Route, request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  for (const check of route.checks) {
    const refusal = check(request, guard);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

export const notFound: HttpResponse = textAnswer(404, "404 page not found\n");

const pageVisit: Check = (request) => (wantsPage(request) ? undefined : notFound);
const writes = methods(["POST", "PUT"], { status: 400 });

// biome-ignore format: one line for each path
const ownRoutes = (api: AdminApi): ReadonlyMap<string, Route> => new Map<string, Route>([
  ["/",                      { gzip: false, admin: false, checks: [pageVisit], answer: frontPage }],
  ["/console",               { gzip: false, admin: false, checks: [methods(["GET", "HEAD"])], answer: consolePage }],
  ["/graphql",               { gzip: true,  admin: false, checks: [], answer: graphqlEndpoint }],
  ["/health",                { gzip: false, admin: false, checks: [], answer: healthEndpoint }],
  ["/health/live",           { gzip: false, admin: false, checks: [], answer: liveEndpoint }],
  ["/health/ready",          { gzip: false, admin: false, checks: [], answer: readyEndpoint }],
  ["/probe/graphql",         { gzip: false, admin: false, checks: [], answer: probeEndpoint }],
  // The endpoint checks the caller, because the configuration of metrics may open it.
  ["/metrics",               { gzip: true,  admin: true,  checks: [], answer: metricsEndpoint }],
  // The name under which scrapers of Dgraph know it.
  ["/debug/prometheus_metrics", { gzip: true, admin: true, checks: [], answer: metricsEndpoint }],
  ["/admin",                 { gzip: true,  admin: true,  checks: [methods(["GET", "POST", "OPTIONS"]), adminToken, preflight], answer: adminEndpoint(api) }],
  ["/admin/graphql",         { gzip: true,  admin: true,  checks: [adminToken, preflight, adminAddress("Error")], answer: systemEndpoint }],
  ["/admin/changes",         { gzip: false, admin: true,  checks: [methods(["GET", "OPTIONS"]), adminToken, preflight, adminAddress("Error")], answer: commitStream }],
  ["/admin/readings",        { gzip: true,  admin: true,  checks: [methods(["GET", "OPTIONS"]), adminToken, preflight, adminAddress("Error")], answer: readingsEndpoint }],
  ["/admin/store",           { gzip: true,  admin: true,  checks: [methods(["GET", "OPTIONS"]), adminToken, preflight, adminAddress("Error")], answer: storeEndpoint }],
  ["/admin/live",            { gzip: true,  admin: true,  checks: [methods(["GET", "OPTIONS"]), adminToken, preflight, adminAddress("Error")], answer: liveQueriesEndpoint }],
  ["/admin/requests",        { gzip: true,  admin: true,  checks: [methods(["GET", "OPTIONS"]), adminToken, preflight, adminAddress("Error")], answer: requestsEndpoint }],
  ["/admin/requests/log",    { gzip: true,  admin: true,  checks: [methods(["GET", "OPTIONS"]), adminToken, preflight, adminAddress("Error")], answer: requestLogEndpoint }],
  ["/admin/shutdown",        { gzip: true,  admin: true,  checks: [methods(["GET", "OPTIONS"]), adminToken, preflight], answer: shutdownEndpoint }],
  ["/admin/draining",        { gzip: true,  admin: true,  checks: [methods(["POST", "PUT", "OPTIONS"]), adminToken, preflight], answer: drainingEndpoint }],
  ["/admin/config/cache_mb", { gzip: false, admin: true,  checks: [methods(["GET", "PUT", "OPTIONS"]), adminToken, preflight], answer: cacheEndpoint }],
  ["/admin/schema",          { gzip: true,  admin: true,  checks: [adminToken, preflight, writes, adminAddress("Error", deployFailed)], answer: deployEndpoint }],
  ["/admin/schema/validate", { gzip: true,  admin: true,  checks: [adminToken, adminAddress("Error")], answer: validateEndpoint }],
  ["/admin/import",          { gzip: true,  admin: true,  checks: [adminToken, preflight, writes, adminAddress("Error")], answer: importEndpoint }],
  ["/alter",                 { gzip: true,  admin: true,  checks: [preflight, writes, administrator({ code: "Error" })], answer: alterEndpoint }],
  ["/state",                 { gzip: true,  admin: true,  checks: [preflight, administrator({ code: "ErrorUnauthorized", status: 403 })], answer: stateEndpoint }],
  ["/login",                 { gzip: true,  admin: true,  checks: [preflight, methods(["POST"], { status: 400 }), administrator({ code: "ErrorInvalidRequest" })], answer: loginEndpoint }],
]);

const consoleFiles: Route = { gzip: false, admin: false, checks: [methods(["GET", "HEAD"])], answer: consoleFile };

/** The console; without it GraphiQL. */
function frontPage({ console, graphiql }: ServerParts): HttpResponse {
  if (console) return redirectToConsole;
  return graphiql ? redirectToGraphiql : notFound;
}

const ownPaths: ReadonlySet<string> = new Set(ownRoutes(adminApi(nothingClaimed)).keys());

const unknownAdminPath: Route = { gzip: false, admin: true, checks: [adminToken], answer: () => notFound };
