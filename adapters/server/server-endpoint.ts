// The HTTP surface on plain data: routes a request, calls its endpoint, compresses the answer, and turns faults into answers.

import type { GraphQLRequest, KernelObserver, Log, Telemetry } from "../../core/index.ts";
import { andThen, type Kernel, type MaybePromise, QuernError, rescued } from "../../core/index.ts";
import type { HttpRequest, HttpResponse, KernelEndpoint, SocketAcceptance } from "../../core/transport.ts";
import { AdminGuard } from "./access/admin-guard.ts";
import { ApiKeys } from "./access/api-keys.ts";
import { CallerNames, type Sender } from "./access/caller-names.ts";
import { Deeds, type DeedsOptions } from "./access/deeds.ts";
import type { EndpointConfig, ServedNamespace } from "./config/config.ts";
import { adminApi } from "./dgraph-admin/admin-api.ts";
import { PersistedStore } from "./documents/persisted-store.ts";
import { TrustedDocuments } from "./documents/trusted-documents.ts";
import { TrustedDocumentsLog } from "./documents/trusted-documents-log.ts";
import { foreignBodyOf } from "./graphql/foreign-body.ts";
import { graphqlBodyTooLarge, graphqlOverloaded } from "./graphql/graphql-endpoint.ts";
import { bodyLimitsOf } from "./http/body-limits.ts";
import { BodyOrder } from "./http/body-order.ts";
import type { BoundedBodies } from "./http/body-room.ts";
import { adminCors } from "./http/cors.ts";
import { acceptsGzip, compress } from "./http/gzip.ts";
import { tooLarge } from "./http/refusal.ts";
import { adminErrors, openAnswer } from "./http/respond.ts";
import { pathOf } from "./http/url.ts";
import { LiveClients } from "./parts/live-clients.ts";
import { RecentRequests } from "./parts/recent-requests.ts";
import { RequestLog } from "./parts/request-log.ts";
import type { ServerParts } from "./parts/server-parts.ts";
import { type ServerRooms, serverRooms } from "./parts/server-rooms.ts";
import { type Task, TaskQueue } from "./parts/task-queue.ts";
import { type ClaimedAdditions, claimAdditions } from "./plugin-additions.ts";
import { notFound, type Route, RouteTable, refusalOf } from "./routes.ts";
import { acceptSocket } from "./socket/upgrade.ts";
import { defaultExports } from "./tasks/destination.ts";

/** The HTTP and WebSocket surface of `kernel`, for transports. One endpoint serves any number of transports. */
export function serverEndpoint(kernel: Kernel, config: EndpointConfig = {}): KernelEndpoint {
  return kernelEndpoint(kernel, config, serverRooms(kernel.limits));
}

/** @param rooms shared with the other kernels of the process */
export function kernelEndpoint(kernel: Kernel, config: EndpointConfig, rooms: ServerRooms): KernelEndpoint & Pick<ServerEndpoint, "hasTasks"> {
  const endpoint = new ServerEndpoint(kernel, config, rooms);
  return {
    http: (request) => endpoint.http(request),
    upgrade: (request) => endpoint.upgrade(request),
    bodyTooLarge: (request) => endpoint.bodyTooLarge(request),
    maxBodyBytes: kernel.limits.maxBodyBytes,
    bodyLimit: (request) => endpoint.bodyLimit(request),
    streams: (request) => endpoint.streams(request),
    bodies: endpoint.bodies,
    overloaded: (request) => endpoint.overloaded(request),
    unsent: kernel.unsent,
    stallMs: kernel.limits.stallMs,
    maxStarting: kernel.limits.maxStartingPerSocket,
    callerOf: (request) => endpoint.callerOf(request),
    fault: (thrown) => kernel.log.fault(thrown, { where: "transport" }),
    hasTasks: () => endpoint.hasTasks(),
  };
}

class ServerEndpoint {
  readonly bodies: BoundedBodies;
  readonly #parsed: BoundedBodies;
  readonly #server: ServerParts;
  readonly #guard: AdminGuard;
  readonly #routes: RouteTable;
  readonly #adminOrigins: readonly string[];
  readonly #telemetry: Telemetry;
  readonly #persisted: PersistedStore;
  readonly #trusted: TrustedDocuments | undefined;
  readonly #recent = new RecentRequests();

  constructor(kernel: Kernel, config: EndpointConfig, rooms: ServerRooms) {
    const keys = new ApiKeys(config);
    this.bodies = rooms.bodies;
    this.#parsed = rooms.parsed;
    this.#persisted = new PersistedStore(kernel.storage, {
      limits: kernel.limits.persistedQueries,
      version: () => kernel.stored?.version ?? 0,
      failed: (thrown) => logStoreFailure(kernel.log, thrown),
    });
    if (config.trustedDocuments !== undefined) this.#trusted = new TrustedDocuments(config.trustedDocuments);
    const additions = claimAdditions(kernel);
    const { access } = additions;
    this.#guard = new AdminGuard(config.admin ?? {}, { keys, log: kernel.log, hasAccessControl: access !== undefined });
    this.#routes = new RouteTable(adminApi(additions.admin), additions.routes, additions.patterns);
    this.#server = this.#partsOf(kernel, config, {
      keys,
      access,
      foreignBodies: additions.bodies,
      listeners: additions.administered,
      clients: new LiveClients(kernel.limits.maxLiveClients, rooms.liveClients),
    });
    this.#adminOrigins = config.admin?.origins ?? [];
    this.#telemetry = kernel.telemetry;
    const { clients } = this.#server;
    // The rooms are of all namespaces: only administrators of the server see how full they are.
    if (this.#server.namespace.number === 0) kernel.gauges.add("bodyBytes", () => this.bodies.bytes);
    kernel.gauges.add("liveClients", () => clients.size);
    kernel.observe(this.#observer(kernel, clients, additions));
  }

  #partsOf(
    kernel: Kernel,
    config: EndpointConfig,
    {
      keys,
      access,
      foreignBodies,
      clients,
      listeners,
    }: Pick<ServerParts, "keys" | "access" | "foreignBodies" | "clients"> & Pick<DeedsOptions, "listeners">,
  ): ServerParts {
    const names = new CallerNames({ keys, trustProxy: config.trustProxy ?? [] });
    const hasSecret = (caller: Pick<HttpRequest, "headers">) => this.#guard.hasSecret(caller);
    const addressOf = (request: Sender) => names.addressOf(request);
    const deeds = new Deeds({ listeners, access, hasSecret, addressOf, keyOf: (request) => keys.nameOf(request) });
    return {
      kernel,
      deeds,
      keys,
      access,
      bodies: this.bodies,
      parsed: this.#parsed,
      bodyOrder: new BodyOrder((sender) => nameOf(names.of(sender)) ?? ""),
      bodyLimits: bodyLimitsOf(kernel.limits, hasSecret),
      persisted: this.#persisted,
      foreignBodies,
      trusted: this.#trusted,
      // GraphiQL starts with an introspection, which is not a trusted document.
      graphiql: (config.graphiql ?? true) && !this.#trusted?.only,
      console: config.console ?? true,
      callerOf: (request) => names.of(request),
      addressOf,
      introspects: (request) => (kernel.config.introspection ?? true) || hasSecret(request),
      clients,
      tasks: new TaskQueue({
        ended: (task) => logTask(kernel.log, task),
        fault: (thrown) => kernel.log.fault(thrown, { where: "task" }),
      }),
      exportsFolder: config.admin?.exports ?? defaultExports(kernel.storage.folder),
      requests: () => this.#recent.report(),
      namespace: config.namespace ?? onlyNamespace(kernel),
      requestLog: new RequestLog(kernel),
    };
  }

  #observer(kernel: Kernel, clients: LiveClients, additions: ClaimedAdditions): KernelObserver {
    const persisted = this.#persisted;
    const { tasks } = this.#server;
    const trusted = this.#trusted && new TrustedDocumentsLog(kernel, this.#trusted);
    return {
      opening: async () => await trusted?.load(),
      opened: async () => {
        await Promise.all([persisted.open(), additions.opened()]);
      },
      replaced: () => {
        if (kernel.deployment === undefined) persisted.forget();
        if (kernel.deployment === undefined) additions.erased();
        trusted?.warnOfBroken();
      },
      erased: () => {
        persisted.forget();
        additions.erased();
      },
      leaving: () => {
        clients.leave();
        // Also called when draining begins: then the work goes on.
        if (!kernel.ready) void tasks.stop();
      },
      documents: () => this.#trusted?.all() ?? [],
      ended: (operation) => this.#recent.add(operation),
    };
  }

  /** Never rejects. */
  http(request: HttpRequest): MaybePromise<HttpResponse> {
    const path = pathOf(request.url);
    const route = this.#routes.routeOf(path);
    if (!this.#telemetry.everyExchange) return this.#respond(route, request);
    const begun = performance.now();
    return andThen(this.#respond(route, request), (response) => {
      // An unknown path is client input; as a label it would be unbounded.
      this.#telemetry.exchange(request, response, { path: this.#routes.labelOf(path), durationMs: performance.now() - begun });
      return response;
    });
  }

  #respond(route: Route | undefined, request: HttpRequest): MaybePromise<HttpResponse> {
    if (route === undefined) return notFound;
    const answered = rescued(
      () =>
        andThen(this.#answer(route, request), (response) => {
          this.bodies.answered(request);
          this.#parsed.answered(request);
          return route.gzip && acceptsGzip(request) ? compress(response) : response;
        }),
      (fault) => this.#fault(fault),
    );
    return route.admin ? andThen(answered, (response) => adminCors(response, request, this.#adminOrigins)) : answered;
  }

  /** Whether an export, a backup or a check runs or waits. */
  hasTasks(): boolean {
    return this.#server.tasks.isBusy;
  }

  /** Bytes of the body of this request, as sent. */
  bodyLimit(request: Omit<HttpRequest, "body">): number {
    return this.#server.bodyLimits(request).sent.most;
  }

  /** Whether the path takes the body as it arrives. Who fails a check of the path is refused before any of it is read. */
  streams(request: Omit<HttpRequest, "body">): boolean {
    const path = pathOf(request.url);
    return path === "/graphql" ? foreignBodyOf(this.#server, request) !== undefined : this.#routes.routeOf(path)?.streams === true;
  }

  /** For whom a request counts, as far as it shows before it is read. */
  callerOf(request: Omit<HttpRequest, "body">): string | undefined {
    return nameOf(this.#server.callerOf(request));
  }

  /** The answer to a request for whose body there is no room. It says nothing of the path. */
  overloaded(request: Omit<HttpRequest, "body">): HttpResponse {
    return graphqlOverloaded(this.#server, request);
  }

  /** The answer to a request whose body exceeds the limit. The checks of the route come first. */
  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse {
    const path = pathOf(request.url);
    const route = this.#routes.routeOf(path);
    if (route === undefined) return notFound;
    if (path === "/graphql") return graphqlBodyTooLarge(this.#server, request);
    const { message } = tooLarge(this.#server.bodyLimits(request).sent);
    const response = refusalOf(route, request, this.#guard) ?? openAnswer(adminErrors("ErrorInvalidRequest", message), 413);
    return route.admin ? adminCors(response, request, this.#adminOrigins) : response;
  }

  /** Accepts WebSockets at `/graphql`; at other paths answers as without the upgrade. Never rejects. */
  upgrade(request: Omit<HttpRequest, "body">): MaybePromise<HttpResponse | SocketAcceptance> {
    if (pathOf(request.url) !== "/graphql") return this.http({ ...request, body: new Uint8Array(0) });
    return rescued<HttpResponse | SocketAcceptance>(
      () => acceptSocket(this.#server, request),
      (fault) => this.#fault(fault),
    );
  }

  #answer(route: Route, request: HttpRequest): MaybePromise<HttpResponse> {
    return refusalOf(route, request, this.#guard) ?? route.answer(this.#server, request, this.#guard);
  }

  #fault(fault: unknown): HttpResponse {
    this.#server.kernel.log.fault(fault);
    return openAnswer(adminErrors("Error", "Internal error"), 500);
  }
}

function onlyNamespace(kernel: Kernel): ServedNamespace {
  return { number: 0, all: () => [0], within: (_namespace, work) => work(kernel) };
}

function nameOf(caller: GraphQLRequest["caller"]): string | undefined {
  return caller && `${caller.kind} ${caller.name}`;
}

function logTask(log: Log, { id, kind, status, message }: Task): void {
  const text = `${kind} ${id}: ${message ?? status}`;
  if (status === "Success") log.info("task", text, { id, kind, status });
  else log.warn("task", text, { id, kind, status });
}

/** A document that was not stored is sent again by its client. A store that is closing is no failure. */
function logStoreFailure(log: Log, thrown: unknown): void {
  if (!(thrown instanceof QuernError)) log.fault(thrown);
  else if (thrown.code !== "STORE_CLOSED")
    log.warn("persisted-queries", `persisted queries could not be written: ${thrown.message}`, { code: thrown.code });
}
