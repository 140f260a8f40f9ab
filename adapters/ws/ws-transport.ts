// The fast transport: plain `node:http`, no framework between the socket and the kernel.

import { type HttpServerOptions, listenHttp, type Transport } from "../../core/index.ts";

export type WsOptions = HttpServerOptions;

export function wsTransport(options: WsOptions = {}): Transport {
  return { name: "ws", listen: (door, where) => listenHttp(door, where, options) };
}
