// What administrators read about the running server, as JSON: numbers of kernel and storage, live queries, requests. None of it needs metrics to be configured.

import { andThen, type HttpRequest, type HttpResponse, type MaybePromise } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import type { HttpContext } from "../context.ts";
import { isReadable, statisticsOf } from "../health/readable.ts";
import { openAnswer } from "../http/respond.ts";

type Read = (context: HttpContext) => MaybePromise<unknown>;

/** `/admin/readings`: the current numbers of the kernel and the storage. */
export const readingsEndpoint = endpoint("/admin/readings", async (context) => {
  const { storage, gauges } = context;
  return { storage: storage.name, statistics: await statisticsOf(context), gauges: gauges.read() };
});

/** Tasks in an answer of `/admin/store`. */
const maxTasks = 20;

/** `/admin/store`: the parts of the store with their sizes, the cache, and the last tasks. */
export const storeEndpoint = endpoint("/admin/store", async (context) => {
  const { storage, tasks } = context;
  const { name, folder, cache } = storage;
  const recent = tasks.recent(maxTasks).map(({ lastUpdated, ...task }) => ({ ...task, lastUpdated: lastUpdated.toISOString() }));
  return {
    storage: name,
    folder,
    cache: cache && { maxBytes: cache.maxBytes },
    sizes: isReadable(context) ? await storage.sizes?.() : undefined,
    tasks: recent,
  };
});

/** Queries in an answer of `/admin/live`. */
const maxLiveQueries = 100;

/** `/admin/live`: what runs for the subscriptions, and what woke it. */
export const liveQueriesEndpoint = endpoint("/admin/live", ({ liveQueries }) => liveQueries(maxLiveQueries));

/** `/admin/requests`: counts, durations, failures, and the slowest documents. */
export const requestsEndpoint = endpoint("/admin/requests", ({ requests }) => requests());

function endpoint(name: string, read: Read): (context: HttpContext, request: HttpRequest) => MaybePromise<HttpResponse> {
  return (context, request) =>
    andThen(
      actionRefusal(context, request, { action: { name }, code: "ErrorUnauthorized" }),
      (refusal) => refusal ?? andThen(read(context), (data) => openAnswer({ data })),
    );
}
