// The default transport: plain `node:http`, without a framework.

import type { Transport } from "../../core/transport.ts";
import { type HttpServerOptions, listenHttp } from "../node-http/index.ts";

/** The limits of the server. */
export type WsOptions = HttpServerOptions;

/** HTTP, event streams and WebSockets on `node:http` and `ws`. */
export function wsTransport(options: WsOptions = {}): Transport {
  return { name: "ws", listen: (endpoint, where) => listenHttp(endpoint, where, options) };
}
