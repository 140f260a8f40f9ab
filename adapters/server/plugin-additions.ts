// Collects what plugins add to the server: paths, and fields of the admin API.

import {
  type AdminResolver,
  andThen,
  type GraphQLBody,
  type HttpRequest,
  type HttpResponse,
  type Kernel,
  kernelAccess,
  type PluginLog,
  type PluginRoute,
  QuernError,
  type RouteRequest,
  rescued,
  type ServerAccess,
  type ServerAdditions,
} from "../../core/plugin.ts";
import { serverHooks } from "../../core/server.ts";
import { actionRefusal } from "./access/administer.ts";
import { administrator, type Check, methods, preflight } from "./access/checks.ts";
import type { DeedListener } from "./access/deeds.ts";
import { assertAccess, assertAdditions } from "./check-additions.ts";
import { type ClaimedFields, isOwnField } from "./dgraph-admin/admin-api.ts";
import type { AdminField } from "./dgraph-admin/field.ts";
import { adminBody, bodyBytes, isUnreadable, type UnreadableBody } from "./http/admin-body.ts";
import { openCors } from "./http/cors.ts";
import { hasParameters, type PathParameters, PathPattern, patternProblem } from "./http/path-pattern.ts";
import { adminErrors, inPieces, openAnswer, openHeaders } from "./http/respond.ts";
import { pathOf } from "./http/url.ts";
import type { ForeignBody, ServerParts } from "./parts/server-parts.ts";
import { isOwnPath, isServersOwn, type Route, type RoutePattern } from "./routes.ts";

export interface ClaimedAdditions {
  /** By path. */
  readonly routes: ReadonlyMap<string, Route>;
  /** With parameters. */
  readonly patterns: readonly RoutePattern[];
  /** Bodies of `/graphql`, by media type. */
  readonly bodies: ServerParts["foreignBodies"];
  readonly admin: ClaimedFields;
  /** Undefined: no plugin decides who may administrate. */
  readonly access: ServerAccess | undefined;
  /** Plugins that hear what administrators have done. */
  readonly administered: readonly DeedListener[];
  /** Calls the listeners of the plugins. Never rejects. */
  opened(): Promise<void>;
  erased(): void;
}

/**
 * Calls the `server` and `access` hooks of every plugin.
 *
 * @throws QuernError `PLUGIN_CLASH` when two claim the same, or one claims what the server answers itself
 */
export function claimAdditions(kernel: Kernel): ClaimedAdditions {
  const claims = new Claims();
  const additions = (kernel.config.plugins ?? []).map((plugin) => {
    const access = kernelAccess(kernel, plugin.name);
    const check = (given: ServerAdditions) => assertAdditions(plugin.name, given);
    const { additions: added, access: control } = serverHooks(kernel, plugin, { access, check });
    claims.additions(plugin.name, added);
    if (control) claims.control(plugin.name, control);
    return { log: access.log, ...added };
  });
  const calling = async ({ opened, log }: (typeof additions)[number]) => {
    try {
      await opened?.();
    } catch (thrown) {
      log.fault(thrown);
    }
  };
  return {
    routes: claims.routes,
    patterns: claims.patterns,
    bodies: claims.bodies,
    admin: claims,
    access: claims.access,
    administered: additions.flatMap(({ administered, log }) => (administered ? [heard(administered, log)] : [])),
    opened: async () => void (await Promise.all(additions.map(calling))),
    erased: () => {
      for (const { erased } of additions) erased?.();
    },
  };
}

function heard(listen: NonNullable<ServerAdditions["administered"]>, log: PluginLog): DeedListener {
  return async (deed) => {
    try {
      await listen(deed);
    } catch (thrown) {
      log.fault(thrown);
    }
  };
}

class Claims implements ClaimedFields {
  readonly routes = new Map<string, Route>();
  readonly patterns: RoutePattern[] = [];
  readonly bodies = new Map<string, ForeignBody>();
  access: ServerAccess | undefined;
  readonly definitions: string[] = [];
  readonly queries: Record<string, AdminField> = {};
  readonly mutations: Record<string, AdminField> = {};
  readonly #owners = new Map<string, string>();

  additions(plugin: string, { routes = [], bodies = [], admin = {} }: ServerAdditions): void {
    for (const route of routes) this.route(plugin, route);
    for (const body of bodies) this.body(plugin, body);
    if (admin.definitions !== undefined) this.definitions.push(admin.definitions);
    this.fields(plugin, "query", admin.queries ?? {});
    this.fields(plugin, "mutation", admin.mutations ?? {});
  }

  control(plugin: string, access: ServerAccess): void {
    assertAccess(plugin, access);
    this.#claim(plugin, "the access of administrators");
    this.access = access;
  }

  route(plugin: string, route: PluginRoute): void {
    const { path } = route;
    const problem = patternProblem(path);
    if (problem !== undefined) throw new QuernError("CONFIG_INVALID", `Plugin "${plugin}" claims the path "${path}", and ${problem}.`);
    if (hasParameters(path)) this.#pattern(plugin, route);
    else this.#path(plugin, route);
  }

  #path(plugin: string, route: PluginRoute): void {
    const { path } = route;
    const what = `the path ${path}`;
    if (isOwnPath(path)) throw claimsOwn(plugin, what);
    this.#claim(plugin, what);
    this.routes.set(
      path,
      routeFor(route, () => noParameters),
    );
  }

  /** The server's own paths come before it. */
  #pattern(plugin: string, route: PluginRoute): void {
    const pattern = new PathPattern(route.path);
    const what = `the path ${pattern.shape}`;
    if (isServersOwn(route.path)) throw claimsOwn(plugin, what);
    this.#claim(plugin, what);
    this.patterns.push({ pattern, route: routeFor(route, (path) => pattern.match(path) ?? noParameters) });
  }

  body(plugin: string, { mediaType, isUsed = () => true, read }: GraphQLBody): void {
    const what = `the media type ${mediaType} at /graphql`;
    if (ownMediaTypes.includes(mediaType)) throw claimsOwn(plugin, what);
    this.#claim(plugin, what);
    this.bodies.set(mediaType, {
      isUsed,
      read: (server, request) => read({ ...request, ...asItArrives(request), params: noParameters, caller: callerText(server, request) }),
    });
  }

  fields(plugin: string, operation: "query" | "mutation", fields: Readonly<Record<string, AdminResolver>>): void {
    const claimed = operation === "query" ? this.queries : this.mutations;
    for (const [name, resolve] of Object.entries(fields)) {
      const what = `the ${operation} ${name} of the admin API`;
      if (isOwnField(operation, name)) throw claimsOwn(plugin, what);
      this.#claim(plugin, what);
      claimed[name] = (args, server, request, describe) => resolve(args, request, { doer: () => server.deeds.doerOf(request), describe });
    }
  }

  #claim(plugin: string, what: string): void {
    const owner = this.#owners.get(what);
    if (owner !== undefined)
      throw new QuernError("PLUGIN_CLASH", `Plugins "${owner}" and "${plugin}" both claim ${what}; remove one of them from plugins.`);
    this.#owners.set(what, plugin);
  }
}

function claimsOwn(plugin: string, what: string): QuernError {
  return new QuernError("PLUGIN_CLASH", `Plugin "${plugin}" claims ${what}, which the server answers itself; choose another name.`);
}

const ownMediaTypes: readonly string[] = ["application/json", "application/graphql"];

const noParameters: PathParameters = Object.freeze({});

function routeFor(
  { path, methods: allowed, access, answer, body = "text", cors = "open" }: PluginRoute,
  paramsOf: (path: string) => PathParameters,
): Route {
  const isAdmin = access === "administrators";
  const guard = isAdmin ? [administrator({ code: "ErrorUnauthorized" })] : [];
  const answering: Answering = { answer, body, headers: cors === "own" ? {} : corsFor(allowed), paramsOf };
  return {
    gzip: true,
    admin: isAdmin,
    streams: body === "stream",
    checks: [...(cors === "own" ? [] : [preflightFor(answering.headers)]), ...(allowed.includes("*") ? [] : [methods(allowed)]), ...guard],
    answer: (server, request) =>
      andThen(
        isAdmin ? actionRefusal(server, request, { action: { name: path }, code: "ErrorUnauthorized" }) : undefined,
        (refusal) => refusal ?? (isAdmin ? noted(server, request, { path, answering }) : answered(server, request, answering)),
      ),
  };
}

interface NotedAnswering {
  readonly path: string;
  readonly answering: Answering;
}

/** What an administrator changes by a path of a plugin is told to plugins. */
async function noted(server: ServerParts, request: HttpRequest, { path, answering }: NotedAnswering): Promise<HttpResponse> {
  const response = await answered(server, request, answering);
  const isRead = request.method === "GET" || request.method === "HEAD";
  const deed = { action: path, what: `called ${request.method} ${path}`, outcome: response.status < 400 ? "done" : "failed" } as const;
  if (!isRead) await server.deeds.note(request, deed);
  return response;
}

const allMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** A page may send GET, HEAD and POST without asking. */
function corsFor(allowed: readonly string[]): HttpResponse["headers"] {
  const names = allowed.includes("*") ? allMethods : allowed;
  if (!names.some((each) => each === "PUT" || each === "PATCH" || each === "DELETE")) return openCors;
  return { ...openCors, "access-control-allow-methods": [...new Set([...names, "OPTIONS"])].join(", ") };
}

function preflightFor(headers: HttpResponse["headers"]): Check {
  if (headers === openCors) return preflight;
  const answer = { ...openHeaders, headers: { ...openHeaders.headers, ...headers } };
  return ({ method }) => (method === "OPTIONS" ? answer : undefined);
}

interface Answering extends Required<Pick<PluginRoute, "answer" | "body">> {
  /** Of every answer. */
  readonly headers: HttpResponse["headers"];
  readonly paramsOf: (path: string) => PathParameters;
}

async function answered(
  server: ServerParts,
  request: HttpRequest,
  { answer, body: kind, headers: fixed, paramsOf }: Answering,
): Promise<HttpResponse> {
  const received = kind === "stream" ? asItArrives(request) : await wholeBody(server, request, kind);
  if ("code" in received) return openAnswer(adminErrors(received.code, received.message), received.status);
  const { addressOf } = server;
  const decoded = {
    ...request,
    ...received,
    params: paramsOf(pathOf(request.url)),
    caller: callerText(server, request),
    clientAddress: addressOf(request),
  };
  const response = await rescued(
    () => answer(decoded),
    (thrown) => {
      if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
      if (thrown.code === "PLUGIN_TIMEOUT") return openAnswer(adminErrors(thrown.code, thrown.message), 503);
      return openAnswer(adminErrors("Error", thrown.message));
    },
  );
  const headersSent = { ...fixed, ...response.headers };
  return response.pieces ? inPieces(response.status, headersSent, response.pieces) : { ...response, headers: headersSent };
}

type Received = Pick<RouteRequest, "headers" | "body" | "incoming">;

/** A transport that knows no streams has read the whole body. */
function asItArrives({ headers, body, incoming = onlyPiece(body) }: HttpRequest): Received {
  return { headers, body: new Uint8Array(0), incoming };
}

async function wholeBody(server: ServerParts, request: HttpRequest, kind: "text" | "bytes"): Promise<Received | UnreadableBody> {
  const read = await (kind === "bytes" ? bodyBytes(request, server) : adminBody(request, server));
  if (isUnreadable(read)) return read;
  const { "content-encoding": _encoding, ...headers } = request.headers;
  const body = typeof read === "string" ? Buffer.from(read) : read;
  return { headers, body, incoming: onlyPiece(body) };
}

async function* onlyPiece(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.byteLength > 0) yield body;
}

function callerText({ callerOf }: ServerParts, request: HttpRequest): string | undefined {
  const caller = callerOf(request);
  return caller && `${caller.kind} ${caller.name}`;
}
