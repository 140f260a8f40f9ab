// Requests to `/graphql` whose bodies a plugin reads, such as multipart forms with files.

import { andThen, type ErrorCode, type HttpRequest, type HttpResponse, type MaybePromise, QuernError, rescued } from "../../../core/plugin.ts";
import { HttpRefusal } from "../http/refusal.ts";
import type { ForeignBody, ServerParts } from "../parts/server-parts.ts";

type Head = Pick<HttpRequest, "method" | "headers">;

/** Undefined: the server reads the body itself. */
export function foreignBodyOf({ foreignBodies }: Pick<ServerParts, "foreignBodies">, { method, headers }: Head): ForeignBody | undefined {
  if (foreignBodies.size === 0 || method !== "POST") return undefined;
  const found = foreignBodies.get(headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "");
  return found?.isUsed() === true ? found : undefined;
}

/** Answers the request with its body in JSON. Rejects with an HttpRefusal when the plugin refuses the body. */
export function answeredInJson(
  server: ServerParts,
  request: HttpRequest,
  { foreign, answer }: { readonly foreign: ForeignBody; readonly answer: (request: HttpRequest) => MaybePromise<HttpResponse> },
): MaybePromise<HttpResponse> {
  const { incoming: _read, ...others } = request;
  const headers = { ...request.headers, "content-type": "application/json" };
  return andThen(
    rescued(() => foreign.read(server, request), refuse),
    ({ body, answered }) =>
      andThen(answer({ ...others, body, headers }), (response) => {
        answered?.();
        return response;
      }),
  );
}

const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  FORBIDDEN: 403,
  LIMIT_REACHED: 413,
  OVERLOADED: 503,
  PLUGIN_TIMEOUT: 503,
  STORE_UNAVAILABLE: 503,
  TOO_MANY_REQUESTS: 429,
  UNAUTHENTICATED: 401,
};

function refuse(thrown: unknown): never {
  if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
  throw new HttpRefusal(thrown.message, statuses[thrown.code] ?? 400, thrown.code);
}
