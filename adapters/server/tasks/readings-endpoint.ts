// What administrators read about the running server, as JSON: numbers of kernel and storage, live queries, requests. None of it needs metrics to be configured.

import { andThen, type HttpRequest, type HttpResponse, type MaybePromise } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import { isReadable, statisticsOf } from "../health/readable.ts";
import { openAnswer } from "../http/respond.ts";
import { queryOf } from "../http/url.ts";
import type { RequestFilter } from "../parts/request-log.ts";
import type { ServerParts } from "../parts/server-parts.ts";

type Read = (server: ServerParts, request: HttpRequest) => MaybePromise<unknown>;

/** `/admin/readings`: the current numbers of the kernel and the storage. */
export const readingsEndpoint = endpoint("/admin/readings", async ({ kernel }) => {
  const { storage, gauges } = kernel;
  return { storage: storage.name, statistics: await statisticsOf(kernel), gauges: gauges.read() };
});

/** Tasks in an answer of `/admin/store`. */
const maxTasks = 20;

/** `/admin/store`: the parts of the store with their sizes, the cache, and the last tasks. */
export const storeEndpoint = endpoint("/admin/store", async ({ kernel, tasks, namespace }) => {
  const { storage } = kernel;
  const { name, folder, cache } = storage;
  const recent = tasks.recent(maxTasks).map(({ lastUpdated, ...task }) => ({ ...task, lastUpdated: lastUpdated.toISOString() }));
  return {
    storage: name,
    // Where the server keeps its files is for its own administrators.
    folder: namespace.number === 0 ? folder : undefined,
    cache: cache && { maxBytes: cache.maxBytes },
    sizes: isReadable(kernel) ? await storage.sizes?.() : undefined,
    tasks: recent,
  };
});

/** Queries in an answer of `/admin/live`. */
const maxLiveQueries = 100;

/** `/admin/live`: what runs for the subscriptions, and what woke it. */
export const liveQueriesEndpoint = endpoint("/admin/live", ({ kernel }) => kernel.liveReport(maxLiveQueries));

/** `/admin/requests`: counts, durations, failures, and the slowest documents. */
export const requestsEndpoint = endpoint("/admin/requests", ({ requests }) => requests());

/** `/admin/requests/log`: requests one by one, from the first time that it is read until nobody has read it for half a minute. */
export const requestLogEndpoint = endpoint("/admin/requests/log", ({ requestLog }, { url }) =>
  requestLog.read(filterOf(new URLSearchParams(queryOf(url)))),
);

function filterOf(parameters: URLSearchParams): RequestFilter {
  const text = (name: string) => parameters.get(name) ?? "";
  return {
    after: numberOf(text("after")),
    kind: text("kind"),
    operation: text("operation"),
    caller: text("caller"),
    atLeastMs: numberOf(text("atLeastMs")),
    failed: text("failed") === "true",
  };
}

/** 0 where it is no number: it narrows nothing. */
function numberOf(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : 0;
}

function endpoint(name: string, read: Read): (server: ServerParts, request: HttpRequest) => MaybePromise<HttpResponse> {
  return (server, request) =>
    andThen(
      actionRefusal(server, request, { action: { name }, code: "ErrorUnauthorized" }),
      (refusal) => refusal ?? andThen(read(server, request), (data) => openAnswer({ data })),
    );
}
