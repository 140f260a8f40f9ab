// Passes the trace of a request on, where the server is traced by OpenTelemetry.

type OpenTelemetry = typeof import("@opentelemetry/api");

let api: OpenTelemetry | undefined;

/** Loads the package, if it is installed: tracing is optional. */
export async function loadTracing(): Promise<void> {
  api ??= await import("@opentelemetry/api").catch(() => undefined);
}

/** `traceparent` and the like of the running operation; nothing while no tracing is set up. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  api?.propagation.inject(api.context.active(), headers);
  return headers;
}
