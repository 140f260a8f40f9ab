// Passes the trace of a request on, where the server is traced by OpenTelemetry.

type OpenTelemetry = typeof import("@opentelemetry/api");

let loaded: Promise<OpenTelemetry | undefined> | undefined;

/** The package, if it is installed: tracing is optional. */
function loadTracing(): Promise<OpenTelemetry | undefined> {
  loaded ??= import("@opentelemetry/api").catch(() => undefined);
  return loaded;
}

/** `traceparent` and the like of the running operation; nothing while no tracing is set up. */
export async function traceHeaders(): Promise<Readonly<Record<string, string>>> {
  const api = await loadTracing();
  const headers: Record<string, string> = {};
  api?.propagation.inject(api.context.active(), headers);
  return headers;
}
