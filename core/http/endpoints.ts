// The HTTP surface on plain data: finds the endpoint of a request, lets it answer, packs the answer, and turns faults into answers.

import type { KernelConfig } from "../config/config.ts";
import type { Storage } from "../contracts/storage.ts";
import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import type { MaybePromise } from "../contracts/values.ts";
import { andThen, rescued } from "../maybe-promise.ts";
import { logFault } from "../pipeline/faults.ts";
import { AdminGuard } from "./admin-guard.ts";
import { ApiKeys } from "./api-keys.ts";
import type { HttpContext } from "./context.ts";
import { graphqlBodyTooLarge } from "./graphql-endpoint.ts";
import { acceptsGzip, pack } from "./gzip.ts";
import { storedQueries } from "./persisted-store.ts";
import { tooLarge } from "./refusal.ts";
import { adminErrors, openAnswer } from "./respond.ts";
import { notFound, type Route, routeOf } from "./routes.ts";
import { pathOf } from "./url.ts";

/** The kernel, as far as HTTP reaches into it. */
export interface HttpKernel extends Omit<HttpContext, "keys" | "graphiql" | "persisted" | "log" | "storage" | "takeUids"> {
  readonly storage: Storage;
}

export class HttpEndpoints {
  readonly #context: HttpContext;
  readonly #guard: AdminGuard;

  constructor(kernel: HttpKernel, config: Pick<KernelConfig, "admin" | "apiKeys" | "anonymousAccess" | "graphiql">) {
    const keys = new ApiKeys(config);
    this.#context = contextOf(kernel, keys, config.graphiql ?? true);
    this.#guard = new AdminGuard(config.admin ?? {}, keys);
  }

  /** Never rejects. */
  http(request: HttpRequest): MaybePromise<HttpResponse> {
    const route = routeOf(pathOf(request.url));
    if (route === undefined) return notFound;
    return rescued(
      () => andThen(this.#answer(route, request), (response) => (route.packs && acceptsGzip(request) ? pack(response) : response)),
      (fault) => this.#fault(fault),
    );
  }

  /** For a body that was not read to its end; says first what would have been said about the rest of the request. */
  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse {
    const path = pathOf(request.url);
    const route = routeOf(path);
    if (route === undefined) return notFound;
    if (path === "/graphql") return graphqlBodyTooLarge(this.#context, request);
    const { message } = tooLarge(this.#context.limits.maxBodyBytes);
    return route.refuse?.(request, this.#guard) ?? openAnswer(adminErrors("ErrorInvalidRequest", message), 413);
  }

  #answer(route: Route, request: HttpRequest): MaybePromise<HttpResponse> {
    return route.refuse?.(request, this.#guard) ?? route.answer(this.#context, request, this.#guard);
  }

  #fault(fault: unknown): HttpResponse {
    this.#context.log(fault);
    return openAnswer(adminErrors("Error", "Internal error"), 500);
  }
}

/** `kernel` is asked again for every request. */
function contextOf(kernel: HttpKernel, keys: ApiKeys, graphiql: boolean): HttpContext {
  return {
    keys,
    graphiql,
    limits: kernel.limits,
    persisted: storedQueries(kernel.storage, () => kernel.deployment?.version ?? 0),
    get deployment() {
      return kernel.deployment;
    },
    get schemaUpdateCounter() {
      return kernel.schemaUpdateCounter;
    },
    get ready() {
      return kernel.ready;
    },
    execute: (request) => kernel.execute(request),
    deploy: (document) => kernel.deploy(document),
    validate: (document) => kernel.validate(document),
    erase: (what) => kernel.erase(what),
    storage: kernel.storage,
    takeUids: async (count) => {
      const { result } = await kernel.storage.transact((transaction) => transaction.uids(count), { version: kernel.deployment?.version ?? 0 });
      return result;
    },
    get draining() {
      return kernel.draining;
    },
    setDraining: (on) => kernel.setDraining(on),
    shutDown: () => kernel.shutDown(),
    log: logFault,
  };
}
