// The fast transport: plain `node:http`, no framework between the socket and the kernel.

import type { Transport } from "../../core/index.ts";
import { type HttpServerOptions, listenHttp } from "../node-http/index.ts";

export type WsOptions = HttpServerOptions;

export function wsTransport(options: WsOptions = {}): Transport {
  return { name: "ws", listen: (endpoint, where) => listenHttp(endpoint, where, options) };
}
