// A handler for every host that speaks the Fetch API: Hono, Next, Bun, Lambda.

import type { KernelEndpoint } from "../../core/transport.ts";
import { answerRequest, type RequestHead } from "./answer-request.ts";
import { plainHeaders } from "./plain-headers.ts";
import type { HoldOptions } from "./readable-body.ts";
import { responseOf } from "./response-of.ts";

/** How the handler is mounted. @typeParam Rest what the host passes beside the request */
export interface FetchHandlerOptions<Rest extends unknown[] = unknown[]> {
  /** The path before `/graphql` in the URL, such as `/api`, if the host does not strip it. Default: "". */
  readonly basePath?: string;
  /**
   * The IP address of the peer, which a `Request` does not have. It gets what the handler was called with.
   *
   *     fetchHandler(kernel, { remoteAddress: (_request, server: Bun.Server) => server.requestIP(_request)?.address })
   *
   * Undefined, as by default: unknown. Then the address counts neither as this machine, so administrators need their token even with `admin.open`, nor for
   * `admin.allow` and `limits.perCaller`. Never return a header that clients can send.
   */
  readonly remoteAddress?: (request: Request, ...rest: Rest) => string | undefined;
}

/** Answers one request. Never rejects. */
export type FetchHandler<Rest extends unknown[] = unknown[]> = (request: Request, ...rest: Rest) => Promise<Response>;

/**
 * The open kernel for a host of the Fetch API. The application opens and closes the kernel:
 *
 *     const app = new Hono();
 *     const handler = fetchHandler(kernel, { basePath: "/api" });
 *     app.all("/api/*", (c) => handler(c.req.raw));
 *
 * It reads the body itself, so nothing before it may have: a parsed body has lost digits of large integers. A `Request` cannot become a WebSocket; its
 * clients use event streams, or `webSockets` of `quern/adapters/node-http` on the server of the host.
 */
export function fetchHandler<Rest extends unknown[] = unknown[]>(
  endpoint: KernelEndpoint,
  { basePath = "", remoteAddress }: FetchHandlerOptions<Rest> = {},
): FetchHandler<Rest> {
  const hold: HoldOptions = { unsent: endpoint.unsent, stallMs: endpoint.stallMs, fault: (thrown) => endpoint.fault?.(thrown) };
  return async (request, ...rest) => {
    const head = headOf(request, { basePath, remoteAddress: remoteAddress?.(request, ...rest) });
    return responseOf(await answerRequest(endpoint, request, head), { method: request.method, hold: { ...hold, onGone: head.onGone } });
  };
}

interface Mounted {
  readonly basePath: string;
  readonly remoteAddress: string | undefined;
}

function headOf(request: Request, { basePath, remoteAddress }: Mounted): RequestHead {
  const { host, target } = placeOf(request.url);
  const headers = plainHeaders(request.headers);
  return {
    method: request.method,
    url: basePath !== "" && target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : target,
    // Where a host leaves it out, pages of its own origin would count as foreign.
    headers: headers.host === undefined ? { ...headers, host } : headers,
    ...(remoteAddress !== undefined && { remoteAddress }),
    onGone: (listener) => {
      if (request.signal.aborted) listener();
      else request.signal.addEventListener("abort", listener, { once: true });
    },
  };
}

/** The target as it was sent: a `URL` would change its escapes. */
function placeOf(url: string): { readonly host: string; readonly target: string } {
  const [, host = "", target = ""] = /^[a-z]+:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  return { host, target: target.startsWith("/") ? target : `/${target}` };
}
