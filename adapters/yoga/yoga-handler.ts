// The kernel mounted in another server: a handler for `node:http`, Express, Fastify, and Fetch environments.

import type { IncomingMessage } from "node:http";
import type { Plugin } from "graphql-yoga";
import type { KernelEndpoint } from "../../core/transport.ts";
import { answerRequest, plainHeaders, type RequestHead } from "../fetch/index.ts";
import { kernelYoga } from "./kernel-yoga.ts";

/** How the handler is mounted. */
export interface YogaHandlerOptions {
  /** Plugins of Yoga, as for `yogaTransport`. Default: none. */
  readonly plugins?: readonly Plugin[];
  /** The path before `/graphql` in the URL, such as `/api`, if the surrounding server does not strip it. Default: "". */
  readonly basePath?: string;
}

/** Yoga's server context: Node's request, if there is one. */
type Context = { readonly req?: unknown };

/**
 * The open kernel as a Yoga server: call it with `(req, res)`, or its `fetch` with a `Request`. The application closes the kernel.
 * Mount it before body parsers: a parsed body has lost digits of large integers.
 */
export function yogaHandler(endpoint: KernelEndpoint, { plugins = [], basePath = "" }: YogaHandlerOptions = {}) {
  return kernelYoga<Context>({
    answer: (request, { req }) => answerRequest(endpoint, request, plainRequest(request, isIncoming(req) ? req : undefined, basePath)),
    plugins,
  });
}

function plainRequest(request: Request, req: IncomingMessage | undefined, basePath: string): RequestHead {
  const url = req?.url ?? pathAndQuery(request.url);
  return {
    method: request.method,
    url: basePath !== "" && url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : url,
    headers: plainHeaders(request.headers),
    // An unknown address does not count as this machine, so admin paths need the token.
    remoteAddress: req?.socket.remoteAddress ?? "unknown",
    onGone: (listener) => {
      if (request.signal.aborted) listener();
      else request.signal.addEventListener("abort", listener, { once: true });
    },
  };
}

function pathAndQuery(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function isIncoming(value: unknown): value is IncomingMessage {
  return typeof value === "object" && value !== null && "socket" in value && "url" in value;
}
