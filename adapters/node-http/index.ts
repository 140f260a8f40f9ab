// Toolkit for transports on Node: a listening `node:http` server with limits, WebSockets and graceful closing.

export { type HttpServerOptions, listenHttp } from "./http-server.ts";
export type { TlsOptions } from "./tls.ts";
export { type WebSockets, type WebSocketsOptions, webSockets } from "./web-sockets.ts";
