// Every path there is, and what comes before its own work: who may call, by which method, from where.

import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import type { MaybePromise } from "../contracts/values.ts";
import type { AdminGuard } from "./admin-guard.ts";
import { alterEndpoint } from "./alter-endpoint.ts";
import type { HttpContext } from "./context.ts";
import { isCrossSite } from "./cross-site.ts";
import { graphqlEndpoint } from "./graphql-endpoint.ts";
import { healthEndpoint, probeEndpoint } from "./health-endpoint.ts";
import { adminErrors, openAnswer, openHeaders, textAnswer } from "./respond.ts";
import { deployEndpoint, deployFailed, validateEndpoint } from "./schema-endpoint.ts";

export interface Route {
  /** Whether the answer is packed for a client that takes gzip. */
  readonly packs: boolean;
  /** The answer to a request that goes no further; undefined lets it pass. */
  readonly refuse?: (request: Omit<HttpRequest, "body">, guard: AdminGuard) => HttpResponse | undefined;
  readonly answer: (context: HttpContext, request: HttpRequest) => MaybePromise<HttpResponse>;
}

/** Undefined where nothing is. Below `/admin` even that is told only to those who may administrate. */
export function routeOf(path: string): Route | undefined {
  return routes.get(path) ?? (path.startsWith("/admin/") ? unknownAdministration : undefined);
}

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/graphql", { packs: true, answer: graphqlEndpoint }],
  ["/admin/schema", { packs: true, refuse: refuseDeploy, answer: deployEndpoint }],
  ["/admin/schema/validate", { packs: true, refuse: refuseValidate, answer: validateEndpoint }],
  ["/alter", { packs: true, refuse: refuseAlter, answer: alterEndpoint }],
  ["/health", { packs: false, answer: healthEndpoint }],
  ["/probe/graphql", { packs: false, answer: probeEndpoint }],
  ["/admin", { packs: false, refuse: refuseStranger, answer: () => notYet("/admin") }],
  ...["/state", "/login"].map((path) => [path, { packs: false, answer: () => notYet(path) }] as const),
]);

export const notFound: HttpResponse = textAnswer(404, "404 page not found\n");
const unknownAdministration: Route = { packs: false, refuse: refuseStranger, answer: () => notFound };

function notYet(path: string): HttpResponse {
  return textAnswer(404, `404 page not found: this server has no ${path}. A schema is deployed by POST /admin/schema, requests go to /graphql.\n`);
}

function refuseStranger(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  return guard.hasToken(request) ? undefined : wrongToken;
}

function refuseDeploy(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (!guard.hasToken(request)) return wrongToken;
  if (request.method === "OPTIONS") return openHeaders;
  if (!isWrite(request)) return invalidMethod;
  if (isCrossSite(request)) return crossSite;
  return guard.hasAddress(request) ? undefined : openAnswer(adminErrors("Error", deployFailed(unauthorizedAddress(request))));
}

/** No token is needed to look at a schema text. */
function refuseValidate(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  return guard.hasAddress(request) ? undefined : openAnswer(adminErrors("Error", unauthorizedAddress(request)));
}

function refuseAlter(request: Omit<HttpRequest, "body">, guard: AdminGuard): HttpResponse | undefined {
  if (request.method === "OPTIONS") return openHeaders;
  if (!isWrite(request)) return invalidMethod;
  if (isCrossSite(request)) return crossSite;
  if (!guard.hasToken(request)) return openAnswer(adminErrors("Error", "No Auth Token found. Token needed for Admin operations."));
  if (!guard.hasAddress(request)) return openAnswer(adminErrors("Error", unauthorizedAddress(request)));
  return guard.mayDrop(request) ? undefined : openAnswer(adminErrors("Error", "Dropping is switched off here. Set admin.drop to true to allow it."));
}

const invalidMethod = openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), 400);
const wrongToken = openAnswer(adminErrors("ErrorUnauthorized", "Invalid X-Dgraph-AuthToken"));
const crossSite = openAnswer(adminErrors("ErrorForbidden", "A change asked for by a page of another site is refused."), 403);

function isWrite(request: Pick<HttpRequest, "method">): boolean {
  return request.method === "POST" || request.method === "PUT";
}

function unauthorizedAddress(request: Pick<HttpRequest, "remoteAddress">): string {
  return `unauthorized ip address: ${request.remoteAddress ?? "unknown"}`;
}
