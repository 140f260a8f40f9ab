// What administrators read about the running server, as JSON: numbers of kernel and storage, live queries, requests. None of it needs metrics to be configured.

import { andThen, type HttpRequest, type HttpResponse, type MaybePromise } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import { isReadable, statisticsOf } from "../health/readable.ts";
import { openAnswer } from "../http/respond.ts";
import type { ServerParts } from "../parts/server-parts.ts";

type Read = (server: ServerParts) => MaybePromise<unknown>;

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

function endpoint(name: string, read: Read): (server: ServerParts, request: HttpRequest) => MaybePromise<HttpResponse> {
  return (server, request) =>
    andThen(
      actionRefusal(server, request, { action: { name }, code: "ErrorUnauthorized" }),
      (refusal) => refusal ?? andThen(read(server), (data) => openAnswer({ data })),
    );
}
